// Sends the contract checks' calls to the deployment under test, as a client would. Records every answer, for checks that look at
// all answers, and stays within the limits of the given keys.
import { memberOf, parseJson } from './json-answers.ts'

export type Call = {
  /** The method; GET if undefined. */
  readonly method?: string
  readonly path: string
  /** The API key to send. Undefined sends one of the run's own keys, null sends none. */
  readonly key?: string | null
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>
}

export type Answer = {
  /** The method and path, such as `POST /v1/referral/read`. */
  readonly call: string
  /** True if the call had a valid key and the route needs one. */
  readonly keyed: boolean
  readonly status: number
  readonly headers: Headers
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly text: string
  /** The body as JSON; undefined if it is not JSON. */
  readonly json: unknown
}

export type Deployment = {
  readonly baseUrl: string
  /** The origin of its pages. */
  readonly origin: string
  /** The first of the given keys. */
  readonly key: string
  readonly send: (call: Call) => Promise<Answer>
  /** Sends a GET once per run, and returns the same answer to every check. */
  readonly getOnce: (path: string) => Promise<Answer>
  readonly answers: readonly Answer[]
  readonly waitedMs: () => number
}

type Settings = {
  readonly baseUrl: string
  readonly origin: string
  readonly keys: readonly [string, ...string[]]
  readonly limitedKey: string | null
  readonly wait: (ms: number) => Promise<void>
  readonly report: (line: string) => void
}

const ANSWER_LIMIT_MS = 30_000
const KEYED_ROUTE = /^\/v1\/(specialties|waiting-lists|examples|datasets|referral\/read)(\?|$)/
const ATTEMPTS = 3

export function connect({ baseUrl, origin, keys, limitedKey, wait, report }: Settings): Deployment {
  const answers: Answer[] = []
  const once = new Map<string, Promise<Answer>>()
  const rates = new Map<string, Rate | null>(keys.map((key) => [key, null]))
  const goodKeys = new Set<string | null>([...keys, ...(limitedKey === null ? [] : [limitedKey])])
  let waitedMs = 0

  async function pause(ms: number): Promise<void> {
    if (ms <= 0) return
    report(`waiting ${Math.ceil(ms / 1000)} s for the rate limit (${answers.length} calls so far)`)
    waitedMs += ms
    await wait(ms)
  }

  /** Waits until one of the keys may be used, and returns it. */
  async function nextKey(): Promise<string> {
    const now = Date.now()
    let chosen = { key: keys[0], ms: Number.POSITIVE_INFINITY }
    for (const [key, rate] of rates) {
      const ms = rate === null ? 0 : waitBeforeNextCall(rate, now)
      if (ms < chosen.ms) chosen = { key, ms }
    }
    await pause(chosen.ms)
    return chosen.key
  }

  async function exchange(call: Call, key: string | null): Promise<Answer> {
    const { method = 'GET', path, headers = {}, body } = call
    const response = await fetch(baseUrl + path, {
      method,
      headers: { ...(key === null ? {} : { authorization: `Bearer ${key}` }), ...headers },
      ...(body === undefined ? {} : { body }),
      ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
    })
    const bytes = new Uint8Array(await response.arrayBuffer())
    const text = new TextDecoder().decode(bytes)
    const answer = {
      call: `${method} ${path}`,
      keyed: goodKeys.has(key) && KEYED_ROUTE.test(path) && response.status !== 405 && method !== 'OPTIONS',
      status: response.status,
      headers: response.headers,
      bytes,
      text,
      json: parseJson(text),
    }
    answers.push(answer)
    return answer
  }

  async function send(call: Call): Promise<Answer> {
    if (call.key !== undefined) return exchange(call, call.key)
    for (let attempt = 1; ; attempt++) {
      const key = await nextKey()
      const answer = await exchange(call, key)
      rates.set(key, rateOf(answer.headers) ?? rates.get(key) ?? null)
      const again = answer.status === 429 ? waitAfterRefusal(memberOf(answer.json, 'error', 'retry_after')) : null
      if (again === null || attempt === ATTEMPTS) return answer
      await pause(again)
      rates.set(key, null)
    }
  }

  function getOnce(path: string): Promise<Answer> {
    const made = once.get(path) ?? send({ path })
    once.set(path, made)
    return made
  }

  return { baseUrl, origin, key: keys[0], send, getOnce, answers, waitedMs: () => waitedMs }
}

type Rate = { readonly remaining: number; readonly resetAtMs: number }

const MINUTE_MS = 60_000
// A longer wait means that the day's limit is used up. The operator decides whether to wait for that.
const LONGEST_WAIT_MS = MINUTE_MS + 5_000
// The server's clock and ours differ slightly, and its reset is in whole seconds.
const MARGIN_MS = 250

function rateOf(headers: Headers): Rate | null {
  const remaining = headers.get('x-ratelimit-remaining')
  const reset = headers.get('x-ratelimit-reset')
  if (remaining === null || reset === null) return null
  const rate = { remaining: Number(remaining), resetAtMs: Number(reset) * 1000 }
  return Number.isFinite(rate.remaining) && Number.isFinite(rate.resetAtMs) ? rate : null
}

/** Returns the milliseconds until a key has a call left in its rolling minute; 0 if waiting does not help. */
export function waitBeforeNextCall({ remaining, resetAtMs }: Rate, nowMs: number): number {
  if (remaining > 0 || resetAtMs <= nowMs) return 0
  const ms = resetAtMs - nowMs + MARGIN_MS
  return ms <= LONGEST_WAIT_MS ? ms : 0
}

/** Returns the milliseconds to wait after a 429 before the call is sent again; null if it should not be. */
export function waitAfterRefusal(retryAfter: unknown): number | null {
  if (typeof retryAfter !== 'number' || retryAfter < 1) return null
  const ms = retryAfter * 1000 + MARGIN_MS
  return ms <= LONGEST_WAIT_MS ? ms : null
}
