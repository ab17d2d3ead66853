// The features that each client is driven through on every model, and how a run is named and judged.

export const FEATURES = [
  'create',
  'stream',
  'tools',
  'streamed tools',
  'output by tool',
  'output by schema',
  'JSON mode',
  'images',
  'errors',
  'failing stream',
  'cancellation',
  'models',
] as const

export type Feature = (typeof FEATURES)[number]

/** The route that a client calls: /v1/chat/completions, /v1/responses, or the one that it thinks fit for the model. */
export type Api = 'chat' | 'responses' | 'its choice'

/** The client's side of one run. */
export type Outcome = {
  /** The client's words about what went wrong, or null. */
  readonly problem: string | null
  /** Messages of the errors that the client raised because it was to. */
  readonly told: readonly string[]
}

/** How a client fared with one feature on one model. */
export type Verdict =
  | { readonly kind: 'works' }
  /** The gateway refused the request by name: the member that `error.param` named. */
  | { readonly kind: 'refused'; readonly param: string }
  /** The client has nothing of the kind. */
  | { readonly kind: 'n/a'; readonly why: string }
  | { readonly kind: 'fails'; readonly why: string }

/** One feature of one client on one model. */
export type RunName = { readonly client: string; readonly feature: Feature; readonly model: string }
