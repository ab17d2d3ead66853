// Makes the settings with which the Worker calls the model emulator instead of every provider. Also tells if settings have a
// provider's key.
import { PROVIDER_IDS } from '../../src/providers/provider-registry.ts'

const KEY = 'emulator-local'

/** Returns each provider's base URL and key as settings of the Worker. `url` is the emulator's. */
export function emulatedProviders(url: string): Record<string, string> {
  return Object.fromEntries(
    PROVIDER_IDS.flatMap((provider) => [
      [`${provider.toUpperCase()}_BASE_URL`, `${url}/${provider}`],
      [`${provider.toUpperCase()}_API_KEY`, KEY],
    ]),
  )
}

/** True if one of these settings is a key to a real provider. */
export function hasProviderKey(settings: Record<string, string>): boolean {
  return PROVIDER_IDS.some((provider) => (settings[`${provider.toUpperCase()}_API_KEY`] ?? '') !== '')
}
