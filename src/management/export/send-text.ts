// Sends text to a caller as it is made: no more is made than the caller takes, and a caller who leaves ends it.
import { framesOf, log } from '../../platform/log.ts'
import { withinTime } from '../../platform/time-limit.ts'

/** What is handed over at once: how slowly somebody may read is this in the time below. */
const PIECE_BYTES = 64 * 1024
const STALL_LIMIT_MS = 60_000

type Sending = {
  requestId: string
  organisationId: string
  /** Keeps the task alive that sends. */
  waitUntil: (task: Promise<void>) => void
}

/**
 * What ends early is a text without its end, and must be seen by that: the runtime may end the body of an answer properly
 * though what makes it has failed.
 */
export function sendText(
  texts: AsyncIterable<string>,
  { requestId, organisationId, waitUntil }: Sending,
): ReadableStream {
  const { readable, writable } = new IdentityTransformStream()
  const writer = writable.getWriter()
  const told = { event: 'export_ended', request_id: requestId, organisation_id: organisationId } as const

  async function send(): Promise<void> {
    try {
      for await (const text of texts) await write(writer, text)
      await writer.close()
      log({ level: 'info', ...told, outcome: 'sent' })
    } catch (thrown) {
      const error = { error_class: thrown instanceof Error ? thrown.name : typeof thrown, thrown_at: framesOf(thrown) }
      log({ level: 'error', ...told, outcome: 'broken_off', ...error })
      await writer.abort(thrown).catch(() => {})
    }
  }

  waitUntil(send())
  return readable
}

async function write(writer: WritableStreamDefaultWriter, text: string): Promise<void> {
  const bytes = new TextEncoder().encode(text)
  for (let at = 0; at < bytes.byteLength; at += PIECE_BYTES) {
    await withinTime(writer.write(bytes.slice(at, at + PIECE_BYTES)), STALL_LIMIT_MS)
  }
}
