// What one call uses of everything that is billed, from what was counted of it. Pure.
import type { LedgerFigures } from '../ledger/figures.ts'
import { sumCounts } from '../ledger/counts.ts'

export const FACTORS = [
  'rowsWritten',
  'rowsRead',
  'databaseGbMonths',
  'objectRequests',
  'objectGbSeconds',
  'workerRequests',
  'workerCpuMs',
  'bucketWrites',
  'bucketReads',
  'bucketGbMonths',
  'kvReads',
  'd1Queries',
] as const

export type Factor = (typeof FACTORS)[number]

/** Of one call. */
export type Usage = Readonly<Record<Factor, number>>

const GB = 1e9
const DAYS_A_MONTH = 30
/** An object is billed as if it had this much memory. */
const OBJECT_GB = 0.128

type Turn = LedgerFigures['turns']['chat']
type Life = LedgerFigures['lives']['chat']

/** The Worker's own bindings come from the turn, those of its objects from the life. */
export function usageOf(turn: Turn, life: Life): Usage {
  const objects = sumCounts(Object.values(life.objects))
  const calls = (...names: string[]): number =>
    names.reduce((sum, name) => sum + (turn.bindings[name] ?? 0) + (life.bindings[name] ?? 0), 0)
  return {
    // An alarm that is set is billed as a row written.
    rowsWritten: objects.rowsWritten + objects.alarmsSet,
    rowsRead: objects.rowsRead,
    databaseGbMonths: life.databaseByteDays / DAYS_A_MONTH / GB,
    objectRequests: objects.requests,
    objectGbSeconds: (objects.milliseconds / 1000) * OBJECT_GB,
    workerRequests: 1,
    // Of the whole process: with the objects' turns, whose CPU is not billed apart from their time.
    workerCpuMs: (turn.cpuMicroseconds ?? Number.NaN) / 1000,
    bucketWrites: calls('FILES.put', 'FILES.list'),
    bucketReads: calls('FILES.get', 'FILES.head'),
    bucketGbMonths: life.fileByteDays / DAYS_A_MONTH / GB,
    kvReads: calls('DATASETS.get', 'DATASETS.getWithMetadata'),
    d1Queries: calls('DB.prepare'),
  }
}
