// What the counted service tells of itself, and how it is told what to do. Both sides speak by these names.
import { z } from 'zod'

export const CountsSchema = z.object({
  /** Calls of an object's methods, and its alarms: a request each, as the platform bills them. */
  requests: z.number(),
  statements: z.number(),
  rowsRead: z.number(),
  /** As the cursors themselves tell it: of tables and of indexes. */
  rowsWritten: z.number(),
  /** Billed as a row written each. */
  alarmsSet: z.number(),
  /** How long the turns took together. */
  milliseconds: z.number(),
})

export type Counts = z.infer<typeof CountsSchema>

export const noCounts = (): Counts => ({
  requests: 0,
  statements: 0,
  rowsRead: 0,
  rowsWritten: 0,
  alarmsSet: 0,
  milliseconds: 0,
})

export function sumCounts(counts: readonly Counts[]): Counts {
  const sum = noCounts()
  for (const one of counts) {
    sum.requests += one.requests
    sum.statements += one.statements
    sum.rowsRead += one.rowsRead
    sum.rowsWritten += one.rowsWritten
    sum.alarmsSet += one.alarmsSet
    sum.milliseconds += one.milliseconds
  }
  return sum
}

export const CountedSchema = z.object({
  /** By namespace and method, such as `ORGANISATIONS.admitChat`; `LATER` for what a method does once it has waited. */
  turns: z.record(z.string(), CountsSchema),
  /** Calls of bindings, such as `FILES.put`. */
  bindings: z.record(z.string(), z.number()),
  /** Bytes of the databases, by namespace. */
  databases: z.record(z.string(), z.number()),
  /** Bytes in the bucket, by the first part of the files' names. */
  files: z.record(z.string(), z.number()),
})

export type Counted = z.infer<typeof CountedSchema>

/** By which the service reaches its objects. */
export type Namespace = 'ORGANISATIONS' | 'PUBLIC_LOG' | 'PUBLIC_LOG_INDEX'

export const LATER = 'later'

/** Of the counted Worker, all by POST. What it is told stands in the query. */
export const CONTROL = {
  /** Answers what was counted, and begins anew. */
  counts: '/_bench/counts',
  /** `ms`: lets time pass and every alarm in it go off. Answers 204. */
  pass: '/_bench/pass',
  /** `kind`, `times`: so many chats or readings, ten in a second of the Worker's time, alarms going off as they are due. */
  repeat: '/_bench/repeat',
  /** `kind`, `times`: in the object's own turn, calls following each other at that pace and no alarm going off. */
  work: '/_bench/work',
  /** Throws the object out of memory. */
  evict: '/_bench/evict',
} as const

/** What is repeated from outside, as the Worker saw it last. */
export const REPEATED = ['chat', 'reading'] as const
export type Repeated = (typeof REPEATED)[number]

/** What is worked in the object: both turns of a chat, and what is asked of its log. */
export const LOG_WORK = ['chat', 'head', 'inclusion', 'consistency'] as const
export type LogWork = (typeof LOG_WORK)[number]

/** Ten a second. */
export const PACE_MS = 100
