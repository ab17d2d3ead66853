// What whoever oversees an organisation asks of its object: its entries and what was counted of them, its content, its exports, and
// whether what it holds is what was written. Looks that are told in the ledger are written before anything is handed out.
import type { ProvenAnchor } from '../evidence/bundles/anchor.ts'
import type { Archive, FoundEntry } from './journal/archive.ts'
import { checkTiles, type TilesChecked, type WantedTiles } from '../tiles/check-tiles.ts'
import type { KnownTree } from '../tiles/proofs.ts'
import type { TiledLog } from '../tiles/tiled-log.ts'
import type { ApprovalId } from '../platform/ids.ts'
import type { EntriesRange } from './journal/archive.ts'
import type { Act } from './acts.ts'
import type { AuditExportBegun, AuditExports, WantedAuditExport } from './audit/audit-exports.ts'
import { readTrail, type TrailPage, type WantedTrail } from './audit/audit-trail.ts'
import type { LeavesPage } from './audit/leaf-reader.ts'
import type { Positions } from './audit/positions-of-days.ts'
import { openReasons, type OpenedReason } from './approvals/reasons.ts'
import { AnomaliesStore } from './bias/anomalies.store.ts'
import type { FoundAnomaly } from './bias/anomaly.ts'
import { detectBias, type BiasDetected, type WantedBias } from './bias/detect-bias.ts'
import type { AnomalyWatch } from './bias/look-for-anomalies.ts'
import type { StateChecked } from './journal/check-state.ts'
import type { OrganisationCompliance } from './compliance/organisation-compliance.ts'
import type { Gathered, Period } from './compliance/gathered.ts'
import type { NewReport, ReportBegun } from './compliance/reports.ts'
import type { FoundReport, KeptReport } from './compliance/reports.store.ts'
import type { StatementMade, StatementRemoved } from './compliance/statements.ts'
import type { Statement } from './compliance/statements.store.ts'
import type { ContentErased, ContentOpened, OrganisationContent } from './content/organisation-content.ts'
import type { ExportsStore } from './export/exports.store.ts'
import {
  beginExport,
  presentEntries,
  readUsage,
  type ExportBegun,
  type ExportedEntries,
  type Usage,
  type WantedEntries,
} from './export/organisation-export.ts'
import type { LogAnchors } from './publish/log-anchors.ts'
import { ManagedObject } from './managed-object.ts'
import type { OwnLog } from './journal/own-log.ts'
import { exportReceipts, type WantedExport } from './receipts/export-receipts.ts'
import {
  findReceipt,
  listReceipts,
  medicalUseCases,
  type FoundReceipt,
  type KeptReceipt,
  type ListedReceipt,
  type MedicalUseCases,
  type ReceiptParts,
  type ReceiptsPage,
  type WantedReceipts,
} from './receipts/medical-receipts.ts'
import type { TakeTurn } from './stores.ts'
import { checkUsage, type UsageChecked } from './usage/check-usage.ts'
import { ClosedDaysStore, type CountedDay } from './usage/closed-days.store.ts'
import type { UsageFollower } from './usage/follow-log.ts'
import { readAnalytics, type AnalyticsAnswer, type WantedAnalytics } from './usage/read-analytics.ts'

export type Overseen = {
  log: TiledLog
  archive: Archive
  ownLog: OwnLog
  exports: ExportsStore
  content: OrganisationContent
  compliance: OrganisationCompliance
  usage: UsageFollower
  auditExports: AuditExports
  anomalies: AnomalyWatch
  anchors: LogAnchors
  /** Of what the object does by itself, whether it is sealed or not. */
  takeTurn: TakeTurn
}

export abstract class OverseenObject extends ManagedObject {
  protected abstract readonly overseen: Overseen

  /** Where the content of a call is and with which key it opens. The act is in the ledger before that is told. */
  openContent(attestationId: string, act: Act): Promise<ContentOpened> {
    return this.overseen.content.open(attestationId, act, Date.now())
  }

  eraseContent(attestationId: string, act: Act): Promise<ContentErased> {
    return this.overseen.content.erase(attestationId, act, Date.now())
  }

