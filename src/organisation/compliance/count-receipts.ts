// The receipts of the latest whole days, counted one by one by the time that each has signed: what usage counts is compared with it.
import { z } from 'zod'
import { RECEIPT_TAG } from '../../attestation/receipt-entry.ts'
import { utcDay } from '../../platform/clock.ts'
import { readJson } from '../../platform/json-object.ts'

/** Rows of the log in one step, and in all: a call waits for a step at most. */
const AT_ONCE = 500
const MOST_ROWS = 20_000

/** Whole UTC days since the epoch, both included. */
export type CountedDays = { first: number; last: number; receipts: number }

type Row = { position: number; entry: ArrayBuffer }

const TimeSchema = z.object({ timestamp: z.iso.datetime() })

/**
 * Of the days of a period that are wholly among the rows at hand, from the newest back. Null where there is none.
 * @param size how many entries there were when usage was counted
 */
export async function countReceipts(
  sql: SqlStorage,
  { first, last, size }: { first: number; last: number; size: number },
): Promise<CountedDays | null> {
  const perDay = new Map<number, number>()
  let [before, oldest, looked] = [size, Infinity, 0]
  while (before > 0 && oldest >= first && looked < MOST_ROWS) {
    const rows = sql
      .exec<Row>(
        `SELECT position, iif(id IS NULL, x'', entry) AS entry FROM entries
         WHERE position < ? ORDER BY position DESC LIMIT ${AT_ONCE}`,
        before,
      )
      .toArray()
    if (rows.length === 0) break
    for (const { entry } of rows) {
      const day = dayOf(new Uint8Array(entry))
      if (day === null) continue
      oldest = Math.min(oldest, day)
      perDay.set(day, (perDay.get(day) ?? 0) + 1)
    }
    looked += rows.length
    before = rows.at(-1)?.position ?? 0
    await scheduler.wait(0)
  }
  // Of the oldest day there may be more where the rows end.
  const whole = Math.max(first, before === 0 || oldest === Infinity ? first : oldest + 1)
  if (whole > last) return null
  const receipts = [...perDay].reduce((sum, [day, count]) => (day >= whole && day <= last ? sum + count : sum), 0)
  return { first: whole, last, receipts }
}

/** Null for what is no receipt, or has lost its content. */
function dayOf(entry: Uint8Array): number | null {
  if (entry.length === 0 || entry[0] !== RECEIPT_TAG) return null
  const read = TimeSchema.safeParse(readJson(new TextDecoder().decode(entry.subarray(1)))).data
  return read === undefined ? null : utcDay(Date.parse(read.timestamp))
}
