// What a Node client's program is: a function for each feature, or why the client has no such thing.
import type { Api, Feature } from './feature.ts'

export type Run = {
  /** Ends in /v1. It is another one for every run, so that what was sent is known to belong to it. */
  readonly baseUrl: string
  readonly key: string
  /** Looks like a key and is none. */
  readonly badKey: string
  readonly model: string
  /** The same text made different from every other run's, since the same request sent often looks like a loop. */
  readonly prompt: (text: string) => string
}

/** Throws where the client does not do what it is to. Returns the messages of the errors it was to raise, if any. */
export type Drive = (run: Run) => Promise<readonly string[] | void>

export type NodeProgram = {
  readonly client: string
  readonly api: Api
  /** The npm packages that it is, as package.json pins them. */
  readonly packages: readonly string[]
  readonly features: Readonly<Record<Feature, Drive | { readonly cannot: string }>>
}

/** As the table has it, such as `openai-node (chat)`. */
export const nameOf = ({ client, api }: { client: string; api: Api }): string => `${client} (${api})`

export const UNKNOWN_MODEL = 'no-such-model'
/** Out of every model's range. */
export const REFUSED_TEMPERATURE = 5

export const PROMPTS = {
  plain: 'Say good day.',
  tools: 'Use get_weather and get_time.',
  again: 'Use get_time once more.',
  place: 'Name a place.',
  json: 'Name a place, as a JSON object.',
  image: 'What is in this picture?',
}

/** One red pixel. */
export const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
export const PIXEL_URL = `data:image/png;base64,${PIXEL}`

/** Its whole answer, so that a stream that lost its end does not pass. */
const EMULATED = /Countersign emulator, not a model\. You sent \d+ messages, \d+ characters\./

export function expectEmulated(text: string | null | undefined): void {
  if (text === null || text === undefined || !EMULATED.test(text))
    throw new Error(`the answer is not the emulator's: ${String(text)}`)
}

export function expect(isTrue: boolean, otherwise: string): void {
  if (!isTrue) throw new Error(otherwise)
}

/** What was thrown, whose class must have this name. */
export async function expectError(className: string, promise: PromiseLike<unknown>): Promise<string> {
  const thrown: unknown = await Promise.resolve(promise).then(
    () => null,
    (error: unknown) => error,
  )
  if (!(thrown instanceof Error)) throw new Error(`no ${className} was thrown`)
  expect(thrown.constructor.name === className, `${thrown.constructor.name} and not ${className}: ${thrown.message}`)
  return thrown.message
}
