// The counts of the service's storage work that counted-worker.ts takes, and the paths by which the benchmark controls it.
import * as z from 'zod'

/**
 * The counted things. `requests`: calls of an object's methods, and its alarms, as the platform bills them. `rowsWritten`: rows
 * of tables and indexes, as the cursors report them. `alarmsSet`: each is billed as a row written.
 */
const NAMES = ['requests', 'statements', 'rowsRead', 'rowsWritten', 'alarmsSet'] as const

const CountsSchema = z.record(z.enum(NAMES), z.number())

export type Counts = z.infer<typeof CountsSchema>

export const noCounts = (): Counts => ({ requests: 0, statements: 0, rowsRead: 0, rowsWritten: 0, alarmsSet: 0 })

export function sumCounts(counts: readonly Counts[], times = 1): Counts {
  const sum = noCounts()
  for (const one of counts) for (const name of NAMES) sum[name] += one[name] / times
  return sum
}

export const StorageCountsSchema = z.object({
  /** Counts by namespace and method, such as `ORGANISATIONS.admitChat`. `LATER` is work after a method has waited. */
  turns: z.record(z.string(), CountsSchema),
  /** Calls of bindings, such as `FILES.put`. */
  bindings: z.record(z.string(), z.number()),
  /** Bytes of the databases by namespace. Bytes of files by `FILES` and the first part of their names. */
  bytes: z.record(z.string(), z.number()),
})

export type StorageCounts = z.infer<typeof StorageCountsSchema>

/** The names of the bindings through which the service calls its objects. */
export type Namespace = 'ORGANISATIONS' | 'PUBLIC_LOG' | 'PUBLIC_LOG_INDEX'

export const LATER = 'later'

/** Paths of counted-worker.ts, all with POST. Their parameters are in the query. */
export const CONTROL = {
  /** Returns the counts and resets them. */
  counts: '/_bench/counts',
  /** `ms`: moves time forward. Every alarm that is due in that time runs. */
  pass: '/_bench/pass',
  /** `times`, `pace`: repeats this many chats, each `pace` milliseconds of simulated time after the last. Alarms run when they are due. */
  repeat: '/_bench/repeat',
} as const

/** The milliseconds between two calls: ten calls a second. */
export const PACE_MS = 100
