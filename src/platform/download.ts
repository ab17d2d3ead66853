// Makes downloads: rows as CSV (RFC 4180), and text that is sent while it is written.
import { stringify, type Options } from 'csv-stringify/sync'
import { TimeLimitError, withTimeLimit, type Clock } from './time.ts'
import { describeThrown, log } from './log.ts'

const OPTIONS: Options = {
  escape_formulas: true,
  record_delimiter: 'windows',
  // Without this, a line break of another kind than the rows' own would not be quoted.
  quoted_match: /[\r\n]/,
  // The library would write true as 1.
  cast: { boolean: String },
}

/**
 * Finds a formula after a semicolon, tab or line break within a cell, which gets an apostrophe too. Spreadsheets
 * whose decimal mark is a comma begin a cell at a semicolon, even inside quotes.
 */
const FORMULA_WITHIN_CELL = /(?<=[;\t\r\n])(?=[=+\-@\t\r＝＋－＠])/gu

/**
 * Returns rows as CSV, each ending in a line break. A formula gets an apostrophe, so that a spreadsheet does not run it.
 * @see https://www.rfc-editor.org/rfc/rfc4180#section-2
 */
export const csv = (rows: string[][]): string =>
  stringify(
    rows.map((cells) => cells.map((cell) => cell.replaceAll(FORMULA_WITHIN_CELL, "'"))),
    OPTIONS,
  )

/** The bytes of one write. A caller must read this much within the stall limit. */
const PIECE_BYTES = 64 * 1024
const STALL_LIMIT_MS = 60_000
/** The largest download takes minutes. Without a limit slow readers would pile up, each with a page in memory. */
const LIMIT_MS = 3_600_000

type Sending = {
  requestId: string
  organisationId: string
  clock: Clock
  waitUntil: (task: Promise<void>) => void
}

/**
 * Sends text as it is made, no faster than the caller reads, and stops if the caller disconnects. The text must mark its own
 * end, because the runtime may end a body normally although its source has failed.
 */
export function sendText(
  texts: AsyncIterable<string>,
  { requestId, organisationId, clock, waitUntil }: Sending,
): ReadableStream {
  const { readable, writable } = new IdentityTransformStream()
  const writer = writable.getWriter()
  const logged = { event: 'export_ended', request_id: requestId, organisation_id: organisationId } as const
  const endsAt = clock() + LIMIT_MS
  let isLastWriteTaken = true

  /** Rejects if the reader has disconnected or is too slow, which is not a fault of this service. */
  async function writeWithLimit(operation: () => Promise<void>): Promise<void> {
    isLastWriteTaken = false
    if (clock() >= endsAt) throw new TimeLimitError()
    await withTimeLimit(operation(), STALL_LIMIT_MS)
    isLastWriteTaken = true
  }

  async function write(text: string): Promise<void> {
    const bytes = new TextEncoder().encode(text)
    for (let at = 0; at < bytes.byteLength; at += PIECE_BYTES) {
      await writeWithLimit(() => writer.write(bytes.slice(at, at + PIECE_BYTES)))
    }
  }

  async function send(): Promise<void> {
    try {
      for await (const text of texts) {
        await write(text)
        // Other requests get a turn here. Without it, they would wait for a reader who is as quick as the writer.
        await scheduler.wait(0)
      }
      await writeWithLimit(() => writer.close())
      log({ level: 'info', ...logged, outcome: 'sent' })
    } catch (thrown) {
      if (isLastWriteTaken) log({ level: 'error', ...logged, outcome: 'broken_off', ...describeThrown(thrown) })
      else log({ level: 'info', ...logged, outcome: 'not_taken', ...describeThrown(thrown) })
      await writer.abort(thrown).catch(() => {})
    }
  }

  waitUntil(send())
  return readable
}
