// Checks the log for the compliance checklist: its tree, and the keys of its sealed data. Finds the calls that were marked as
// incidents, and counts the receipts of the latest whole days, and the days on which a budget refused most calls.
import {
  INCIDENT_SUBJECT,
  type DataFacts,
  type Facts,
  type MonitoringFacts,
  type Statement,
  type TreeFacts,
} from '../../reports/controls/control.ts'
import { formatUuid } from '../../platform/ids.ts'
import { DamagedTileError, MissingLeavesError, type TiledLog } from '../../tiles/tiled-log.ts'
import { proveConsistencyAt, type KnownTree } from '../../tiles/proofs-from-tiles.ts'
import { contentOf } from '../../evidence/entry.ts'
import type { ObjectParts } from '../object-parts.ts'
import { EntriesStore } from '../journal/entries.store.ts'
import type { LogReader } from '../journal/log-reader.ts'
import * as z from 'zod'
import { once } from '../../platform/once.ts'
import { HOUR_MS, utcDay } from '../../platform/time.ts'
import { readJson } from '../../platform/json.ts'

/** Only the latest incidents are looked up, because each may have to be fetched from R2. */
const MOST_INCIDENTS = 20

type Incidents = MonitoringFacts['incidents']

/** Entries that are only planned for sealing are still in the database and have no key yet. */
const SEALED_QUERY = `
  SELECT COUNT(*) AS objects, COUNT(*) - COUNT(data_keys.key) AS withoutKey,
    EXISTS (SELECT 1 FROM data_keys WHERE purpose = 'content' AND key IS NOT NULL) AS hasContentKey
  FROM sealed_details
  LEFT JOIN data_keys ON data_keys.number = sealed_details.data_key AND data_keys.purpose = 'ledger'
  WHERE sealed_details.data_key IS NOT NULL`

/** Checks that the nodes of the tree, wherever stored, lead to the root of signed heads. Rejects if R2 fails. */
export async function checkTree(log: TiledLog, tree: KnownTree): Promise<TreeFacts> {
  const { size } = tree
  if (size === 0) return { size, rootMatches: null }
  const proof = await fallbackIfDamaged(proveConsistencyAt(log, { oldSize: size, newSize: size }, tree), null)
  return { size, rootMatches: proof !== null }
}

export function readSealedData(sql: SqlStorage): DataFacts['sealed'] {
  const { objects, withoutKey, hasContentKey } = sql
    .exec<{ objects: number; withoutKey: number; hasContentKey: number }>(SEALED_QUERY)
    .one()
  return { objects, withoutKey, hasContentKey: hasContentKey === 1 }
}

/** Rejects if R2 or the public log's index fails. */
export async function findIncidents(
  logReader: Pick<LogReader, 'findCall'>,
  statements: readonly Statement[],
  now: number,
): Promise<Incidents> {
  const marked = statements
    .flatMap(({ subject, statedAt }) => {
      const digits = INCIDENT_SUBJECT.exec(subject)?.[1]
      return digits === undefined ? [] : [{ subject, statedAt, digits }]
    })
    .toSorted((one, other) => other.statedAt - one.statedAt)
    .slice(0, MOST_INCIDENTS)
  const incidents: Incidents[number][] = []
  for (const { subject, digits } of marked) {
    const id = formatUuid(Uint8Array.fromHex(digits))
    const found = await fallbackIfDamaged(logReader.findCall(id, now), { outcome: 'unreadable' })
    const position = found.outcome === 'found' ? found.decision.position : null
    incidents.push({ subject, isFound: position !== null || found.outcome === 'not_kept', position })
    await scheduler.wait(0)
  }
  return incidents
}

/**
 * Returns `otherwise` if a tile is damaged in every bucket or a leaf has no row. The checklist must report a damaged log, not
 * fail because of it.
 */
export async function fallbackIfDamaged<T>(reading: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await reading
  } catch (thrown) {
    if (thrown instanceof DamagedTileError || thrown instanceof MissingLeavesError) return otherwise
    throw thrown
  }
}

/** Rows read in one step, and in all. A waiting call waits for one step at most. */
const AT_ONCE = 500
const MOST_ROWS = 20_000

/** Whole UTC days since the epoch, both included. */
export type ReceiptCount = { first: number; last: number; receipts: number }

const TimeSchema = once(() => z.object({ timestamp: z.iso.datetime() }))

/**
 * Counts receipts on the days of a period whose rows are all in the database, newest first. Null if there is no such day.
 * @param size how many entries there were when usage was counted
 */
export async function countReceipts(
  sql: SqlStorage,
  { first, last, size }: { first: number; last: number; size: number },
): Promise<ReceiptCount | null> {
  const entries = new EntriesStore(sql)
  const perDay = new Map<number, number>()
  let [before, looked] = [size, 0]
  /** The earliest day read so far. The rows may lack some of its receipts. */
  let oldest = Infinity
  let isWhole = before === 0
  while (!isWhole && oldest >= first && looked < MOST_ROWS) {
    const rows = entries.listCounted(before, AT_ONCE)
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

const HourCountsSchema = once(() =>
  z.object({ hour: z.iso.datetime(), allowed: z.int(), refused: z.object({ budget: z.int() }) }),
)

/**
 * Counts the days of a period on which calls ran or a budget refused them, by the hourly counts among the latest entries in the
 * database, and by those of the present hour.
 */
export async function countBudgetDays(
  { sql, stores: { journal }, turns }: Pick<ObjectParts, 'sql' | 'stores' | 'turns'>,
  { first, last }: { first: number; last: number },
  now: number,
): Promise<Facts['budgetDays']> {
  const days = new Map<number, { allowed: number; refused: number }>()
  const add = (day: number, allowed: number, refused: number): void => {
    if (day < first || day > last || allowed + refused === 0) return
    const counted = days.get(day) ?? { allowed: 0, refused: 0 }
    days.set(day, { allowed: counted.allowed + allowed, refused: counted.refused + refused })
  }
  const { hour, chats, calls } = turns.takeUntilClosed(() => journal.state.counts)
  if (hour !== null) add(utcDay(hour * HOUR_MS), chats.ALLOWED, calls.budget)
  const entries = new EntriesStore(sql)
  let before: number | null = null
  for (let looked = 0; looked < MOST_ROWS; looked += AT_ONCE) {
    const page = entries.listLatest({ kind: 'hour_counts', before, positions: AT_ONCE }, now)
    for (const { entry } of page.rows) {
      const counts = HourCountsSchema().safeParse(contentOf(entry)).data
      if (counts !== undefined) add(utcDay(Date.parse(counts.hour)), counts.allowed, counts.refused.budget)
    }
    if (page.from === null) break
    before = page.from
    await scheduler.wait(0)
  }
  const shutOut = [...days.values()].filter(({ allowed, refused }) => refused > allowed)
  return { withCalls: days.size, shutOut: shutOut.length }
}

function dayOf(entry: Uint8Array): number | null {
  const read = TimeSchema().safeParse(readJson(new TextDecoder().decode(entry.subarray(1)))).data
  return read === undefined ? null : utcDay(Date.parse(read.timestamp))
}
