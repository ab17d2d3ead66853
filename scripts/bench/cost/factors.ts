// What one call uses of everything that is billed, from what was counted of it. Pure.
import type { LedgerFigures } from '../ledger/figures.ts'
import { sumCounts, type Counts } from '../ledger/counts.ts'

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

/** Of one call, or of one day. */
export type Usage = Readonly<Record<Factor, number>>

const NONE: Usage = {
  rowsWritten: 0,
  rowsRead: 0,
  databaseGbMonths: 0,
  objectRequests: 0,
  objectGbSeconds: 0,
  workerRequests: 0,
  workerCpuMs: 0,
  bucketWrites: 0,
  bucketReads: 0,
  bucketGbMonths: 0,
  kvReads: 0,
  d1Queries: 0,
}

const GB = 1e9
export const DAYS_A_MONTH = 30
/** An object is billed as if it had this much memory. */
const OBJECT_GB = 0.128

type Turn = LedgerFigures['turns']['chat']
type Life = LedgerFigures['lives']['chat']

const usageOfObjects = (objects: Counts, calls: (...names: string[]) => number) => ({
  // An alarm that is set is billed as a row written.
  rowsWritten: objects.rowsWritten + objects.alarmsSet,
  rowsRead: objects.rowsRead,
  objectRequests: objects.requests,
  objectGbSeconds: (objects.milliseconds / 1000) * OBJECT_GB,
  bucketWrites: calls('FILES.put', 'FILES.list'),
  bucketReads: calls('FILES.get', 'FILES.head'),
})

/** Of one day on which nothing comes, of all objects. */
export function usageOfQuietDay({ objects, bindings }: LedgerFigures['quietDay']): Usage {
  return {
    ...NONE,
    ...usageOfObjects(objects, (...names) => names.reduce((sum, name) => sum + (bindings[name] ?? 0), 0)),
  }
}

/** The Worker's own bindings come from the turn, those of its objects from the life. */
export function usageOf(turn: Turn, life: Life): Usage {
  const objects = sumCounts(Object.values(life.objects))
  const calls = (...names: string[]): number =>
    names.reduce((sum, name) => sum + (turn.bindings[name] ?? 0) + (life.bindings[name] ?? 0), 0)
  return {
    ...usageOfObjects(objects, calls),
    databaseGbMonths: life.databaseByteDays / DAYS_A_MONTH / GB,
    workerRequests: 1,
    // Of the whole process: with the objects' turns, whose CPU is not billed apart from their time.
    workerCpuMs: (turn.cpuMicroseconds ?? Number.NaN) / 1000,
    bucketGbMonths: life.fileByteDays / DAYS_A_MONTH / GB,
    kvReads: calls('DATASETS.get', 'DATASETS.getWithMetadata'),
    d1Queries: calls('DB.prepare'),
  }
}
