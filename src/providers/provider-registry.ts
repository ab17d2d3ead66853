// The providers of models and the endpoints that they serve them at, listed here and nowhere else. data/models.json names an
// endpoint of this list and cannot name a host. A new provider needs an entry here, its models in data/models.json, a column in
// docs/clients.md and, if no adapter speaks its wire format yet, an adapter and an emulated format.
// test/architecture/providers.test.ts names what is missing.

/** A provider is the company that receives a prompt. It may serve models of other companies. */
export const PROVIDERS = [
  { id: 'openai', label: 'OpenAI' },
  { id: 'anthropic', label: 'Anthropic' },
  { id: 'google', label: 'Google' },
  { id: 'perplexity', label: 'Perplexity' },
  { id: 'bedrock', label: 'Amazon Bedrock' },
  { id: 'mistral', label: 'Mistral' },
] as const

export type ProviderId = (typeof PROVIDERS)[number]['id']

/**
 * `baseUrl`: the provider's own host, unless a setting overrides it. `prefix` precedes the path that the adapter adds.
 * `isFixed`: no setting may name another host, because prompts are sent here for where it is.
 */
export const ENDPOINTS = [
  endpoint('openai', 'openai', 'openai-chat', 'https://api.openai.com'),
  endpoint('openai-eu', 'openai', 'openai-chat', 'https://eu.api.openai.com', { isFixed: true }),
  endpoint('anthropic', 'anthropic', 'anthropic-messages', 'https://api.anthropic.com'),
  bedrock('eu-west-1'),
  bedrock('eu-central-1'),
  endpoint('google', 'google', 'gemini-generate', 'https://generativelanguage.googleapis.com'),
  endpoint('perplexity', 'perplexity', 'perplexity-agent', 'https://api.perplexity.ai'),
  endpoint('mistral-eu', 'mistral', 'mistral-chat', 'https://api.eu.mistral.ai', { isFixed: true }),
] as const

type Options = { readonly prefix?: string; readonly isFixed?: boolean }

function endpoint<Id extends string, Provider extends ProviderId, Format extends string>(
  id: Id,
  provider: Provider,
  dialect: Format,
  baseUrl: string,
  { prefix = '', isFixed = false }: Options = {},
) {
  return { id, provider, dialect, baseUrl, prefix, isFixed } as const
}

/** @see https://docs.aws.amazon.com/bedrock/latest/userguide/inference.html */
function bedrock<Region extends string>(region: Region) {
  const baseUrl = `https://bedrock-runtime.${region}.amazonaws.com`
  const options = { prefix: '/anthropic', isFixed: true }
  return endpoint(`bedrock-${region}`, 'bedrock', 'anthropic-messages', baseUrl, options)
}

export type Endpoint = (typeof ENDPOINTS)[number]
export type EndpointId = Endpoint['id']

/** The wire format of an endpoint. */
export type Dialect = Endpoint['dialect']

export const PROVIDER_IDS: readonly ProviderId[] = PROVIDERS.map(({ id }) => id)
export const ENDPOINT_IDS: readonly EndpointId[] = ENDPOINTS.map(({ id }) => id)

/** The beginning of an endpoint's settings: OPENAI_EU for OPENAI_EU_BASE_URL and OPENAI_EU_API_KEY. */
export const settingPrefix = (id: string): string => id.replaceAll('-', '_').toUpperCase()

export const endpointNamed = (id: EndpointId): Endpoint => {
  const named = ENDPOINTS.find((one) => one.id === id)
  if (named === undefined) throw new TypeError('an endpoint that the registry does not have')
  return named
}

/** Returns null for a name that no endpoint has, or none. */
export const providerOfEndpoint = (id: string | undefined): ProviderId | null =>
  ENDPOINTS.find((one) => one.id === id)?.provider ?? null

/** The name that people know a provider by. Returns the id of a provider that is not in the list. */
export const providerLabel = (id: string): string => PROVIDERS.find((provider) => provider.id === id)?.label ?? id
