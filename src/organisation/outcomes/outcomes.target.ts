// Records what clinicians chose after readings, and lists the counts.
import { RpcTarget } from 'cloudflare:workers'
import type { ReferralLogAnswer } from '../admit/admit-referral.ts'
import type { CallerKey } from '../admit/check-call.ts'
import type { ObjectParts } from '../object-parts.ts'
import type { CountedMonth } from './outcomes.store.ts'
import { recordOutcome, type NewOutcome, type OutcomeRecorded } from './record-outcome.ts'

type Parts = Pick<ObjectParts, 'stores' | 'turns'>

export class OutcomesTarget extends RpcTarget {
  readonly #parts: Parts

  constructor(parts: Parts) {
    super()
    this.#parts = parts
  }

  record(caller: CallerKey, wanted: NewOutcome): ReferralLogAnswer<OutcomeRecorded> {
    return this.#parts.turns.call((stores, now) => recordOutcome(stores, caller, wanted, now))
  }

  /** Lists the closed months, the oldest first. */
  list(): CountedMonth[] {
    const { stores, turns } = this.#parts
    return turns.takeUntilClosed(() => stores.outcomes.list()).filter(({ closedAt }) => closedAt !== null)
  }
}
