// A report is begun, so that no two are made at once, and kept in one turn with the entry that has its hash.
import { DAY_MS, MINUTE_MS } from '../../platform/clock.ts'
import { planOf } from '../../policies/tier.policy.ts'
import { appendAct, type Act } from '../acts.ts'
import { RETENTION_DAYS, type Journal } from '../journal/journal.ts'
import type { KeptReport, ReportsStore } from './reports.store.ts'

/** Each takes a second or so of the object's time. */
export const MOST_REPORTS_A_DAY = 20

/** A report that was begun and is not kept by then never will be: its Worker is gone. */
const LONGEST_MAKING_MS = 2 * MINUTE_MS

export type ReportBegun =
  | { outcome: 'begun' }
  | { outcome: 'running' }
  | { outcome: 'too_many'; retryAfterSeconds: number }

/** What is to be kept. `document`: compressed. */
export type NewReport = Pick<KeptReport, 'id' | 'start' | 'end' | 'sha256'> & { document: Uint8Array }

type Stores = { journal: Journal; reports: ReportsStore }

/** Held in memory: a restart ends what was being made. */
export class Reports {
  readonly #stores: Stores
  #makingUntil = 0

  constructor(stores: Stores) {
    this.#stores = stores
  }

  begin(now: number): ReportBegun {
    if (now < this.#makingUntil && this.#makingUntil - now <= LONGEST_MAKING_MS) return { outcome: 'running' }
    const { made, first } = this.#stores.reports.countSince(now - DAY_MS, now)
    if (made >= MOST_REPORTS_A_DAY && first !== null) {
      return { outcome: 'too_many', retryAfterSeconds: Math.max(1, Math.ceil((first + DAY_MS - now) / 1000)) }
    }
    this.#makingUntil = now + LONGEST_MAKING_MS
    return { outcome: 'begun' }
  }

  /** For one that could not be made. */
  end(): void {
    this.#makingUntil = 0
  }

  /** Belongs inside a turn. */
  keep({ document, ...made }: NewReport, act: Act, now: number): KeptReport {
    const { journal, reports } = this.#stores
    const { id, start, end, sha256 } = made
    const content = { report_id: id, start, end, sha256 }
    const { retentionDays } = planOf(journal.state.settings)
    // The entry has the report's hash: it does not go before the report.
    const entryDays = Math.max(retentionDays, RETENTION_DAYS)
    const position = appendAct(journal, { ...act, content }, now, null, entryDays)
    const expiresAt = now + retentionDays * DAY_MS
    const report = { ...made, madeAt: now, expiresAt, madeBy: act.actor, position }
    reports.insert(report, document)
    this.end()
    return report
  }
}
