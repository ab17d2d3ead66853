// Reads the audit trail of an organisation's calls, and exports its log one export at a time. An export's begin and end are log
// entries, and each page is one tile. The export is proven as a range of the tree at its begin. The running export is only in
// memory; after a restart its next page registers it again.
import { utcDay } from '../../platform/time.ts'
import type { EntriesRange } from '../journal/archive.ts'
import { proveRangeAt, type KnownTree } from '../../tiles/proofs-from-tiles.ts'
import { appendAct, type Act } from '../append-act.ts'
import { FeatureTarget } from '../feature.target.ts'
import { endDueApprovals } from '../approvals/approval-steps.ts'
import { CallIndexStore, type StopCount } from '../usage/call-index.store.ts'
import { correctCost, type CostCorrection, type WantedCorrection } from '../usage/correct-cost.ts'
import { ENDING_NAMES, outcomeOf } from '../../evidence/records/call-endings.ts'
import { indexFilterOf, periodOf, readTrail, type TrailFilter, type TrailPage, type TrailQuery } from './audit-trail.ts'
import { listMadeExports, type MadeExport } from './made-exports.ts'
import type { ProvenEntry } from '../journal/log-reader.ts'
import type { LeafReader, LeavesPage } from './leaf-reader.ts'
import { readSelection, type SelectionPage } from './selection.ts'
import { positionsOfDays, type Days, type Positions } from './find-positions.ts'

/** `isByKey`: count each key's calls apart. */
export type StopsQuery = { days: Days; filter: TrailFilter; isByKey: boolean }

/** `from`: the position at which an earlier export of the same days ended; null to begin at their start. */
export type WantedAuditExport = { id: string; days: Days; from: number | null }

/** `tree`: includes the export's own entry. `running`: another export runs. `not_of_these_days`: `from` is not in the days. */
export type AuditExportBegun =
  | ({ outcome: 'begun'; tree: KnownTree; next: number | null } & Positions)
  | { outcome: 'running' | 'not_of_these_days' }

/** Hashes, each as 64 hexadecimal digits. */
type RangeProof = string[]

/** The most log positions in one export: making and checking it then takes minutes, however large the log is. */
export const MOST_EXPORTED = 1_000_000

/** An export that reads no page for this long was cut off: a slow reader takes at most a minute for some KiB. */
const CUT_OFF_MS = 5 * 60_000

type RunningExport = { id: string; askedAt: number; reader: LeafReader }

export class AuditTarget extends FeatureTarget<
  'sql' | 'stores' | 'turns' | 'usage' | 'archive' | 'log' | 'logReader' | 'newLeafReader'
