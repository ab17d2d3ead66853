// Runs turns: the synchronous transactions of an organisation's object. A turn is what one call decides and writes. A turn that
// fails changes nothing, and memory is then read from the rows again.
import { appendAct, type Act } from './append-act.ts'
import { hourCountsDueAt } from './admit/hour-counts.ts'
import { approvalsDueAt } from './approvals/approval-steps.ts'
import { turnsUntilClosed } from './erasure/erasure-refusal.ts'
import type { Stores, TakeTurn } from './organisation-stores.ts'
import type { ObjectAlarm } from './object-alarm.ts'

type Parts = {
  storage: Pick<DurableObjectStorage, 'transactionSync'>
  stores: Stores
  alarm: () => Pick<ObjectAlarm, 'ensure' | 'setAlarm'>
  /** Returns when the object must wake for the entries that a turn has written. */
  growthDueAt: (now: number) => number
}

export class Turns {
  readonly #parts: Parts
  readonly #takeStored: TakeTurn

  /** A turn for calls, and for what the object does by itself. Throws what `work` throws. */
  readonly take: TakeTurn = (work) => {
    const { stores } = this.#parts
    const done = this.#takeStored(work)
    const now = Date.now()
    const { messages, members } = stores.outbox
    if ([messages.takeNew(), members.takeNew()].includes(true)) this.#parts.alarm().setAlarm(now)
    if (stores.journal.takeHasGrown()) this.#parts.alarm().ensure(this.#parts.growthDueAt(now), now)
    return done
  }

  /** A turn for management and oversight. It throws if the organisation is sealed for erasure. */
  readonly takeUntilClosed: TakeTurn

  constructor(parts: Parts) {
    this.#parts = parts
    this.#takeStored = createTurnRunner(parts.storage, parts.stores)
    this.takeUntilClosed = turnsUntilClosed(this.take, parts.stores.erasure)
  }

  /** Takes a turn as `takeUntilClosed` does, and appends an act in it if there is one. */
  record<T>(act: Act | null, work: () => T): T {
    return this.takeUntilClosed(() => {
      if (act !== null) appendAct(this.#parts.stores.journal, act, Date.now())
      return work()
    })
  }

  /**
   * Takes a turn as `takeUntilClosed` does, for a change of settings, policy or keys.
   * @param dueAt when the object must wake for it; by default to end approvals, which end with their policy and key
   */
  change<T>(
    work: (stores: Stores, now: number) => T,
    dueAt: (stores: Stores, now: number) => number | null = approvalsDueAt,
  ): T {
    const now = Date.now()
    const { stores, alarm } = this.#parts
    const changed = this.takeUntilClosed(() => work(stores, now))
    const due = dueAt(stores, now)
    if (due !== null) alarm().ensure(due, now)
    return changed
  }

  /**
   * Takes the turn of a call that counts.
   * @param dueAt when the object must wake for what was written; by default, to write the hour's counts
   */
  call<T>(
    work: (stores: Stores, now: number) => T,
    dueAt: (now: number) => number = () => hourCountsDueAt(this.#parts.stores.journal) ?? Infinity,
  ): T {
    const now = Date.now()
    const outcome = this.take(() => work(this.#parts.stores, now))
    this.#parts.alarm().ensure(dueAt(now), now)
    return outcome
  }

  /** Sets the alarm for the task that is due next. */
  wake(now: number): void {
    this.#parts.alarm().setAlarm(now)
  }
}

/** Returns the function that takes turns. A turn throws what `work` throws; it changed nothing, and memory is read again. */
export function createTurnRunner(storage: Pick<DurableObjectStorage, 'transactionSync'>, stores: Stores): TakeTurn {
  return (work) => {
    try {
      return storage.transactionSync(work)
    } catch (thrown) {
      for (const store of [stores.journal, stores.keys, stores.erasure, stores.outbox.webhook, stores.outbox.members])
        store.forget()
      throw thrown
    }
  }
}
