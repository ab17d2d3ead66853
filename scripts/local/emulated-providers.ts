// Makes the settings with which the Worker calls the model emulator at every endpoint of a provider. Also tells if settings
// have a provider's key.
import { ENDPOINT_IDS, settingPrefix } from '../../src/providers/provider-registry.ts'

const KEY = 'emulator-local'

/** Returns each endpoint's base URL and key as settings of the Worker. `url` is the emulator's. */
export function emulatedProviders(url: string): Record<string, string> {
  return Object.fromEntries(
    ENDPOINT_IDS.flatMap((endpoint) => [
      [`${settingPrefix(endpoint)}_BASE_URL`, `${url}/${endpoint}`],
      [`${settingPrefix(endpoint)}_API_KEY`, KEY],
    ]),
  )
}

/** True if one of these settings is a key to a real provider. */
export function hasProviderKey(settings: Record<string, string>): boolean {
  return ENDPOINT_IDS.some((endpoint) => (settings[`${settingPrefix(endpoint)}_API_KEY`] ?? '') !== '')
}
