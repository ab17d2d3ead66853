// The providers of models, listed here and nowhere else, and what follows from the list. data/models.json names their endpoints and
// cannot name a host. CONTRIBUTING.md says what a new one needs.
import { anthropic } from './anthropic/index.ts'
import { bedrock } from './bedrock/index.ts'
import { google } from './google/index.ts'
import { mistral } from './mistral/index.ts'
import { openai } from './openai/index.ts'
import { perplexity } from './perplexity/index.ts'
import type { Provider } from './provider.ts'

export const PROVIDERS = [openai, anthropic, google, perplexity, bedrock, mistral] as const

export type ProviderId = (typeof PROVIDERS)[number]['id']
export type EndpointId = (typeof PROVIDERS)[number]['endpoints'][number]['id']

export type Endpoint = {
  readonly id: EndpointId
  readonly provider: ProviderId
  readonly baseUrl: string
  readonly prefix: string
  readonly isFixed: boolean
}

export const ENDPOINTS: readonly Endpoint[] = PROVIDERS.flatMap(({ id: provider, endpoints }) =>
  endpoints.map((endpoint) => ({ prefix: '', isFixed: false, ...endpoint, provider })),
)

export const PROVIDER_IDS: readonly ProviderId[] = PROVIDERS.map(({ id }) => id)
export const ENDPOINT_IDS: readonly EndpointId[] = ENDPOINTS.map(({ id }) => id)

/** The beginning of an endpoint's settings: OPENAI_EU for OPENAI_EU_BASE_URL and OPENAI_EU_API_KEY. */
export const settingPrefix = (id: string): string => id.replaceAll('-', '_').toUpperCase()

/** Throws TypeError for an id that no provider has. */
export function providerNamed(id: string): Provider {
  const named = PROVIDERS.find((one) => one.id === id)
  if (named === undefined) throw new TypeError('a provider that the registry does not have')
  return named
}

/** Throws TypeError for an id that no endpoint has. */
export function endpointNamed(id: string): Endpoint {
  const named = ENDPOINTS.find((one) => one.id === id)
  if (named === undefined) throw new TypeError(`the registry has no endpoint ${id}`)
  return named
}

/** Returns null for a name that no endpoint has, or none. */
export const providerOfEndpoint = (id: string | undefined): ProviderId | null =>
  ENDPOINTS.find((one) => one.id === id)?.provider ?? null
/** The name that people know a provider by. Returns the id of a provider that is not in the list. */
export const providerLabel = (id: string): string => PROVIDERS.find((provider) => provider.id === id)?.label ?? id
