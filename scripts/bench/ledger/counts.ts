// The counts that the counted service answers, and how it is told what to do. Both sides speak by these names.
import { z } from 'zod'

/**
 * `requests`: calls of an object's methods and its alarms, as the platform bills them. `rowsWritten`: of tables and of indexes, as
 * the cursors say. `alarmsSet`: billed as a row written each.
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

export const CountedSchema = z.object({
  /** By namespace and method, such as `ORGANISATIONS.admitChat`; `LATER` for what a method does after it has waited. */
  turns: z.record(z.string(), CountsSchema),
  /** Calls of bindings, such as `FILES.put`. */
  bindings: z.record(z.string(), z.number()),
  /** Bytes of the databases by namespace, and of files in the bucket by `FILES` and the first part of their names. */
  bytes: z.record(z.string(), z.number()),
})

export type Counted = z.infer<typeof CountedSchema>

/** The bindings by which the service reaches its objects. */
export type Namespace = 'ORGANISATIONS' | 'PUBLIC_LOG' | 'PUBLIC_LOG_INDEX'

export const LATER = 'later'

/** Paths of the counted Worker, all by POST, with what they are told in the query. */
export const CONTROL = {
  /** Answers what was counted, and starts again from nothing. */
  counts: '/_bench/counts',
  /** `ms`: lets time pass and every alarm in it go off. */
  pass: '/_bench/pass',
  /** `times`: so many chats, ten in a second of the Worker's time. Alarms go off as they are due. */
  repeat: '/_bench/repeat',
  /** `kind`, `times`: in the object's own turn, at the same pace. No alarm goes off. */
  work: '/_bench/work',
  /** Throws the object out of memory. */
  evict: '/_bench/evict',
} as const

/** The work that is repeated in the object: both turns of a chat, and questions about its log. */
export const LOG_WORK = ['chat', 'head', 'inclusion', 'consistency'] as const
export type LogWork = (typeof LOG_WORK)[number]

/** Ten calls a second. */
export const PACE_MS = 100
