// Reads an organisation's log: entries, tree heads and proofs. Also checks state and tiles against the log, for the operator.
import { RpcTarget } from 'cloudflare:workers'
import type { ProvenAnchor } from '../../evidence/bundles/anchor.ts'
import { checkTiles, type TilesChecked, type WantedTiles } from '../../tiles/check-tiles.ts'
import type { KnownTree } from '../../tiles/proofs.ts'
import type { Act } from '../acts.ts'
import { answerLogRead, type ChatCaller, type LogAnswer } from '../admit/check-call.ts'
import type { FoundEntry } from '../journal/archive.ts'
import type { StateChecked } from '../journal/check-state.ts'
import type {
  ConsistencyAnswer,
  EvidenceAnswer,
  InclusionAnswer,
  WantedSize,
  WantedSizes,
} from '../journal/log-reader.ts'
import type { ObjectParts } from '../object-parts.ts'

type Parts = Pick<ObjectParts, 'stores' | 'turns' | 'log' | 'archive' | 'logReader' | 'anchors'>

export class LogTarget extends RpcTarget {
  readonly #parts: Parts

  constructor(parts: Parts) {
    super()
    this.#parts = parts
  }

  /** Appends an act that changes nothing in this object, such as listing the operator's organisations. */
  recordAct(act: Act): void {
    const { turns } = this.#parts
    turns.record(act, () => undefined)
    turns.wake(Date.now())
  }

  readTreeHead(caller: ChatCaller): Promise<LogAnswer<KnownTree>> {
    return answerLogRead(this.#parts.turns, caller, async (tree) => tree)
  }

  proveInclusion(caller: ChatCaller, attestationId: string, size: WantedSize): Promise<LogAnswer<InclusionAnswer>> {
    const { logReader, turns } = this.#parts
    return answerLogRead(turns, caller, (tree) => logReader.proveInclusion(tree, attestationId, size))
  }

  proveConsistency(caller: ChatCaller, sizes: WantedSizes): Promise<LogAnswer<ConsistencyAnswer>> {
    const { logReader, turns } = this.#parts
    return answerLogRead(turns, caller, (tree) => logReader.proveConsistency(tree, sizes))
  }

  gatherEvidence(caller: ChatCaller, attestationId: string): Promise<LogAnswer<EvidenceAnswer>> {
    const { logReader, turns } = this.#parts
    return answerLogRead(turns, caller, (tree) => logReader.gatherEvidence(tree, attestationId, Date.now()))
  }

  /** Returns an entry's bytes from the database or the archive. */
  findEntry(position: number): Promise<FoundEntry> {
    return this.#parts.archive.findEntry(position, Date.now())
  }

  /** Returns the newest anchor that this tree continues; null if there is none yet. Rejects if R2 fails; then retry. */
  async proveAnchor(tree: KnownTree): Promise<ProvenAnchor | null> {
    const { anchors, turns } = this.#parts
    turns.takeUntilSealed(() => undefined)
    return anchors.prove(tree, Date.now())
  }

  /** Rebuilds the state from all events in the database. Returns where it differs from the one in memory. */
  async checkState(act: Act | null = null): Promise<StateChecked> {
    const { stores, turns } = this.#parts
    turns.record(act, () => undefined)
    const check = turns.take(() => stores.journal.beginCheck())
    for (;;) {
      const checked = turns.take(() => check.step())
      if (checked !== null) return checked
      await scheduler.wait(0)
    }
  }

  /** Compares some of the log's tiles in R2 with its tree, and restores them if requested. Rejects if R2 fails. */
  checkTiles(wanted: WantedTiles, act: Act): Promise<TilesChecked> {
    const { stores, turns, log } = this.#parts
    const known = turns.record(act, () => stores.journal.tree)
    return checkTiles({ ...wanted, log, known, isServed: false })
  }
}
