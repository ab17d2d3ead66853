// Asks a timestamp authority over HTTP (RFC 3161, section 3.4): one question, within its time, and no more read than a token has.
import { TimeLimitError, withinTime, type Clock } from '../platform/clock.ts'
import { readUpTo } from '../platform/bytes.ts'
import {
  formatTimestampQuery,
  makeNonce,
  readTimestampAnswer,
  type ReadAnswer,
} from '../evidence/timestamp/timestamp-query.ts'

/** `failed`: it answered with a status that is not 200. */
export type AuthorityAnswer =
  | ReadAnswer
  | { readonly outcome: 'answer_too_large' | 'failed' | 'timed_out' | 'unreachable' }

export type AskingAuthority = {
  readonly url: string
  /** SHA-256 of what is to be stamped. */
  readonly imprint: Uint8Array
  readonly clock: Clock
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  readonly limitMs?: number
}

const LIMIT_MS = 10_000

/** Some KiB of certificates are usual. */
const MOST_ANSWER_BYTES = 32 * 1024

/** Never rejects. */
export async function askAuthority(asking: AskingAuthority): Promise<AuthorityAnswer> {
  const abort = new AbortController()
  try {
    return await withinTime(ask(asking, abort.signal), asking.limitMs ?? LIMIT_MS)
  } catch (thrown) {
    return { outcome: thrown instanceof TimeLimitError ? 'timed_out' : 'unreachable' }
  } finally {
    abort.abort()
  }
}

async function ask({ url, imprint, clock, fetch }: AskingAuthority, signal: AbortSignal): Promise<AuthorityAnswer> {
  const query = { imprint, nonce: makeNonce() }
  // SECURITY: an authority that sends on elsewhere would choose whom this service talks to.
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/timestamp-query', accept: 'application/timestamp-reply' },
    body: formatTimestampQuery(query),
    redirect: 'manual',
    signal,
  })
  const answer = await readUpTo(MOST_ANSWER_BYTES, response)
  if (answer === null) return { outcome: 'answer_too_large' }
  return response.status === 200 ? readTimestampAnswer(answer, query, clock()) : { outcome: 'failed' }
}