  /** Says at which position the ledger is told. */
  eraseAllContent(act: Act): number {
    const now = Date.now()
    const position = this.overseen.content.eraseAll(act, now)
    this.managed.upkeep.setAlarm(now)
    return position
  }

  /** Where the reasons of an approval's decisions are kept, and with which keys they open. Null where there is no such approval. */
  openReasons(id: ApprovalId, act: Act): Promise<OpenedReason[] | null> {
    const { stores, openTurn } = this.managed
    return openReasons({ archive: this.overseen.archive, stores, takeTurn: openTurn }, id, act, Date.now())
  }

  beginExport(act: Act): ExportBegun {
    const { stores, openTurn } = this.managed
    return openTurn(() => beginExport({ exports: this.overseen.exports, journal: stores.journal }, act, Date.now()))
  }

  readUsage(): Usage {
    return readUsage(this.managed.stores.journal.state)
  }

  async readEntries(wanted: WantedEntries): Promise<ExportedEntries> {
    return presentEntries(await this.overseen.archive.readPage(wanted, Date.now()), wanted)
  }

  /** An entry's bytes, wherever they are kept. */
  async findEntry(position: number): Promise<FoundEntry> {
    return this.overseen.archive.findEntry(position, Date.now())
  }

  listReceipts(wanted: WantedReceipts): Promise<ReceiptsPage<ListedReceipt>> {
    return listReceipts(this.#receiptParts, wanted, Date.now())
  }

  /** A medical receipt, with all that shows it to others. */
  findMedicalReceipt(attestationId: string): Promise<FoundReceipt> {
    return findReceipt(this.#receiptParts, attestationId, Date.now())
  }

  /** The log as it is then, the act included, and what the policy calls medical. */
  beginReceiptsExport(act: Act): ExportBegun & { tree: KnownTree; medical: MedicalUseCases } {
    const { stores, openTurn } = this.managed
    return openTurn(() => {
      const begun = beginExport({ exports: this.overseen.exports, journal: stores.journal }, act, Date.now())
      return { ...begun, tree: stores.journal.tree, medical: medicalUseCases(stores.journal.state) }
    })
  }

  exportReceipts(wanted: WantedExport): Promise<ReceiptsPage<KeptReceipt>> {
    return exportReceipts(this.#receiptParts, wanted, Date.now())
  }

  /** Builds the state again from all events at hand: where it differs from what is held, and nothing where it does not. */
  async checkState(act: Act | null = null): Promise<StateChecked> {
    const { takeTurn } = this.overseen
    this.recordTurn(act, () => undefined)
    const check = takeTurn(() => this.managed.stores.journal.beginCheck())
    for (;;) {
      const checked = takeTurn(() => check.step())
      if (checked !== null) return checked
      await scheduler.wait(0)
    }
  }

  /** All that are kept, in the order in which they began. */
  listAnomalies(): FoundAnomaly[] {
    return this.managed.openTurn(() =>
      new AnomaliesStore(this.ctx.storage.sql).list({ since: 0, until: Number.MAX_SAFE_INTEGER }),
    )
  }

  /** What is due to be looked for is looked for first. The act is in the ledger when this is told. */
  async detectBias(wanted: WantedBias, act: Act): Promise<BiasDetected> {
    const { usage, anomalies } = this.overseen
    await anomalies.lookIfDue(Date.now())
    const { stores, openTurn } = this.managed
    return usage.answer(openTurn, () => detectBias(this.ctx.storage.sql, stores, wanted, act, Date.now()))
  }

  /** Compares some of the log's tiles in R2 with its tree, and restores them where that is wanted. Rejects where R2 does. */
  checkTiles(wanted: WantedTiles, act: Act): Promise<TilesChecked> {
    const known = this.recordTurn(act, () => this.managed.stores.journal.tree)
    return checkTiles({ ...wanted, log: this.overseen.log, known, isServed: false })
  }

  /** What people state, in the order of what it is about. Looks are no entries. */
  listStatements(): Statement[] {
    return this.overseen.compliance.listStatements()
  }

  makeStatement(statement: Omit<Statement, 'statedAt'>, act: Act): StatementMade {
    return this.overseen.compliance.makeStatement({ ...statement, statedAt: Date.now() }, act)
  }

  removeStatement(subject: string, act: Act): StatementRemoved {
    return this.overseen.compliance.removeStatement(subject, act, Date.now())
  }

  /** Counts calls anew from all entries that are kept: where what is held is something else. Rejects where R2 does. */
  checkUsage(): Promise<UsageChecked> {
    const { archive, usage: follower, takeTurn } = this.overseen
    const { journal } = this.managed.stores
    return checkUsage({ sql: this.ctx.storage.sql, journal, archive, follower, takeTurn })
  }

  /** What was counted on the first day from another on that has calls; null where there is none. Rejects as `readAnalytics` does. */
  readCountedDay(from: number): Promise<CountedDay | null> {
    const closed = new ClosedDaysStore(this.ctx.storage.sql)
    return this.overseen.usage.answer(this.managed.openTurn, () => closed.countedFrom(from))
  }

  /** What was counted of calls. Of several turns; rejects where R2 does: then ask again. */
  readAnalytics(wanted: WantedAnalytics): Promise<AnalyticsAnswer> {
    const { stores, openTurn } = this.managed
    return this.overseen.usage.answer(openTurn, (counted) =>
      readAnalytics(counted, stores.journal.state, Date.now(), wanted),
    )
  }

  get #receiptParts(): ReceiptParts {
    const { ownLog, archive, log, auditExports } = this.overseen
    const { stores, openTurn } = this.managed
    return { ownLog, archive, log, reader: auditExports.newReader(), stores, openTurn }
  }

  /** Calls of some days, the latest first, in several turns. */
  readAuditTrail(wanted: WantedTrail): Promise<TrailPage> {
    const { ownLog, auditExports } = this.overseen
    const { stores, openTurn } = this.managed
    const journal = openTurn(() => stores.journal)
    return readTrail({ ownLog, reader: auditExports.newReader(), journal }, wanted, Date.now())
  }

  /** The newest anchor that a tree of this log continues; null where there is none yet. Rejects where R2 does: then ask again. */
  async proveAnchor(tree: KnownTree): Promise<ProvenAnchor | null> {
    this.managed.openTurn(() => undefined)
    return this.overseen.anchors.prove(tree, Date.now())
  }

  /** The act is in the ledger before anything is handed out. */
  beginAuditExport(wanted: WantedAuditExport, act: Act): Promise<AuditExportBegun> {
    return this.overseen.auditExports.begin(wanted, act, Date.now())
  }

  readAuditExport(id: string, range: EntriesRange): Promise<LeavesPage> {
    return this.overseen.auditExports.read(id, range, Date.now())
  }

  /** Says what proves what was read to be a range of the tree. */
  proveAuditExport(id: string, range: Positions, tree: KnownTree): Promise<string[]> {
    return this.overseen.auditExports.prove(id, range, tree, Date.now())
  }

  /** Whole or not, as the act says. */
  endAuditExport(id: string, act: Act): void {
    this.overseen.auditExports.end(id, act, Date.now())
  }

  /** What the compliance checklist is judged by, of several turns. Rejects where R2 does. */
  gatherCompliance(period: Period): Promise<Gathered> {
    return this.overseen.compliance.gather(period, Date.now())
  }

  beginReport(): ReportBegun {
    return this.overseen.compliance.beginReport(Date.now())
  }

  /** Of one that could not be made. */
  endReport(): void {
    this.overseen.compliance.endReport()
  }

  keepReport(report: NewReport, act: Act): KeptReport {
    return this.overseen.compliance.keepReport(report, act, Date.now())
  }

  listReports(limit: number, cursor: string | null): KeptReport[] {
    return this.overseen.compliance.listReports(limit, cursor, Date.now())
  }

  findReport(id: string): FoundReport | null {
    return this.overseen.compliance.findReport(id, Date.now())
  }

  /** The latest that was made by a time. */
  findReportBy(at: number): FoundReport | null {
    return this.overseen.compliance.findReportBy(at, Date.now())
  }
}
