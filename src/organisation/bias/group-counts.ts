// How the calls of groups ended, out of what was counted: each group by its name.
import type { Latencies } from '../usage/latency.ts'
import type { Dimension } from '../usage/tally.ts'
import { UsageSumsStore, type Days } from '../usage/usage-sums.store.ts'
import { UNNAMED_GROUP, type Counts } from './outcomes.ts'

export type GroupDay = Counts & { day: number; group: string; costMicroeur: number }

export type GroupHour = Counts & { hour: number; group: string }

/** A dimension that calls are grouped by. */
export type CountedDimension = Exclude<Dimension, 'outcome'>

/** How long calls took at their providers. */
export type ModelLatencies = { day: number; model: string; latencies: Latencies }

/** Belongs in a turn in which every entry is counted. */
export class GroupCounts {
  readonly #sums: UsageSumsStore

  constructor(sql: SqlStorage) {
    this.#sums = new UsageSumsStore(sql)
  }

  /** Returns sums in the order of the days. */
  days(by: CountedDimension, days: Days): GroupDay[] {
    return this.#sums.sums({ days, bucket: 'day', by }).map((sum) => {
      const { day, value, cost_microeur: costMicroeur } = sum
      return Object.assign(countsIn(sum), { day, group: value ?? UNNAMED_GROUP, costMicroeur })
    })
  }

  /** Calls that declare no cohort are in none. */
  cohortDays(days: Days): GroupDay[] {
    return this.#sums.cohorts(days).map(({ day, cohort, endings, refused }) => {
      return Object.assign(endings, { day, group: cohort, costMicroeur: 0, refused })
    })
  }

  /** Returns sums from hour `from` to before hour `until`, in their order. */
  hours(by: CountedDimension, from: number, until: number): GroupHour[] {
    return this.#sums.hours({ first: from, last: until - 1 }, by).map(({ hour, value, endings, refused }) => {
      return Object.assign(endings, { hour, group: value ?? UNNAMED_GROUP, refused })
    })
  }

  /** Returns latencies in the order of the days. */
  latencies(days: Days): ModelLatencies[] {
    const names = new Map(this.#sums.sums({ days, bucket: 'total', by: 'model' }).map((sum) => [sum.number, sum.value]))
    const found = this.#sums.latencies(days, 'day', { byModel: true })
    return Array.from(found, ([day, models]) =>
      Array.from(models, ([number, latencies]) => ({ day, model: names.get(number) ?? UNNAMED_GROUP, latencies })),
    ).flat()
  }
}

const countsIn = ({
  completed,
  failed,
  cancelled,
  interrupted,
  cached,
  blocked,
  suppressed,
  refused,
}: Counts): Counts => ({
  completed,
  failed,
  cancelled,
  interrupted,
  cached,
  blocked,
  suppressed,
  refused,
})
