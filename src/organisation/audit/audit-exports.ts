// Exports of the log's entries, one at a time: begun and ended by an entry each, read a tile of the log at a time, and proven as a
// range of the tree that there was when it began. That one runs is known in memory alone; its pages make it known again.
import { utcDay } from '../../platform/clock.ts'
import type { ArchiveParts, EntriesRange } from '../journal/archive.ts'
import { proveRangeAt, type KnownTree } from '../../tiles/proofs.ts'
import { appendAct, type Act } from '../acts.ts'
import type { Journal } from '../journal/journal.ts'
import type { TakeTurn } from '../stores.ts'
import { LeafReader, type LeavesPage } from './leaf-reader.ts'
import { positionsOfDays, type Days, type Positions } from './positions-of-days.ts'

/** `from`: where it goes on, a position that an earlier one of the same days has ended with. */
export type WantedAuditExport = { id: string; days: Days; from: number | null }

/** The tree has the entry that tells of the export. `running`: another is not ended. `not_of_these_days`: `from` is not. */
export type AuditExportBegun =
  | ({ outcome: 'begun'; tree: KnownTree; next: number | null } & Positions)
  | { outcome: 'running' | 'not_of_these_days' }

/** 64 hexadecimal digits a hash. */
type RangeProof = string[]

/** Of whatever size the log is, an export is made and checked in minutes. */
export const MOST_EXPORTED = 1_000_000

/** One that asks for no further page in this time was cut off: who reads slowly takes a minute for some KiB, and no longer. */
const CUT_OFF_MS = 5 * 60_000

type Parts = {
  kept: ArchiveParts
  journal: Journal
  /** Of whoever oversees the organisation: throws once it is sealed. */
  takeTurn: TakeTurn
}

type Running = { id: string; askedAt: number; reader: LeafReader }

export class AuditExports {
  readonly #parts: Parts
  #running: Running | null = null
  /** The id of the last one that has ended. */
  #ended: string | null = null

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Rejects where R2 does, and nothing is begun. */
  async begin({ id, days, from }: WantedAuditExport, act: Act, now: number): Promise<AuditExportBegun> {
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

  /** A page may be read again. Rejects where R2 does: then ask again. */
  async read(id: string, range: EntriesRange, now: number): Promise<LeavesPage> {
    this.#parts.takeTurn(() => undefined)
    const { reader } = this.#run(id, now)
    // Calls come first: without it they would wait for all pages.
    await scheduler.wait(0)
    return reader.read(range, now)
  }

  /** The proof of what was read. Rejects where R2 does: then ask again. */
  async prove(id: string, range: Positions, tree: KnownTree, now: number): Promise<RangeProof> {
    this.#run(id, now)
    return proveRangeAt(this.#parts.kept.log, range, tree)
  }

  /** The act says whether it is whole. Whoever got no answer may end it again: it ends as it did the first time. */
  end(id: string, act: Act, now: number): void {
    if (this.#ended === id) return
    const { journal, takeTurn } = this.#parts
    takeTurn(() => appendAct(journal, act, now))
    this.#ended = id
    if (this.#running?.id === id) this.#running = null
  }

  /** For others who look for days: what it opens is held as long as it is. */
  newReader(): LeafReader {
    return new LeafReader(this.#parts.kept)
  }

  async #begin(
    reader: LeafReader,
    { days, from }: Omit<WantedAuditExport, 'id'>,
    act: Act,
    now: number,
  ): Promise<AuditExportBegun> {
    const { journal, takeTurn } = this.#parts
    const { next: size } = journal.state
    const found = await positionsOfDays(reader, days, size, now)
    const isOfToday = days.first <= utcDay(now) && utcDay(now) <= days.last
    const last = isOfToday ? size : found.end
    if (from !== null && (from < found.first || from > last)) return { outcome: 'not_of_these_days' }
    const tree = takeTurn(() => {
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
    if (this.#running?.id !== id) this.#running = { id, askedAt: now, reader: this.newReader() }
    this.#running.askedAt = now
    return this.#running
  }
}
