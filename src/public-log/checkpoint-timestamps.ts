// Gets a third party's timestamp (RFC 3161) for one checkpoint an hour, and stores it. Nothing waits for it. If the authority
// fails for a whole hour, that hour has no token.
import { type Clock, TimeLimitError, withTimeLimit } from '../platform/time.ts'
import { sha256 } from '../platform/sha256.ts'
import { formatTimestampedCheckpoint } from '../evidence/timestamp/timestamp-token.ts'
import { readUpTo } from '../platform/bytes.ts'
import {
  formatTimestampQuery,
  makeNonce,
  readTimestampResponse,
  type TimestampResponse,
} from '../evidence/timestamp/timestamp-protocol.ts'

/** The operations on the public log's files that `CheckpointTimestamps` needs. */
type TimestampFiles = {
  readCheckpoint: () => Promise<{ readonly note: string; readonly signedAt: number } | null>
  hasTimestamp: (hour: string) => Promise<boolean>
  storeTimestamp: (hour: string, text: string) => Promise<void>
}

type Parts = {
  /** The URL of the timestamp authority. */
  authority: string
  files: TimestampFiles
  clock: Clock
  fetch: AuthorityRequest['fetch']
}

export type TimestampOutcome = 'nothing_due' | 'stored' | Exclude<AuthorityAnswer['outcome'], 'granted'>

/** Returns the UTC hour of a time in milliseconds since the epoch, such as `2026-11-20T13Z`. */
export const hourOf = (at: number): string => `${new Date(at).toISOString().slice(0, 13)}Z`

export function isHour(text: string): boolean {
  const at = Date.parse(text.replace(/Z$/, ':00Z'))
  return !Number.isNaN(at) && hourOf(at) === text
}

/** The wait after a failed request to the authority. */
const RETRY_MS = 60_000

export class CheckpointTimestamps {
  readonly #parts: Parts
  /** The last hour known to have a token. */
  #hour: string | null = null
  #askedAt = -Infinity
  #running: Promise<TimestampOutcome> | null = null

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Gets a token for the served checkpoint if its hour has none. Concurrent calls share one run. Rejects if R2 fails. */
  stampIfDue(): Promise<TimestampOutcome> {
    this.#running ??= this.#stamp().finally(() => {
      this.#running = null
    })
    return this.#running
  }

  async #stamp(): Promise<TimestampOutcome> {
    const { authority, files, clock, fetch } = this.#parts
    if (this.#isTooSoon(clock()) || this.#hour === hourOf(clock())) return 'nothing_due'
    const servedCheckpoint = await files.readCheckpoint()
    if (servedCheckpoint === null) return 'nothing_due'
    const hour = hourOf(servedCheckpoint.signedAt)
    if (this.#hour === hour || (await files.hasTimestamp(hour))) {
      this.#hour = hour
      return 'nothing_due'
    }
    this.#askedAt = clock()
    const answer = await askAuthority({ url: authority, imprint: sha256(servedCheckpoint.note), clock, fetch })
    if (answer.outcome !== 'granted') return answer.outcome
    await files.storeTimestamp(
      hour,
      formatTimestampedCheckpoint({ checkpoint: servedCheckpoint.note, token: answer.token }),
    )
    this.#hour = hour
    return 'stored'
  }

  /** Returns false if the clock was set back since the last request. */
  #isTooSoon(now: number): boolean {
    return now >= this.#askedAt && now - this.#askedAt < RETRY_MS
  }
}

/** `failed`: the authority answered with a status other than 200. */
export type AuthorityAnswer =
  | TimestampResponse
  | { readonly outcome: 'answer_too_large' | 'failed' | 'timed_out' | 'unreachable' }

export type AuthorityRequest = {
  readonly url: string
  /** SHA-256 of the data to stamp. */
  readonly imprint: Uint8Array
  readonly clock: Clock
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  readonly limitMs?: number
}

const LIMIT_MS = 10_000

/** Answers usually have some KiB of certificates. */
const MOST_ANSWER_BYTES = 32 * 1024

/** Asks the authority for one timestamp. Never rejects. */
export async function askAuthority(asking: AuthorityRequest): Promise<AuthorityAnswer> {
  const abort = new AbortController()
  try {
    return await withTimeLimit(ask(asking, abort.signal), asking.limitMs ?? LIMIT_MS)
  } catch (thrown) {
    return { outcome: thrown instanceof TimeLimitError ? 'timed_out' : 'unreachable' }
  } finally {
    abort.abort()
  }
}

async function ask({ url, imprint, clock, fetch }: AuthorityRequest, signal: AbortSignal): Promise<AuthorityAnswer> {
  const query = { imprint, nonce: makeNonce() }
  // SECURITY: following a redirect would let the authority choose another host for this service to call.
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/timestamp-query', accept: 'application/timestamp-reply' },
    body: formatTimestampQuery(query),
    redirect: 'manual',
    signal,
  })
  const answer = await readUpTo(MOST_ANSWER_BYTES, response)
  if (answer === null) return { outcome: 'answer_too_large' }
  return response.status === 200 ? readTimestampResponse(answer, query, clock()) : { outcome: 'failed' }
}
