// The providers of models, each named here and nowhere else in the service. A new one is a line here, its models in
// data/models.json and, where no adapter speaks its wire format yet, an adapter.

/** `baseUrl`: the provider's own service, unless a deployment points elsewhere. No path: adapters bring their version. */
export const PROVIDERS = [
  { id: 'openai', baseUrl: 'https://api.openai.com' },
  { id: 'anthropic', baseUrl: 'https://api.anthropic.com' },
  { id: 'google', baseUrl: 'https://generativelanguage.googleapis.com' },
  { id: 'perplexity', baseUrl: 'https://api.perplexity.ai' },
] as const

export type ProviderId = (typeof PROVIDERS)[number]['id']

export const PROVIDER_IDS: readonly ProviderId[] = PROVIDERS.map(({ id }) => id)