> {
  #running: RunningExport | null = null
  /** The id of the export that ended last. */
  #ended: string | null = null

  /** Returns calls of some days, newest first. Takes several turns. Rejects if R2 fails; then retry. */
  readTrail(wanted: TrailQuery): Promise<TrailPage> {
    return readTrail(this.parts, wanted, Date.now())
  }

  /** Counts calls of some days by the rule that stopped them. Rejects as `readTrail` does. */
  countStops({ days, filter, isByKey }: StopsQuery): Promise<StopCount[]> {
    const { sql, stores, turns, usage } = this.parts
    const now = Date.now()
    turns.takeUntilClosed(() => endDueApprovals(stores, now))
    const stopping = ENDING_NAMES.filter((ending) => outcomeOf(ending) !== 'passed')
    return usage.answer(turns.takeUntilClosed, () =>
      new CallIndexStore(sql).count(periodOf(days), indexFilterOf(filter, stopping), { isByKey, nowMs: now }),
    )
  }

  /** Corrects the cost of an interrupted call. Rejects if R2 fails; then retry. */
  correctCost(wanted: WantedCorrection, act: Act): Promise<CostCorrection> {
    return correctCost(this.parts, wanted, act)
  }

  /** Returns the latest exports. Rejects if R2 fails; then retry. */
  listExports(limit: number): Promise<MadeExport[]> {
    return listMadeExports(this.parts, limit, Date.now())
  }

  /** Begins an export. Its act is in the log before any page is returned. Rejects if R2 fails, and then no export has begun. */
  async beginExport({ id, days, from }: WantedAuditExport, act: Act): Promise<AuditExportBegun> {
    const now = Date.now()
    if (this.#isRunning(now)) return { outcome: 'running' }
    const running = this.#ensureRunning(id, now)
    try {
      const begun = await this.#begin(running.reader, { days, from }, act, now)
      if (begun.outcome !== 'begun') this.#running = null
      return begun
    } catch (thrown) {
      this.#running = null
      throw thrown
    }
  }

  /** Reads one page, which may be read again. Rejects if R2 fails; then retry. */
  async readExport(id: string, range: EntriesRange): Promise<LeavesPage> {
    const now = Date.now()
    this.parts.turns.takeUntilClosed(() => undefined)
    const { reader } = this.#ensureRunning(id, now)
    // Lets waiting calls run first. Without this they would wait for all pages.
    await scheduler.wait(0)
    return reader.read(range, now)
  }

  /** Begins an export of the calls that a filter lists, and returns the tree for its proofs. Null if another export runs. */
  beginSelection(id: string, act: Act): KnownTree | null {
    const now = Date.now()
    if (this.#isRunning(now)) return null
    const { journal } = this.parts.stores
    const tree = this.parts.turns.takeUntilClosed(() => {
      appendAct(journal, act, now)
      return journal.tree
    })
    this.#ensureRunning(id, now)
    return tree
  }

  /** Reads one page of such an export, which may be read again. Rejects if R2 fails; then retry. */
  async readSelection(id: string, wanted: TrailQuery, tree: KnownTree): Promise<SelectionPage> {
    const now = Date.now()
    this.#ensureRunning(id, now)
    return readSelection(this.parts, wanted, tree, now)
  }

  /** Returns a coverage entry that a page names, with its proof. Null if it cannot be read. Rejects if R2 fails; then retry. */
  async proveCoverage(id: string, position: number, tree: KnownTree): Promise<ProvenEntry | null> {
    const now = Date.now()
    this.#ensureRunning(id, now)
    return this.parts.logReader.proveCoverage(tree, position, now)
  }

  /** Proves that the pages are a range of the tree. Rejects if R2 fails; then retry. */
  async proveExport(id: string, range: Positions, tree: KnownTree): Promise<RangeProof> {
    this.#ensureRunning(id, Date.now())
    return proveRangeAt(this.parts.log, range, tree)
  }

  /** The act says whether the export is complete. Safe to repeat: only the first end counts. */
  endExport(id: string, act: Act): void {
    if (this.#ended === id) return
    const { stores, turns } = this.parts
    turns.takeUntilClosed(() => appendAct(stores.journal, act, Date.now()))
    this.#ended = id
    if (this.#running?.id === id) this.#running = null
  }

  async #begin(
    reader: LeafReader,
    { days, from }: Omit<WantedAuditExport, 'id'>,
    act: Act,
    now: number,
  ): Promise<AuditExportBegun> {
    const { turns } = this.parts
    const { journal } = this.parts.stores
    const { next: size } = journal.state
    const found = await positionsOfDays(reader, days, size, now)
    const isOfToday = days.first <= utcDay(now) && utcDay(now) <= days.last
    const last = isOfToday ? size : found.end
    if (from !== null && (from < found.first || from > last)) return { outcome: 'not_of_these_days' }
    const tree = turns.takeUntilClosed(() => {
      appendAct(journal, act, now)
      return journal.tree
    })
    const first = from ?? found.first
    const end = isOfToday ? tree.size : found.end
    const next = first + MOST_EXPORTED < end ? first + MOST_EXPORTED : null
    return { outcome: 'begun', first, end: next ?? end, tree, next }
  }

  #isRunning(now: number): boolean {
    return this.#running !== null && now - this.#running.askedAt < CUT_OFF_MS
  }

  /** Makes this the running export, if it is not. Throws if another one has begun since this one last read a page. */
  #ensureRunning(id: string, now: number): RunningExport {
    if (this.#running !== null && this.#running.id !== id && this.#isRunning(now)) {
      throw new Error('another export has begun since')
    }
    if (this.#running?.id !== id) this.#running = { id, askedAt: now, reader: this.parts.newLeafReader() }
    this.#running.askedAt = now
    return this.#running
  }
}
