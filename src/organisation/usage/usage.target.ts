// The counts of an organisation's calls, as people and exports read them. Everything that has been recorded is counted first.
import { RpcTarget } from 'cloudflare:workers'
import { listMonths, type UsedMonth } from '../journal/state/months.ts'
import { listDays, type DayCost } from '../journal/state/readings.ts'
import type { ObjectParts } from '../object-parts.ts'
import { checkUsage, type UsageChecked } from './check-usage.ts'
import { ClosedDaysStore, type CountedDay } from './closed-days.store.ts'
import { readAnalytics, type AnalyticsAnswer, type WantedAnalytics } from './read-analytics.ts'

/** `months`: of gateway calls. `days`: of referral readings. */
export type Usage = { months: UsedMonth[]; days: DayCost[] }

type Parts = Pick<ObjectParts, 'sql' | 'stores' | 'turns' | 'archive' | 'usage'>

export class UsageTarget extends RpcTarget {
  readonly #parts: Parts

  constructor(parts: Parts) {
    super()
    this.#parts = parts
  }

  /** The months and days that limits and budgets are decided by. */
  read(): Usage {
    const { months, readings } = this.#parts.stores.journal.state
    return { months: listMonths(months), days: listDays(readings) }
  }

  /** Takes several turns. Rejects if R2 does: then ask again. */
  analyse(wanted: WantedAnalytics): Promise<AnalyticsAnswer> {
    const { stores, turns, usage } = this.#parts
    return usage.answer(turns.open, (counted) => readAnalytics(counted, stores.journal.state, Date.now(), wanted))
  }

  /** The first day with calls from a given one on, or null if there is none. Rejects as `analyse` does. */
  readCountedDay(from: number): Promise<CountedDay | null> {
    const { sql, turns, usage } = this.#parts
    const closed = new ClosedDaysStore(sql)
    return usage.answer(turns.open, () => closed.countedFrom(from))
  }

  /** Counts all kept entries again and returns the places that differ. Rejects if R2 does. */
  async check(): Promise<UsageChecked> {
    const { sql, stores, turns, archive, usage } = this.#parts
    // An organisation that was sealed since has nothing left to count.
    turns.open(() => undefined)
    return checkUsage({ sql, journal: stores.journal, archive, follower: usage, takeTurn: turns.take })
  }
}
