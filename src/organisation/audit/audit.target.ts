// The audit trail of an organisation's calls, and exports of its log. One export runs at a time. Its begin and end are entries
// of the log, its pages are a tile of the log each, and it is proven as a range of the tree at its begin. Only memory knows
// that an export runs; after a restart its next page makes it known again.
import { RpcTarget } from 'cloudflare:workers'
import { utcDay } from '../../platform/time.ts'
import type { EntriesRange } from '../journal/archive.ts'
import { proveRangeAt, type KnownTree } from '../../tiles/proofs.ts'
import { appendAct, type Act } from '../acts.ts'
import type { ObjectParts } from '../object-parts.ts'
import { readTrail, type TrailPage, type WantedTrail } from './audit-trail.ts'
import type { LeafReader, LeavesPage } from './leaf-reader.ts'
import { positionsOfDays, type Days, type Positions } from './positions-of-days.ts'

/** `from`: where it goes on, a position that an earlier one of the same days has ended with. */
export type WantedAuditExport = { id: string; days: Days; from: number | null }

/** The tree has the entry that tells of the export. `running`: another is not ended. `not_of_these_days`: `from` is not. */
export type AuditExportBegun =
  | ({ outcome: 'begun'; tree: KnownTree; next: number | null } & Positions)
  | { outcome: 'running' | 'not_of_these_days' }

/** 64 hexadecimal digits a hash. */
type RangeProof = string[]

/** The most log positions in one export, so that it is made and checked in minutes, however large the log is. */
export const MOST_EXPORTED = 1_000_000

/** An export that asks for no further page in this time was cut off: a slow reader takes a minute for some KiB at most. */
const CUT_OFF_MS = 5 * 60_000

type Parts = Pick<ObjectParts, 'stores' | 'turns' | 'log' | 'logReader' | 'newLeafReader'>

type Running = { id: string; askedAt: number; reader: LeafReader }

export class AuditTarget extends RpcTarget {
  readonly #parts: Parts
  #running: Running | null = null
  /** The id of the last one that has ended. */
  #ended: string | null = null

  constructor(parts: Parts) {
    super()
    this.#parts = parts
  }

  /** Calls of some days, the latest first. Takes several turns. Rejects if R2 does: then ask again. */
  readTrail(wanted: WantedTrail): Promise<TrailPage> {
    const { logReader, newLeafReader, stores, turns } = this.#parts
    const journal = turns.open(() => stores.journal)
    return readTrail({ logReader, reader: newLeafReader(), journal }, wanted, Date.now())
  }

  /** The act is in the log before anything is handed out. Rejects if R2 does, and nothing is begun. */
  async beginExport({ id, days, from }: WantedAuditExport, act: Act): Promise<AuditExportBegun> {
    const now = Date.now()
    if (this.#isRunning(now)) return { outcome: 'running' }
    const running = this.#run(id, now)
    try {
      const begun = await this.#begin(running.reader, { days, from }, act, now)
      if (begun.outcome !== 'begun') this.#running = null
      return begun
    } catch (thrown) {
      this.#running = null
      throw thrown
    }
  }

  /** A page may be read again. Rejects if R2 does: then ask again. */
  async readExport(id: string, range: EntriesRange): Promise<LeavesPage> {
    const now = Date.now()
    this.#parts.turns.open(() => undefined)
    const { reader } = this.#run(id, now)
    // Calls come first: without it they would wait for all pages.
    await scheduler.wait(0)
    return reader.read(range, now)
  }

  /** Proves that the pages are a range of the tree. Rejects if R2 does: then ask again. */
  async proveExport(id: string, range: Positions, tree: KnownTree): Promise<RangeProof> {
    this.#run(id, Date.now())
    return proveRangeAt(this.#parts.log, range, tree)
  }

  /** The act says whether the export is whole. Safe to repeat: the first end holds. */
  endExport(id: string, act: Act): void {
    if (this.#ended === id) return
    const { stores, turns } = this.#parts
    turns.open(() => appendAct(stores.journal, act, Date.now()))
    this.#ended = id
    if (this.#running?.id === id) this.#running = null
  }

  async #begin(
    reader: LeafReader,
    { days, from }: Omit<WantedAuditExport, 'id'>,
    act: Act,
    now: number,
  ): Promise<AuditExportBegun> {
    const { turns } = this.#parts
    const { journal } = this.#parts.stores
    const { next: size } = journal.state
    const found = await positionsOfDays(reader, days, size, now)
    const isOfToday = days.first <= utcDay(now) && utcDay(now) <= days.last
    const last = isOfToday ? size : found.end
    if (from !== null && (from < found.first || from > last)) return { outcome: 'not_of_these_days' }
    const tree = turns.open(() => {
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

  /** Throws where another has begun since this one was last asked for. */
  #run(id: string, now: number): Running {
    if (this.#running !== null && this.#running.id !== id && this.#isRunning(now)) {
      throw new Error('another export has begun since')
    }
    if (this.#running?.id !== id) this.#running = { id, askedAt: now, reader: this.#parts.newLeafReader() }
    this.#running.askedAt = now
    return this.#running
  }
}
