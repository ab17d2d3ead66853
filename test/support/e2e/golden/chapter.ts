// Sends the requests of a chapter and records them with their answers.
import { jsonOf } from './body-lines.ts'
import { withKinds, type Known } from './placeholders.ts'

/** Members of answers that a script goes on with. Which of them there are is for the script to know. */
export type Members = {
  id: string
  key: string
  state: string
  authorization_url: string
  secret: string
  codes: string[]
  options: { challenge: string; rpId: string; rp: { id: string }; user: { id: string } }
  error: { approval_id: string }
  data: { id: string; email: string; current: boolean; state: string; ending: string | null }[]
  datasets: { datasetVersion: { hash: string } }[]
}

/** `length`: of the body, in bytes. */
export type Answer = { status: number; headers: Headers; length: number; text: string; json: Members }

/** Somebody who sends requests: a person, a key, the operator, nobody. */
export type Caller = { name: string; headers: Record<string, string> }

/** A request with its answer. */
export type Exchange = {
  title: string
  caller: Caller
  method: string
  /** With its query. */
  path: string
  sentText: string | null
  sentHeaders: Record<string, string>
  answer: Answer
  /** Those that differ from the usual ones, without what differs between two runs. */
  answerHeaders: string[]
  omitBody: boolean
  known: Known
  answeredAt: number
}

type More = {
  headers?: Record<string, string>
  /** Sent as it is. `body` is sent as JSON. */
  text?: string
  /** The body is not recorded. */
  omitBody?: boolean
  allHeaders?: boolean
  /** How many calls are left is recorded. Otherwise that differs with the speed of the run. */
  exactLimits?: boolean
}

/** Headers of an answer that holds nothing special. They are written down only where an answer has others. */
export type UsualHeaders = Record<'/api/' | '/v1/', ReadonlyMap<string, string>>

/** Headers that are of this connection, or of the moment alone. */
const NEVER = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding'])

export const JSON_HEADERS = { 'content-type': 'application/json' }

type Request = { method: string; path: string; text: string | null; headers: Record<string, string> }

export async function request(
  origin: string,
  caller: Caller,
  { method, path, text, headers }: Request,
): Promise<Answer> {
  const response = await fetch(`${origin}${path}`, {
    method,
    redirect: 'manual',
    headers: { 'accept-encoding': 'identity', ...caller.headers, ...headers },
    ...(text === null ? {} : { body: text }),
  })
  const body = Buffer.from(await response.arrayBuffer())
  const answered = body.toString()
  const { status } = response
  return { status, headers: response.headers, length: body.length, text: answered, json: jsonOf(answered) as Members }
}

export async function usualHeaders(url: string): Promise<ReadonlyMap<string, string>> {
  const { origin, pathname } = new URL(url)
  const asked = { method: 'GET', path: pathname, text: null, headers: {} }
  const { headers, length } = await request(origin, { name: '', headers: {} }, asked)
  const stay = [...headers].filter(([name]) => !NEVER.has(name))
  return new Map(stay.map(([name, value]) => [name, stable(name, value, length)]))
}

export class Chapter {
  readonly exchanges: Exchange[] = []
  readonly #origin: string
  readonly #usual: UsualHeaders
  readonly #known: Known

  /** @param known texts that have a name of their own, as the address of the service */
  constructor(origin: string, usual: UsualHeaders, known: Known) {
    this.#origin = origin
    this.#usual = usual
    this.#known = known
  }

  async send(
    title: string,
    caller: Caller,
    method: string,
    path: string,
    body?: unknown,
    more: More = {},
  ): Promise<Answer> {
    const sentText = more.text ?? (body === undefined ? null : JSON.stringify(body))
    const sentHeaders = { ...(sentText === null ? {} : JSON_HEADERS), ...more.headers }
    const answer = await request(this.#origin, caller, { method, path, text: sentText, headers: sentHeaders })
    this.exchanges.push({
      title,
      caller,
      method,
      path,
      sentText,
      sentHeaders,
      answer,
      answerHeaders: this.#headersOf(path, answer, more),
      omitBody: more.omitBody === true,
      known: this.#known,
      answeredAt: Date.now(),
    })
    return answer
  }

  #headersOf(path: string, { headers, length }: Answer, { allHeaders, exactLimits }: More): string[] {
    const usual = this.#usual[path.startsWith('/api/') ? '/api/' : '/v1/']
    const missing = [...usual.keys()].filter((name) => !headers.has(name)).map((name) => `without ${name}`)
    const present = [...headers]
      .filter(([name]) => !NEVER.has(name))
      .map(([name, value]): [string, string] => [name, stable(name, value, length, exactLimits === true)])
      .filter(([name, value]) => allHeaders === true || usual.get(name) !== value)
      .map(([name, value]) => withKinds(`${name}: ${value}`, this.#known))
    return [...missing, ...present]
  }
}

/** Values that differ between two runs and are no ids. */
function stable(name: string, value: string, length: number, isExact = false): string {
  if (name === 'server-timing') return value.replaceAll(/dur=[\d.]+/g, 'dur=<ms>')
  if (name === 'x-request-id') return '<request>'
  if (name === 'content-length') return Number(value) === length ? '<of the body>' : value
  if (name === 'x-ratelimit-remaining' && !isExact) return '<number>'
  if (['x-ratelimit-reset', 'retry-after', 'retry-after-ms'].includes(name)) return '<number>'
  return value
}
