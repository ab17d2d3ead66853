// Finds the log positions of some days, for audit trails and exports. Uses bisection, as entries are in the order of their times.
import { DAY_MS } from '../../platform/time.ts'
import type { LeafReader } from './leaf-reader.ts'

/** Whole UTC days since the epoch, both included. */
export type Days = { readonly first: number; readonly last: number }

/** Positions from `first` to before `end`. */
export type Positions = { readonly first: number; readonly end: number }

type Reader = Pick<LeafReader, 'firstKnown' | 'firstAndLastUnreadable'>

/**
 * Returns the range from the first to the last entry of these days whose time is known. Deleted entries at its edges have no
 * known day and are excluded. Unreadable entries at the edges are included. A clock set back by more than ten
 * minutes leaves times out of order: then entries of the days may be missing, or others included.
 *
 * @param size of the log
 */
export async function positionsOfDays(
  reader: Reader,
  { first, last }: Days,
  size: number,
  now: number,
): Promise<Positions> {
  const from = await bisect(reader, first * DAY_MS, { from: 0, before: size }, now)
  const end = await bisect(reader, (last + 1) * DAY_MS, { from, before: size }, now)
  const known = await reader.firstKnown({ from, before: size }, now)
  const next = await reader.firstKnown({ from: end, before: size }, now)
  const none = known === null ? size : end
  const firstOfDays = known !== null && known.position < end ? known.position : none
  const before = await reader.firstAndLastUnreadable({ from, before: Math.min(firstOfDays, end) }, now)
  const after = await reader.firstAndLastUnreadable({ from: end, before: next?.position ?? size }, now)
  return {
    first: before?.first ?? (after === null ? firstOfDays : Math.min(firstOfDays, after.first)),
    end: after === null ? none : after.last + 1,
  }
}

/** Returns the position after the last known entry from before `time`; `from` if there is none. */
async function bisect(
  reader: Reader,
  time: number,
  { from, before }: { from: number; before: number },
  now: number,
): Promise<number> {
  let [low, high] = [from, before]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const known = await reader.firstKnown({ from: middle, before: high }, now)
    if (known !== null && known.at < time) low = known.position + 1
    else high = middle
  }
  return low
}
