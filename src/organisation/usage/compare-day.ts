// Two counts of the same day or hours, compared row for row: the names of what is not the same in both. Pure.
import { SUM_NAMES } from './counted-call.ts'
import { addLatencies, NO_LATENCIES, type Latencies } from './latency.ts'
import type { CohortRow, DayRow, HourRow, LatencyRow } from './tally.ts'

export const HOURS_A_DAY = 24

/** Counts by the name of the row that they are in. */
type Counts = Map<string, Record<string, number>>

export type DayCounts = {
  rows: readonly DayRow[]
  cohorts: readonly CohortRow[]
  /** `model`: null for all of them together, which only a closed day has. */
  latencies: readonly { model: string | null; latencies: Latencies }[]
}

export const compareDay = (held: DayCounts, counted: DayCounts): string[] => [
  ...compare(rowsOf(held), rowsOf(counted)),
  ...compare(cohortsOf(held), cohortsOf(counted)),
  ...compare(latenciesOf(held), latenciesOf(counted)),
]

/** Compares the hours of one day. */
export const compareHours = (held: readonly HourRow[], counted: readonly HourRow[]): string[] =>
  compare(hoursOf(held), hoursOf(counted))

/** Returns latencies as a closed day has them: with those of all models together. */
export function withAllModels(rows: Iterable<LatencyRow>): DayCounts['latencies'] {
  const models = Array.from(rows, ({ model, latencies }) => ({ model, latencies }))
  if (models.length === 0) return []
  let all = NO_LATENCIES
  for (const { latencies } of models) all = addLatencies(all, latencies)
  return [{ model: null, latencies: all }, ...models]
}

const rowsOf = ({ rows }: DayCounts): Counts =>
  new Map(
    rows.map(({ keyId, model, useCase, ending, sums }) => [
      nameOf('rows', keyId, model, useCase, ending),
      Object.fromEntries(SUM_NAMES.map((name) => [name, sums[name]])),
    ]),
  )

const cohortsOf = ({ cohorts }: DayCounts): Counts =>
  new Map(
    cohorts.map(({ cohort, model, useCase, ending, requests, refused }) => [
      nameOf('cohorts', cohort, model, useCase, ending),
      { requests, refused },
    ]),
  )

const latenciesOf = ({ latencies }: DayCounts): Counts =>
  new Map(
    latencies.map((each) => [
      nameOf('latencies', each.model),
      Object.fromEntries(Array.from(each.latencies, (count, bucket) => [String(bucket), count])),
    ]),
  )

const hoursOf = (rows: readonly HourRow[]): Counts =>
  new Map(
    rows.map(({ hour, dimension, value, endings, refused }) => [
      nameOf('hours', String(hour % HOURS_A_DAY), dimension, value),
      { ...endings, refused },
    ]),
  )

/** No name has a line break in it. */
const nameOf = (...parts: (string | null)[]): string => parts.map((part) => part ?? '-').join('\n')

function compare(held: Counts, counted: Counts): string[] {
  const places = new Set([...held.keys(), ...counted.keys()])
  return [...places].flatMap((place) => {
    const [one = {}, other = {}] = [held.get(place), counted.get(place)]
    const names = new Set([...Object.keys(one), ...Object.keys(other)])
    return [...names]
      .filter((name) => (one[name] ?? 0) !== (other[name] ?? 0))
      .map((name) => `${place}\n${name}`.replaceAll('\n', '.'))
  })
}
