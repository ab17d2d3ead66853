// The features that every SDK is tested for on every model, and the types of runs and verdicts.

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

/** The route that a client calls: /v1/chat/completions, /v1/responses or /v1/messages. */
export type Api = 'chat' | 'responses' | 'messages'

/** Returns the name in the table, such as `openai-node (chat)`. */
export const clientName = ({ client, api }: { client: string; api: Api }): string => `${client} (${api})`

/** Returns the features of a client. Messages has no JSON mode. */
export const featuresOf = (name: string): readonly Feature[] =>
  name.endsWith('(messages)') ? FEATURES.filter((feature) => feature !== 'JSON mode') : FEATURES

/** The client's own result of one run. */
export type Outcome = {
  /** The client's message about a failure, or null. */
  readonly problem: string | null
  /** Messages of the errors that the client was expected to raise. */
  readonly told: readonly string[]
}

/** The verdict on one feature of one client on one model. */
export type Verdict =
  | { readonly kind: 'works' }
  /** The gateway refused the request and named a member in `error.param`. */
  | { readonly kind: 'refused'; readonly param: string }
  | { readonly kind: 'fails'; readonly why: string }

/** One feature of one client on one model. */
export type RunName = { readonly client: string; readonly feature: Feature; readonly model: string }
