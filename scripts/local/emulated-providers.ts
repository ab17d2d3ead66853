// Makes the settings with which the Worker calls the model emulator at every endpoint of a provider. Also tells if settings
// have a provider's key.
import { catalogueModels } from '../../src/providers/model-catalogue.ts'
import { ENDPOINT_IDS, settingPrefix, type EndpointId } from '../../src/providers/provider-registry.ts'

const KEY = 'emulator-local'

/** The endpoints of preferred routes: with these alone, every model has one route. */
export const PREFERRED_ENDPOINTS: readonly EndpointId[] = [
  ...new Set(catalogueModels().map(({ endpoint }) => endpoint)),
]

/**
 * Returns the base URL and the key of endpoints as settings of the Worker. `url` is the emulator's, or returns that of an endpoint's
 * own emulator.
 */
export function emulatedProviders(
  url: string | ((endpoint: EndpointId) => string),
  endpoints: readonly EndpointId[] = ENDPOINT_IDS,
): Record<string, string> {
  const urlOf = (endpoint: EndpointId): string => (typeof url === 'string' ? url : url(endpoint))
  return Object.fromEntries(
    endpoints.flatMap((endpoint) => [
      [`${settingPrefix(endpoint)}_BASE_URL`, `${urlOf(endpoint)}/${endpoint}`],
      [`${settingPrefix(endpoint)}_API_KEY`, KEY],
    ]),
  )
}

/** True if one of these settings is a key to a real provider. */
export function hasProviderKey(settings: Record<string, string>): boolean {
  return ENDPOINT_IDS.some((endpoint) => (settings[`${settingPrefix(endpoint)}_API_KEY`] ?? '') !== '')
}
