// Reads an organisation's log: entries, tree heads and proofs. Records acts that change nothing else. For the operator it also
// checks state and tiles against the log.
import type { ProvenAnchor } from '../../evidence/bundles/anchor.ts'
import { checkTiles, type TileCheckResult, type TileCheckRequest } from '../../tiles/check-tiles.ts'
import type { KnownTree } from '../../tiles/proofs-from-tiles.ts'
import { notifyWebhook } from '../../notifications/notify.ts'
import type { NotificationEvent } from '../../notifications/webhook-events.ts'
import type { MessageId } from '../../notifications/webhook-messages.store.ts'
import type { Act } from '../append-act.ts'
import { admitReferral, type ReferralLogAnswer } from '../admit/admit-referral.ts'
import { answerLogRead, type CallerKey, type LogAnswer } from '../admit/check-call.ts'
import type { FoundEntry } from '../journal/archive.ts'
import type { StateCheckResult } from '../journal/check-state.ts'
import type {
  ConsistencyAnswer,
  EvidenceAnswer,
  InclusionAnswer,
  ProofSize,
  ProofSizes,
} from '../journal/log-reader.ts'
import { FeatureTarget } from '../feature.target.ts'

export class LogTarget extends FeatureTarget<'stores' | 'turns' | 'log' | 'archive' | 'logReader' | 'anchors'> {
  /** Appends an act that changes nothing in this object, such as listing the operator's organisations. @param told the webhook's message about it */
  recordAct(act: Act, told?: { event: NotificationEvent; messageId: MessageId }): void {
    const { turns, stores } = this.parts
    turns.record(act, () => told && notifyWebhook(stores.outbox, told.event, Date.now(), told.messageId))
    turns.wake(Date.now())
  }

  readTreeHead(caller: CallerKey): Promise<LogAnswer<KnownTree>> {
    return answerLogRead(this.parts.turns, caller, async (tree) => tree)
  }

  proveInclusion(caller: CallerKey, attestationId: string, size: ProofSize): Promise<LogAnswer<InclusionAnswer>> {
    const { logReader, turns } = this.parts
    return answerLogRead(turns, caller, (tree) => logReader.proveInclusion(tree, attestationId, size))
  }

  /** Proves the entry at a position, for a referral key that reads letters. */
  async proveEntry(caller: CallerKey, position: number, size: ProofSize): Promise<ReferralLogAnswer<InclusionAnswer>> {
    const { logReader, turns } = this.parts
    const { tree, look: admission } = turns.call((stores, now) => ({
      look: admitReferral(stores, { ...caller, scope: 'referral:read', entry: null }, now),
      tree: stores.journal.tree,
    }))
    if (admission.outcome !== 'admitted') return admission
    const { rate } = admission
    return { outcome: 'admitted', rate, answer: await logReader.proveEntry(tree, position, size) }
  }

  proveConsistency(caller: CallerKey, sizes: ProofSizes): Promise<LogAnswer<ConsistencyAnswer>> {
    const { logReader, turns } = this.parts
    return answerLogRead(turns, caller, (tree) => logReader.proveConsistency(tree, sizes))
  }

  gatherEvidence(caller: CallerKey, attestationId: string): Promise<LogAnswer<EvidenceAnswer>> {
    const { logReader, turns } = this.parts
    return answerLogRead(turns, caller, (tree) => logReader.gatherEvidence(tree, attestationId, Date.now()))
  }

  /** Returns an entry's bytes from the database or the archive. */
  findEntry(position: number): Promise<FoundEntry> {
    return this.parts.archive.findEntry(position, Date.now())
  }

  /** Returns the newest anchor that this tree continues; null if there is none yet. Rejects if R2 fails; then retry. */
  async proveAnchor(tree: KnownTree): Promise<ProvenAnchor | null> {
    const { anchors, turns } = this.parts
    turns.takeUntilClosed(() => undefined)
    return anchors.prove(tree, Date.now())
  }

  /** Rebuilds the state from all events in the database. Returns where it differs from the one in memory. */
  async checkState(act: Act | null = null): Promise<StateCheckResult> {
    const { stores, turns } = this.parts
    turns.record(act, () => undefined)
    const check = turns.take(() => stores.journal.beginCheck())
    for (;;) {
      const checked = turns.take(() => check.step())
      if (checked !== null) return checked
      await scheduler.wait(0)
    }
  }

  /** Compares some of the log's tiles in R2 with its tree, and restores them if requested. Rejects if R2 fails. */
  checkTiles(request: TileCheckRequest, act: Act): Promise<TileCheckResult> {
    const { stores, turns, log } = this.parts
    const known = turns.record(act, () => stores.journal.tree)
    return checkTiles({ ...request, log, known, isServed: false })
  }
}
