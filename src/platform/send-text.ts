// Sends text to a caller as it is made: no more is made than the caller takes, and a caller who leaves ends it.
import type { Clock } from './clock.ts'
import { describeThrown, log } from './log.ts'
import { TimeLimitError, withinTime } from './time-limit.ts'

/** What is handed over at once: how slowly somebody may read is this in the time below. */
const PIECE_BYTES = 64 * 1024
const STALL_LIMIT_MS = 60_000
/** The largest takes minutes. Without an end, whoever reads that slowly would have ever more of them at once, each with its page. */
const LIMIT_MS = 3_600_000

type Sending = {
  requestId: string
  organisationId: string
  clock: Clock
  /** Keeps the task alive that sends. */
  waitUntil: (task: Promise<void>) => void
}

/**
 * What ends early is a text without its end, and must be seen by that: the runtime may end the body of an answer properly
 * though what makes it has failed.
 */
export function sendText(
  texts: AsyncIterable<string>,
  { requestId, organisationId, clock, waitUntil }: Sending,
): ReadableStream {
  const { readable, writable } = new IdentityTransformStream()
  const writer = writable.getWriter()
  const told = { event: 'export_ended', request_id: requestId, organisation_id: organisationId } as const
  const endsAt = clock() + LIMIT_MS
  let isTaken = true

  /** Fails where whoever reads has left or is too slow: that is no failure of ours. */
  async function hand(over: () => Promise<void>): Promise<void> {
    isTaken = false
    if (clock() >= endsAt) throw new TimeLimitError()
    await withinTime(over(), STALL_LIMIT_MS)
    isTaken = true
  }

  async function write(text: string): Promise<void> {
    const bytes = new TextEncoder().encode(text)
    for (let at = 0; at < bytes.byteLength; at += PIECE_BYTES) {
      await hand(() => writer.write(bytes.slice(at, at + PIECE_BYTES)))
    }
  }

  async function send(): Promise<void> {
    try {
      for await (const text of texts) await write(text)
      await hand(() => writer.close())
      log({ level: 'info', ...told, outcome: 'sent' })
    } catch (thrown) {
      if (isTaken) log({ level: 'error', ...told, outcome: 'broken_off', ...describeThrown(thrown) })
      else log({ level: 'info', ...told, outcome: 'not_taken', ...describeThrown(thrown) })
      await writer.abort(thrown).catch(() => {})
    }
  }

  waitUntil(send())
  return readable
}
