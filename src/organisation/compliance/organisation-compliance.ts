// What an organisation's object does for those who answer for it: what it tells of itself, what people state, which reports were made.
import type { Act } from '../acts.ts'
import { gather } from './gather.ts'
import type { GatheringParts } from './gathering-parts.ts'
import type { Gathered, Period } from './gathered.ts'
import { Reports, type NewReport, type ReportBegun } from './reports.ts'
import { ReportsStore, type FoundReport, type KeptReport } from './reports.store.ts'
import { makeStatement, removeStatement, type StatementMade, type StatementRemoved } from './statements.ts'
import { StatementsStore, type Statement } from './statements.store.ts'

export class OrganisationCompliance {
  readonly #parts: GatheringParts
  readonly #statements: StatementsStore
  readonly #kept: ReportsStore
  readonly #reports: Reports
  /** By period: whoever asks for the same meanwhile gets the same. */
  readonly #gathering = new Map<string, Promise<Gathered>>()

  constructor(parts: GatheringParts) {
    this.#parts = parts
    this.#statements = new StatementsStore(parts.sql)
    this.#kept = new ReportsStore(parts.sql)
    this.#reports = new Reports({ journal: parts.stores.journal, reports: this.#kept })
  }

  /** Rejects where R2 or the index does: then ask again. */
  async gather(period: Period, now: number): Promise<Gathered> {
    const name = `${period.first}-${period.last}`
    const running = this.#gathering.get(name)
    if (running !== undefined) return running
    const gathering = gather(this.#parts, period, now)
    this.#gathering.set(name, gathering)
    try {
      return await gathering
    } finally {
      this.#gathering.delete(name)
    }
  }

  listStatements(): Statement[] {
    return this.#parts.takeTurn(() => this.#statements.list())
  }

  makeStatement(statement: Statement, act: Act): StatementMade {
    return this.#parts.takeTurn(() => makeStatement(this.#stores, statement, act))
  }

  removeStatement(subject: string, act: Act, now: number): StatementRemoved {
    return this.#parts.takeTurn(() => removeStatement(this.#stores, subject, act, now))
  }

  beginReport(now: number): ReportBegun {
    return this.#parts.takeTurn(() => this.#reports.begin(now))
  }

  endReport(): void {
    this.#reports.end()
  }

  keepReport(report: NewReport, act: Act, now: number): KeptReport {
    return this.#parts.takeTurn(() => this.#reports.keep(report, act, now))
  }

  listReports(limit: number, cursor: string | null, now: number): KeptReport[] {
    return this.#parts.takeTurn(() => this.#kept.list(limit, cursor, now))
  }

  findReport(id: string, now: number): FoundReport | null {
    return this.#parts.takeTurn(() => this.#kept.find(id, now))
  }

  /** The latest that was made by a time. */
  findReportBy(at: number, now: number): FoundReport | null {
    return this.#parts.takeTurn(() => this.#kept.findMadeBy(at, now))
  }

  get #stores() {
    return { journal: this.#parts.stores.journal, statements: this.#statements }
  }
}
