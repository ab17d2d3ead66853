// Lets people and exports read the counts of an organisation's calls, and checks the counts against the entries. Each answer
// includes everything recorded so far.
import { endDueApprovals } from '../approvals/approval-steps.ts'
import { listMonths, type UsedMonth } from '../journal/state/monthly-usage.ts'
import { listDays, type DayCost } from '../journal/state/readings.ts'
import { FeatureTarget } from '../feature.target.ts'
import { checkUsage, type UsageChecked } from './check-usage.ts'
import { CountedDaysStore, type CountedDay } from './counted-days.store.ts'
import { readKeyFigures, type KeyFigures, type KeyFiguresQuery } from './read-key-figures.ts'
import { readAnalytics, type AnalyticsAnswer, type WantedAnalytics } from './read-analytics.ts'

/** `months`: of gateway calls. `days`: of referral readings. */
export type Usage = { months: UsedMonth[]; days: DayCost[] }

export class UsageTarget extends FeatureTarget<'sql' | 'stores' | 'turns' | 'archive' | 'usage'> {
  /** Returns the months and days from which limits and budgets are decided. */
  read(): Usage {
    const { months, readings } = this.parts.stores.journal.state
    return { months: listMonths(months), days: listDays(readings) }
  }

  /** Answers a question about usage, in several turns. Rejects if R2 fails: ask again. */
  analyse(wanted: WantedAnalytics): Promise<AnalyticsAnswer> {
    const { stores, turns, usage } = this.parts
    turns.takeUntilClosed(() => endDueApprovals(stores, Date.now()))
    return usage.answer(turns.takeUntilClosed, (counted) =>
      readAnalytics(counted, stores.journal.state, Date.now(), wanted),
    )
  }

  /** Compares each key's calls with those of as many days before. Rejects as `analyse` does. */
  analyseKeys(wanted: KeyFiguresQuery): Promise<KeyFigures> {
    const { sql, stores, turns, usage } = this.parts
    turns.takeUntilClosed(() => endDueApprovals(stores, Date.now()))
    return usage.answer(turns.takeUntilClosed, (counted) =>
      readKeyFigures({ sql, stores, counted }, wanted, Date.now()),
    )
  }

  /** Returns the first day with calls from a given one on; null if there is none. Rejects as `analyse` does. */
  readCountedDay(from: number): Promise<CountedDay | null> {
    const { sql, turns, usage } = this.parts
    const countedDays = new CountedDaysStore(sql)
    return usage.answer(turns.takeUntilClosed, () => countedDays.firstCountedDay(from))
  }

  /** Counts all stored entries again and returns the counts that differ. Rejects if R2 fails. */
  async check(): Promise<UsageChecked> {
    const { sql, stores, turns, archive, usage } = this.parts
    // Throws if the organisation was sealed meanwhile: nothing is left to count.
    turns.takeUntilClosed(() => undefined)
    return checkUsage({ sql, journal: stores.journal, archive, follower: usage, takeTurn: turns.take })
  }
}
