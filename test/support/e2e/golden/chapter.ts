// Records requests and their answers as text. A chapter is one file of the transcript.
import { Placeholders } from './placeholders.ts'

/** Members of answers that a script goes on with. Which of them there are is for the script to know. */
export type Members = {
  id: string
  key: string
  state: string
  authorization_url: string
  error: { approval_id: string }
  data: { id: string; email: string; current: boolean; state: string; ending: string | null }[]
  datasets: { datasetVersion: { hash: string } }[]
}

export type Answer = { status: number; headers: Headers; text: string; json: Members }

/** Somebody who sends requests: a person, a key, the operator, nobody. */
export type Caller = { name: string; headers: Record<string, string> }

export type Sent = { method: string; path: string; status: number }

type More = {
  headers?: Record<string, string>
  /** Sent as it is. `body` is sent as JSON. */
  text?: string
  /** The body is not recorded. */
  omitBody?: boolean
  /** The body is recorded as it came, however long. */
  oneLine?: boolean
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
  const answered = await response.text()
  const { status } = response
  return { status, headers: response.headers, text: answered, json: parsed(answered) as Members }
}

export async function usualHeaders(url: string): Promise<ReadonlyMap<string, string>> {
  const { origin, pathname } = new URL(url)
  const asked = { method: 'GET', path: pathname, text: null, headers: {} }
  const { headers, text } = await request(origin, { name: '', headers: {} }, asked)
  const stay = [...headers].filter(([name]) => !NEVER.has(name))
  return new Map(stay.map(([name, value]) => [name, stable(name, value, text)]))
}

export class Chapter {
  readonly sent: Sent[] = []
  readonly #origin: string
  readonly #usual: UsualHeaders
  readonly #placeholders: Placeholders
  readonly #parts: string[] = []

  constructor(origin: string, usual: UsualHeaders, known: Record<string, string>) {
    this.#origin = origin
    this.#usual = usual
    this.#placeholders = new Placeholders(known)
  }

  text(): string {
    return `${this.#parts.join('\n\n\n')}\n`
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
    const shown = { ...(sentText === null ? {} : JSON_HEADERS), ...more.headers }
    const answer = await request(this.#origin, caller, { method, path, text: sentText, headers: shown })
    this.sent.push({ method, path: path.split('?')[0] ?? '', status: answer.status })
    const own = answer.headers.get('x-request-id') ?? '<request>'
    const lines = [
      `### ${title} (${caller.name})`,
      `${method} ${path}`,
      ...Object.entries(shown).map(([name, value]) => `${name}: ${value}`),
      ...(sentText === null ? [] : ['', shorten(sentText)]),
      '',
      `${answer.status}`,
      ...this.#headerLines(path, answer, more),
      ...(answer.text === '' ? [] : ['', bodyOf(answer, more)]),
    ]
    this.#parts.push(this.#placeholders.replaceIn(visible(lines.join('\n').replaceAll(own, '<request>'))))
    return answer
  }

  #headerLines(path: string, { headers, text }: Answer, { allHeaders, exactLimits }: More): string[] {
    const usual = this.#usual[path.startsWith('/api/') ? '/api/' : '/v1/']
    const missing = [...usual.keys()].filter((name) => !headers.has(name)).map((name) => `(without ${name})`)
    const present = [...headers]
      .filter(([name]) => !NEVER.has(name))
      .map(([name, value]): [string, string] => [name, stable(name, value, text, exactLimits === true)])
      .filter(([name, value]) => allHeaders === true || usual.get(name) !== value)
      .map(([name, value]) => `${name}: ${value}`)
    return [...missing, ...present]
  }
}

/** Values that differ between two runs and are no ids. */
function stable(name: string, value: string, text: string, isExact = false): string {
  if (name === 'server-timing') return value.replaceAll(/dur=[\d.]+/g, 'dur=<ms>')
  if (name === 'x-request-id') return '<request>'
  if (name === 'content-length') return Number(value) === Buffer.byteLength(text) ? '<of the body>' : value
  if (name === 'x-ratelimit-remaining' && !isExact) return '<number>'
  if (['x-ratelimit-reset', 'retry-after', 'retry-after-ms'].includes(name)) return '<number>'
  return value
}

function bodyOf({ text, headers }: Answer, { omitBody, oneLine }: More): string {
  if (omitBody === true) return '(a body)'
  if (headers.get('content-type')?.startsWith('text/csv') === true) return withoutDurations(text)
  return oneLine === true ? text : readable(text)
}

/** A table without the values of the columns that hold milliseconds. */
function withoutDurations(csv: string): string {
  const [head = '', ...rows] = csv.split('\r\n')
  const names = head.split(',')
  return [head, ...rows.map((row) => (row === '' ? row : maskRow(row, names)))].join('\r\n')
}

const maskRow = (row: string, names: readonly string[]): string =>
  [...row.matchAll(/("(?:[^"]|"")*"|[^,"]*)(?:,|$)/g)]
    .slice(0, names.length)
    .map(([, value = ''], index) => (value !== '' && /_ms\b|_ms_/.test(names[index] ?? '') ? '<ms>' : value))
    .join(',')

/** Indented, where that changes nothing but white space. */
function readable(text: string): string {
  const value = parsed(text)
  return value !== undefined && JSON.stringify(value) === text ? JSON.stringify(value, null, 2) : text
}

/** A carriage return would be lost where a file of the transcript is compared. */
const visible = (text: string): string => text.replaceAll('\r', '<CR>')

const shorten = (text: string): string =>
  text.length > 4000 ? `${text.slice(0, 60)}… (${text.length} characters)` : text

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
