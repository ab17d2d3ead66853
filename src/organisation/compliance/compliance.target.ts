// Gathers the facts for the compliance checklist, and stores its reports and people's statements about controls. Each report and
// each statement is one turn, with a log entry that contains its hash.
import { DAY_MS, MINUTE_MS } from '../../platform/time.ts'
import { sha256Hex } from '../../platform/sha256.ts'
import { MOST_REPORTS_A_DAY } from '../../policies/organisation-limits.policy.ts'
import { planOf } from '../../policies/tier.policy.ts'
import { appendAct, type Act } from '../append-act.ts'
import { FeatureTarget } from '../feature.target.ts'
import { gather, type GatheringParts, type GatheringQuery, type GatheredFacts } from './gather-facts.ts'
import type { Statement } from '../../reports/controls/control.ts'
import {
  ReportsStore,
  type ReportDocument,
  type StoredReport,
  StatementsStore,
} from './reports-and-statements.store.ts'

/** After this time a report that was begun and not stored has failed: its Worker has stopped. */
const REPORT_TIMEOUT_MS = 2 * MINUTE_MS

/** The most statements of an organisation: computing any score reads all of them. */
export const MOST_STATEMENTS = 500

export type ReportBegun =
  | { outcome: 'begun' }
  | { outcome: 'running' }
  | { outcome: 'too_many'; retryAfterSeconds: number }

/** `document`: compressed with gzip. */
export type NewReport = Pick<StoredReport, 'id' | 'start' | 'end' | 'sha256'> & { document: Uint8Array }

export type StatementMade =
  | { outcome: 'made'; statement: Statement; position: number }
  | { outcome: 'too_many'; most: number }
export type StatementRemoved = { outcome: 'removed'; position: number } | { outcome: 'not_found' }

export class ComplianceTarget extends FeatureTarget<keyof GatheringParts> {
  readonly #statements = new StatementsStore(this.parts.sql)
  readonly #reports = new ReportsStore(this.parts.sql)
  /** Running gatherings by their query: concurrent requests for the same share one answer. */
  readonly #gathering = new Map<string, Promise<GatheredFacts>>()
  /** INVARIANT: only in memory, so a restart ends any report that is being made. */
  #makingUntil = 0

  /** Gathers the facts for the checklist, in several turns. Rejects if R2 or the public log's index fails; then retry. */
  async gather(query: GatheringQuery): Promise<GatheredFacts> {
    const name = `${query.first}-${query.last}-${query.seed}`
    const running = this.#gathering.get(name)
    if (running !== undefined) return running
    const gathering = gather(this.parts, query, Date.now())
    this.#gathering.set(name, gathering)
    try {
      return await gathering
    } finally {
      this.#gathering.delete(name)
    }
  }

  /** Returns statements in the order of their subjects. */
  listStatements(): Statement[] {
    return this.parts.turns.takeUntilClosed(() => this.#statements.list())
  }

  makeStatement(stated: Omit<Statement, 'statedAt'>, act: Act): StatementMade {
    const { stores, turns } = this.parts
    return turns.takeUntilClosed(() => {
      const now = Date.now()
      const { subject, text, lookedAt, cause } = stated
      const isNew = this.#statements.find(subject) === null
      if (isNew && this.#statements.count() >= MOST_STATEMENTS) return { outcome: 'too_many', most: MOST_STATEMENTS }
      const statement = { ...stated, statedAt: now }
      this.#statements.write(statement)
      const content = { subject, cause, sha256: sha256Hex(text), looked_at_sha256: sha256Hex(lookedAt) }
      const position = appendAct(stores.journal, { ...act, content }, now)
      return { outcome: 'made', statement, position }
    })
  }

  removeStatement(subject: string, act: Act): StatementRemoved {
    const { stores, turns } = this.parts
    return turns.takeUntilClosed(() => {
      if (this.#statements.find(subject) === null) return { outcome: 'not_found' }
      this.#statements.delete(subject)
      return { outcome: 'removed', position: appendAct(stores.journal, { ...act, content: { subject } }, Date.now()) }
    })
  }

  /** Reserves the making of a report, so that only one is made at a time. */
  beginReport(): ReportBegun {
    return this.parts.turns.takeUntilClosed(() => {
      const now = Date.now()
      if (now < this.#makingUntil && this.#makingUntil - now <= REPORT_TIMEOUT_MS) return { outcome: 'running' }
      const { made, first } = this.#reports.countSince(now - DAY_MS, now)
      if (made >= MOST_REPORTS_A_DAY && first !== null) {
        return { outcome: 'too_many', retryAfterSeconds: Math.max(1, Math.ceil((first + DAY_MS - now) / 1000)) }
      }
      this.#makingUntil = now + REPORT_TIMEOUT_MS
      return { outcome: 'begun' }
    })
  }

  /** Releases the reservation of a report that could not be made. */
  endReport(): void {
    this.#makingUntil = 0
  }

  keepReport({ document, ...made }: NewReport, act: Act): StoredReport {
    const { stores, turns } = this.parts
    return turns.takeUntilClosed(() => {
      const now = Date.now()
      const { id, start, end, sha256 } = made
      const content = { report_id: id, start, end, sha256 }
      const { retentionDays } = planOf(stores.journal.state.settings)
      // The entry contains the report's hash, and no act expires before a decision of its day.
      const position = appendAct(stores.journal, { ...act, content }, now)
      const expiresAt = now + retentionDays * DAY_MS
      const report = { ...made, madeAt: now, expiresAt, madeBy: act.actor, position }
      this.#reports.insert(report, document)
      this.endReport()
      return report
    })
  }

  listReports(limit: number, cursor: string | null): StoredReport[] {
    return this.parts.turns.takeUntilClosed(() => this.#reports.list(limit, cursor, Date.now()))
  }

  /** Returns null if it is not stored. */
  findReport(id: string): ReportDocument | null {
    return this.parts.turns.takeUntilClosed(() => this.#reports.find(id, Date.now()))
  }

  /** Returns the latest report made at or before a time; null if there is none. */
  findReportBy(at: number): ReportDocument | null {
    return this.parts.turns.takeUntilClosed(() => this.#reports.findLatestUntil(at, Date.now()))
  }
}
