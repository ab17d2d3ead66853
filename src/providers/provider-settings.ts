// Where each provider is and the key to it, once the settings and the providers' own addresses are put together.
import type { ProviderName } from './catalogue.schema.ts'
import { defaultBaseUrls } from './catalogue.ts'

type Configured = { readonly baseUrl: string | null; readonly apiKey: string | null }

/** `apiKey` null: no key is set, so the provider is not used. */
export type ProvidersSettings = Readonly<
  Record<ProviderName, { readonly baseUrl: string; readonly apiKey: string | null }>
>

export function providerSettings(configured: Readonly<Record<ProviderName, Configured>>): ProvidersSettings {
  const settle = (name: ProviderName) => ({
    baseUrl: configured[name].baseUrl ?? defaultBaseUrls[name],
    apiKey: configured[name].apiKey,
  })
  return {
    openai: settle('openai'),
    anthropic: settle('anthropic'),
    google: settle('google'),
    perplexity: settle('perplexity'),
  }
}
