// Adds up calls that have ended, in rows as the usage tables have them: by day with key, model, use case and ending; by hour and
// one dimension; by cohort; and latencies by model. Names the sums. Pure.
import { ENDING_NAMES, NO_ENDINGS, type Ending, type Endings } from '../../evidence/records/call-endings.ts'
import { COUNTED_GROUPINGS } from '../../platform/groupings.ts'
import { HOUR_MS } from '../../platform/time.ts'
import { addLatencies, bucketOf, NO_LATENCIES, type Latencies } from './latency-histogram.ts'

/** The key, model, use case and cohort that a call is counted for. Null if its request names none. */
export type CallSubject = { keyId: string | null; model: string; useCase: string | null; cohort: string | null }

/** The most use cases with a number of their own. Further ones are counted together, because callers may send any name. */
export const MOST_USE_CASES = 256

/** The sums, under the names of their columns. Each token counts in only one of the five token sums. */
export const SUM_NAMES = [
  'requests',
  // Calls whose tokens, and so whose cost, are estimated.
  'estimated',
  // Calls that were completed by a model's refusal to answer.
  'refused',
  'input',
  'cache_read',
  'cache_write',
  'output',
  'reasoning',
  'cost_microeur',
  'prevented_microeur',
  // Milliseconds at the provider, of the calls that are `timed`.
  'upstream_ms',
  'timed',
  // Calls that reached a provider, by the narrowest region that has all places of their route. An unknown route is anywhere.
  'routed_eu',
  'routed_eea_ch',
  'routed_any',
] as const

export type Sums = Record<(typeof SUM_NAMES)[number], number>

export const NO_SUMS: Readonly<Sums> = {
  requests: 0,
  estimated: 0,
  refused: 0,
  input: 0,
  cache_read: 0,
  cache_write: 0,
  output: 0,
  reasoning: 0,
  cost_microeur: 0,
  prevented_microeur: 0,
  upstream_ms: 0,
  timed: 0,
  routed_eu: 0,
  routed_eea_ch: 0,
  routed_any: 0,
}

export type Ended = { ending: Ending; sums: Sums }

/** A call that has ended. `day`: the day on which it counts. `at`, `position`: the time and the position of its decision. */
export type CountedCall = CallSubject & Ended & { day: number; at: number; position: number }

/** A property that calls are counted by. `all`: every call. The database stores their numbers, from 0 in this order. */
export const DIMENSIONS = ['all', ...COUNTED_GROUPINGS, 'ending'] as const
export type Dimension = (typeof DIMENSIONS)[number]

export function addUp(counts: readonly (Sums & Endings)[]): Sums & Endings {
  const total = { ...NO_SUMS, ...NO_ENDINGS }
  for (const one of counts) for (const name of [...SUM_NAMES, ...ENDING_NAMES]) total[name] += one[name]
  return total
}

export type DayRow = Omit<CallSubject, 'cohort'> & { day: number; ending: Ending; sums: Sums }

/** `value`: the name in the dimension; null if the calls name none, and for `all`. */
export type HourRow = { hour: number; dimension: Dimension; value: string | null; endings: Endings; refused: number }

export type CohortRow = {
  day: number
  cohort: string
  model: string
  useCase: string | null
  ending: Ending
  requests: number
  refused: number
}

export type LatencyRow = { day: number; model: string; latencies: Latencies }

/** The first and the last position of the decisions that are counted on a day. */
export type Span = { first: number; last: number }

/**
 * `furtherRecords`: decisions of the day that are counted as no call of their own. They repeat a request that was waiting for a
 * person, or their call ran later and is counted there.
 */
export type DayRecords = Span & { furtherRecords: number }

export const hourOf = (at: number): number => Math.floor(at / HOUR_MS)

export class Tally {
  readonly days = new Map<string, DayRow>()
  readonly hours = new Map<string, HourRow>()
  readonly cohorts = new Map<string, CohortRow>()
  readonly latencies = new Map<string, LatencyRow>()
  readonly records = new Map<number, DayRecords>()

  add(call: CountedCall): void {
    const { day, model, keyId, useCase, cohort, ending, sums } = call
    this.addToDay({ day, keyId, model, useCase, ending, sums })
    for (const [dimension, value] of valuesOf(call)) this.#addHour(call, dimension, value)
    if (cohort !== null) this.#addCohort({ day, cohort, model, useCase, ending, ...countsOf(sums) })
    if (sums.timed > 0) this.#addLatency(day, model, sums.upstream_ms)
    this.#addRecord(call, 0)
  }

  /** Adds sums to a row of a day. Those of a correction may be below 0. */
  addToDay({ sums, ...of }: DayRow): void {
    const row = getOrCreate(this.days, keyOf(of.day, of.keyId, of.model, of.useCase, of.ending), () => {
      return { ...of, sums: { ...NO_SUMS } }
    })
    for (const name of SUM_NAMES) row.sums[name] += sums[name]
  }

  /** Adds a decision that is counted as no call of its own. */
  addFurtherRecord(decision: Pick<CountedCall, 'day' | 'position'>): void {
    this.#addRecord(decision, 1)
  }

  #addRecord({ day, position }: Pick<CountedCall, 'day' | 'position'>, further: 0 | 1): void {
    const { first = Infinity, last = -1, furtherRecords = 0 } = this.records.get(day) ?? {}
    this.records.set(day, {
      first: Math.min(first, position),
      last: Math.max(last, position),
      furtherRecords: furtherRecords + further,
    })
  }

  #addHour({ at, ending, sums }: CountedCall, dimension: Dimension, value: string | null): void {
    const hour = hourOf(at)
    const row = getOrCreate(this.hours, keyOf(hour, dimension, value), () => {
      return { hour, dimension, value, endings: { ...NO_ENDINGS }, refused: 0 }
    })
    row.endings[ending] += sums.requests
    row.refused += sums.refused
  }

  #addCohort({ requests, refused, ...of }: CohortRow): void {
    const row = getOrCreate(this.cohorts, keyOf(of.day, of.cohort, of.model, of.useCase, of.ending), () => {
      return { ...of, requests: 0, refused: 0 }
    })
    row.requests += requests
    row.refused += refused
  }

  #addLatency(day: number, model: string, milliseconds: number): void {
    const row = getOrCreate(this.latencies, keyOf(day, model), () => ({ day, model, latencies: NO_LATENCIES }))
    const one = new Uint32Array(bucketOf(milliseconds) + 1)
    one[one.length - 1] = 1
    row.latencies = addLatencies(row.latencies, one)
  }
}

const countsOf = ({ requests, refused }: Sums) => ({ requests, refused })

const valuesOf = ({
  model,
  keyId,
  useCase,
  ending,
}: CountedCall): ReadonlyArray<readonly [Dimension, string | null]> => [
  ['all', null],
  ['model', model],
  ['key', keyId],
  ['use_case', useCase],
  ['ending', ending],
]

/** Joins parts that have no line break to the key of a row. */
const keyOf = (...parts: (string | number | null)[]): string => parts.map((part) => part ?? '').join('\n')

/** Returns the row under a key, and makes it if there is none. */
export function getOrCreate<Key, Row>(rows: Map<Key, Row>, key: Key, create: () => Row): Row {
  const known = rows.get(key)
  if (known !== undefined) return known
  const row = create()
  rows.set(key, row)
  return row
}
