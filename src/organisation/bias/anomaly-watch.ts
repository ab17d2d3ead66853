// Runs the search for anomalies (find-anomalies.ts) by alarm. Stores each new alarm and reports each new anomaly to the webhook.
import { notify, type Outbox } from '../../notifications/notify.ts'
import { DAY_MS, utcDay } from '../../platform/time.ts'
import { hasFeature } from '../../policies/tier.policy.ts'
import type { Journal } from '../journal/journal.ts'
import type { TakeTurn } from '../organisation-stores.ts'
import type { AlarmTask } from '../object-alarm.ts'
import { DAYS_KEPT } from '../usage/counted-days.store.ts'
import type { UsageCounter } from '../usage/usage-counter.ts'
import { AnomaliesStore } from './anomalies.store.ts'
import { groupAlarms, isRateKind, alarmSubject, presentAlarm, type Alarm } from './bias-measures.ts'
import { GroupCounts } from './group-counts.ts'
import { OVERLAP_DAYS, searchRisenRates, searchUnusualDays } from './find-anomalies.ts'

const HOUR_MS = 3_600_000
const DAY_HOURS = 24
const WEEK_DAYS = 7
/** The first Monday, in days since the epoch. */
const FIRST_MONDAY = 4

/** A call admitted in an hour has ended one hour later. */
const ENDED_AFTER_MS = HOUR_MS
/** The wait between searches while no calls come. Their absence may be an anomaly too. */
const QUIET_MS = DAY_MS
/** The hours of older weeks are not stored. */
const MOST_WEEKS_BACK = 4
/** Anomalies are stored as long as the counts that they were found in. */
export const ANOMALIES_KEPT_DAYS = DAYS_KEPT

type Parts = { sql: SqlStorage; journal: Journal; follower: UsageCounter; outbox: Outbox; takeTurn: TakeTurn }

export class AnomalyWatch {
  readonly #parts: Parts
  readonly #counts: GroupCounts
  readonly #anomalies: AnomaliesStore

  constructor(parts: Parts) {
    this.#parts = parts
    this.#counts = new GroupCounts(parts.sql)
    this.#anomalies = new AnomaliesStore(parts.sql)
  }

  task(): AlarmTask {
    return {
      failure: 'anomalies_not_looked_for',
      dueAt: (now) => this.#nextSearchAt(now),
      run: (now) => this.lookIfDue(now),
    }
  }

  /** Returns when the next search is due. Null for never: the tier does not include it, or nothing was ever recorded. */
  #nextSearchAt(now: number): number | null {
    const { settings, next, clock } = this.#parts.journal.state
    if (!hasFeature(settings.tier, 'bias_detection') || next === 0) return null
    const lookedAt = this.#anomalies.searchedAt()
    if (lookedAt === null) return now
    const isLatestSeen = lookedAt >= clock.latest + HOUR_MS + ENDED_AFTER_MS
    return Math.min(lookedAt, now) + (isLatestSeen ? QUIET_MS : HOUR_MS)
  }

  /** Searches for anomalies if a search is due. Rejects if archived entries cannot be read; then retry. */
  async lookIfDue(now: number): Promise<void> {
    // If the clock was ahead, a search noted for a later time counts as done now.
    if ((this.#anomalies.searchedAt() ?? now) > now) this.#parts.takeTurn(() => this.#anomalies.writeSearchedAt(now))
    if ((this.#nextSearchAt(now) ?? Infinity) > now) return
    const lookedAt = this.#anomalies.searchedAt() ?? now
    await this.#parts.follower.answer(this.#parts.takeTurn, () => undefined)
    const found: Alarm[] = []
    const lastFullDay = utcDay(now - ENDED_AFTER_MS) - 1
    const weeks = weeksToWatch(lookedAt, now)
    const searches = [
      ...weeks.map((monday) => searchRisenRates(this.#counts, monday, endedHour(now))),
      searchUnusualDays(this.#counts, lastFullDay),
    ]
    for (const search of searches) {
      for (const those of search) {
        found.push(...those)
        // Calls run between the steps.
        await scheduler.wait(0)
      }
    }
    this.#parts.takeTurn(() => {
      this.#storeNew(found, now)
      this.#anomalies.writeSearchedAt(now)
    })
  }

  /** Stores at most one alarm a week of a kind and series, because it may last. Reports anomalies with new alarms only. */
  #storeNew(found: readonly Alarm[], now: number): void {
    const stored = new Set<string>()
    for (const alarm of found) {
      const { kind, since } = alarm
      const from = isRateKind(kind) ? mondayOf(utcDay(since)) * DAY_MS : since - WEEK_DAYS * DAY_MS
      if (this.#anomalies.hasSince(alarm, from)) continue
      this.#anomalies.insert(alarm, now)
      stored.add(alarmSubject(alarm))
    }
    if (stored.size === 0) return
    for (const anomaly of groupAlarms(this.#anomalies.listAlarms())) {
      if (!anomaly.alarms.every((alarm) => stored.has(alarmSubject(alarm)))) continue
      notify(this.#parts.outbox, { type: 'anomaly.detected', data: presentAlarm(anomaly) }, now)
    }
  }
}

/** Returns the first hour that is not complete: all earlier hours and their calls have ended. */
const endedHour = (now: number): number => Math.floor((now - ENDED_AFTER_MS) / HOUR_MS)

const mondayOf = (day: number): number => FIRST_MONDAY + Math.floor((day - FIRST_MONDAY) / WEEK_DAYS) * WEEK_DAYS

/** Returns the Monday of the week of the last complete hour, in whole UTC days since the epoch. */
const mondayAt = (at: number): number => mondayOf(Math.floor((endedHour(at) - 1) / DAY_HOURS))

/** Returns the Mondays of the weeks whose sums, with their overlap, have hours since the last search. */
function weeksToWatch(lookedAt: number, now: number): number[] {
  const newest = mondayAt(now)
  const first = Math.min(mondayAt(Math.min(lookedAt, now) - OVERLAP_DAYS * DAY_MS), newest)
  const oldest = Math.max(first, newest - MOST_WEEKS_BACK * WEEK_DAYS)
  return Array.from({ length: (newest - oldest) / WEEK_DAYS + 1 }, (_, week) => oldest + week * WEEK_DAYS)
}
