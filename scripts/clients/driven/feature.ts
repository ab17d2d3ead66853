// What each client is driven through, on every model.

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

/** What a client asks for: /v1/chat/completions, /v1/responses, or one of the two as it thinks fit for the model. */
export type Api = 'chat' | 'responses' | 'its choice'

/** What a program that drove a client says of one feature on one model. */
export type Outcome = {
  /** What went wrong, in the client's words; null where nothing did. */
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
