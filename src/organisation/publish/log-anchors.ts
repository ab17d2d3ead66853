// Anchors the log's head in the public log, once for each period in which something was written. An anchor is stored before it is
// sent, and sent until the public log has it. So a crash at any point loses and duplicates none.
import { anchorLeaf, newAnchor, type AnchorDocument, type ProvenAnchor } from '../../evidence/bundles/anchor.ts'
import type { EntriesStore } from '../journal/entries.store.ts'
import { proveConsistencyAt, type KnownTree } from '../../tiles/proofs-from-tiles.ts'
import type { TiledLog } from '../../tiles/tiled-log.ts'
import type { ReceiptBatch, IntakeProgress } from '../../public-log/public-log.client.ts'
import { log as logLine } from '../../platform/log.ts'
import { withTimeLimit } from '../../platform/time.ts'
import { AnchorsStore } from './anchors.store.ts'
import type { Journal } from '../journal/journal.ts'
import { MOST_STEP_BACK_MS } from '../journal/state/state-event.ts'
import type { TakeTurn } from '../organisation-stores.ts'
import type { AlarmTask } from '../object-alarm.ts'

const CALL_LIMIT_MS = 10_000

/** Organisations anchor at different moments of the first sixth of a period, to spread the load on the public log. */
const SPREAD = 6

type Dependencies = {
  storage: Pick<DurableObjectStorage, 'sql' | 'transactionSync'>
  journal: Journal
  entries: EntriesStore
  log: TiledLog
  /** The object's own id, which identifies the log. */
  logId: string
  periodMs: () => number
  /** May throw, like every call to the public log. */
  openLog: () => { appendReceipts(batch: ReceiptBatch): Promise<IntakeProgress> }
  takeTurn: TakeTurn
}

export class LogAnchors {
  readonly #parts: Dependencies
  readonly #store: AnchorsStore

  constructor(parts: Dependencies) {
    this.#parts = parts
    this.#store = new AnchorsStore(parts.storage.sql)
  }

  /** Returns when the head after an entry of this time is due to be anchored: soon after the end of the entry's period. */
  dueAfter(writtenAt: number): number {
    const periodMs = this.#parts.periodMs()
    const spread = Number.parseInt(this.#parts.logId.slice(0, 8), 16) % Math.ceil(periodMs / SPREAD)
    return (Math.floor(writtenAt / periodMs) + 1) * periodMs + spread
  }

  task(): AlarmTask {
    return { failure: 'log_not_anchored', dueAt: (now) => this.#dueAt(now), run: (now) => this.#anchor(now) }
  }

  /** Returns the newest anchor that this tree continues, with the proof; null if none. Rejects if R2 fails; then retry. */
  async prove(tree: KnownTree, now: number): Promise<ProvenAnchor | null> {
    const document = this.#store.findCovered(tree.size, now)
    if (document === null) return null
    const sizes = { oldSize: document.tree_size, newSize: tree.size }
    return { document, consistency: await proveConsistencyAt(this.#parts.log, sizes, tree) }
  }

  #dueAt(now: number): number | null {
    if (this.#store.findWaiting() !== null) return now
    const anchored = this.#store.newestSize()
    if (anchored >= this.#parts.journal.state.next) return null
    const at = this.#parts.entries.timeOf(anchored)
    // An entry not in the database is days old, and one far ahead is from a clock that was wrong: neither waits.
    return at === null || at > now + MOST_STEP_BACK_MS ? now : this.dueAfter(at)
  }

  async #anchor(now: number): Promise<void> {
    const document = this.#store.findWaiting() ?? this.#make(now)
    if (document === null) return
    const { tree_size: position, anchor_id: attestationId } = document
    const receipts = [{ position, attestationId, leafHash: anchorLeaf(document) }]
    // The public log skips sizes that it has, so no earlier anchor is sent again.
    const batch = { source: `${this.#parts.logId}/anchors`, after: -1, receipts }
    const { takenTo } = await withTimeLimit(this.#parts.openLog().appendReceipts(batch), CALL_LIMIT_MS)
    // This database was restored: nothing is anchored again until the log is larger than before.
    if (takenTo > position) logLine({ level: 'error', event: 'submission_failed', outcome: 'log_is_ahead' })
    this.#parts.storage.transactionSync(() => this.#store.markTaken(position, Date.now()))
  }

  /** Returns null if no anchor is due: an alarm may come early. */
  #make(now: number): AnchorDocument | null {
    return this.#parts.takeTurn(() => {
      const due = this.#dueAt(now)
      if (due === null || due > now) return null
      const { size, root } = this.#parts.journal.tree
      const document = newAnchor({ logId: this.#parts.logId, size, root, at: now })
      this.#store.insert(document)
      return document
    })
  }
}
