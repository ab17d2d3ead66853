// The providers of models, listed here and nowhere else. A new provider needs an entry here, its models in data/models.json, a
// column in docs/clients.md and, if no adapter speaks its wire format yet, an adapter and an emulated format.
// test/architecture/providers.test.ts names what is missing.

/** `baseUrl`: the provider's own service, unless a setting overrides it. It has no path: adapters add their version. */
export const PROVIDERS = [
  { id: 'openai', label: 'OpenAI', baseUrl: 'https://api.openai.com' },
  { id: 'anthropic', label: 'Anthropic', baseUrl: 'https://api.anthropic.com' },
  { id: 'google', label: 'Google', baseUrl: 'https://generativelanguage.googleapis.com' },
  { id: 'perplexity', label: 'Perplexity', baseUrl: 'https://api.perplexity.ai' },
] as const

export type ProviderId = (typeof PROVIDERS)[number]['id']

export const PROVIDER_IDS: readonly ProviderId[] = PROVIDERS.map(({ id }) => id)

/** The name that people know a provider by. Returns the id of a provider that is not in the list. */
export const providerLabel = (id: string): string => PROVIDERS.find((provider) => provider.id === id)?.label ?? id
