// Counts the receipts of the latest whole days one by one, by the time that each has signed, to compare usage counts with it.
import { z } from 'zod'
import { utcDay } from '../../platform/time.ts'
import { readJson } from '../../platform/json.ts'

/** Rows of the log in one step, and in all: a call waits for a step at most. */
const AT_ONCE = 500
const MOST_ROWS = 20_000

/** Whole UTC days since the epoch, both included. */
export type CountedDays = { first: number; last: number; receipts: number }

/** `entry`: empty of what is no receipt, and of a receipt whose retention is over. */
type Row = { position: number; at: number; isReceipt: number; entry: ArrayBuffer }

const TimeSchema = z.object({ timestamp: z.iso.datetime() })

/**
 * Counts receipts on the days of a period that are wholly among the rows at hand, from the newest back. Null if no day is.
 * @param size how many entries there were when usage was counted
 */
export async function countReceipts(
  sql: SqlStorage,
  { first, last, size }: { first: number; last: number; size: number },
): Promise<CountedDays | null> {
  const perDay = new Map<number, number>()
  let [before, looked] = [size, 0]
  /** The first day that is looked at, of which there may be more where the rows end. */
  let oldest = Infinity
  let isWhole = before === 0
  while (!isWhole && oldest >= first && looked < MOST_ROWS) {
    const rows = readBack(sql, before)
    const over = rows.find(({ isReceipt, entry }) => isReceipt === 1 && entry.byteLength === 0)
    const readable = over === undefined ? rows : rows.slice(0, rows.indexOf(over))
    for (const { isReceipt, entry } of readable) {
      const day = isReceipt === 1 ? dayOf(new Uint8Array(entry)) : null
      if (day === null) continue
      oldest = Math.min(oldest, day)
      perDay.set(day, (perDay.get(day) ?? 0) + 1)
    }
    if (over !== undefined) oldest = Math.min(oldest, utcDay(over.at))
    before = rows.at(-1)?.position ?? -1
    isWhole = before === 0 && over === undefined
    if (over !== undefined || before <= 0) break
    looked += rows.length
    await scheduler.wait(0)
  }
  const whole = isWhole ? first : Math.max(first, oldest + 1)
  if (whole > last) return null
  const receipts = [...perDay].reduce((sum, [day, count]) => (day >= whole && day <= last ? sum + count : sum), 0)
  return { first: whole, last, receipts }
}

/** Reads rows from the newest back. */
const readBack = (sql: SqlStorage, before: number): Row[] =>
  sql
    .exec<Row>(
      `SELECT position, at, id IS NOT NULL AS isReceipt, iif(id IS NULL, x'', entry) AS entry FROM entries
       WHERE position < ? ORDER BY position DESC LIMIT ${AT_ONCE}`,
      before,
    )
    .toArray()

function dayOf(entry: Uint8Array): number | null {
  const read = TimeSchema.safeParse(readJson(new TextDecoder().decode(entry.subarray(1)))).data
  return read === undefined ? null : utcDay(Date.parse(read.timestamp))
}
