// What an organisation's object does by itself: chores, each of which knows when it is due. An object has one alarm, so the
// earliest of these times is what it is set to.
import { describeThrown, log } from '../platform/log.ts'

/** How long a chore that failed waits, and the alarm itself, where no other wait is told. */
const RETRY_MS = 30_000

export type Chore = {
  /** What the log says where it fails. */
  readonly failure: string
  /** When it is to be done, and done again while it has more to do; null for never. */
  dueAt(now: number): number | null
  /** One step. Harmless twice, and before it is due. */
  run(now: number): void | Promise<void>
  /** How long it waits after it failed. */
  readonly retryMs?: number
}

export class Upkeep {
  readonly #storage: Pick<DurableObjectStorage, 'setAlarm' | 'deleteAlarm'>
  readonly #chores: () => readonly Chore[]
  /** What this instance has set the alarm to; null when it does not know. */
  #wakesAt: number | null = null
  #lastAskedAt = 0
  /** By its failure: no sooner is a chore that failed tried again. */
  readonly #retryAt = new Map<string, number>()

  /** @param chores those that there are now; none for an object that has nothing to wake for ever again */
  constructor(storage: Pick<DurableObjectStorage, 'setAlarm' | 'deleteAlarm'>, chores: () => readonly Chore[]) {
    this.#storage = storage
    this.#chores = chores
  }

  /**
   * Called in the turn that writes what is due: the alarm is then written together with what it is for. Where the clock stepped
   * back, the alarm may have been set to a time that is far away now.
   */
  ensure(due: number, now: number): void {
    const isBack = now < this.#lastAskedAt
    this.#lastAskedAt = now
    if (isBack || this.#wakesAt === null || this.#wakesAt > due) this.setAlarm(now)
  }

  /** Never throws: an alarm that cannot be set is set by the next call. */
  setAlarm(now: number): void {
    void this.#writeAlarm(now).catch((thrown: unknown) => logFailure('alarm_not_set', thrown))
  }

  /**
   * The object's alarm: every chore that has anything to do is begun at once, and none keeps the others from being done. Rejects only when
   * no further alarm can be set: the platform then repeats this one, though not for ever.
   */
  async wake(now: number): Promise<void> {
    this.#wakesAt = null
    await Promise.all(this.#chores().map((chore) => this.#do(chore, now)))
    await this.#writeAlarm(Date.now())
  }

  async #do(chore: Chore, now: number): Promise<void> {
    try {
      if (chore.dueAt(now) === null || this.#retriesAt(chore, now) > now) return
      await chore.run(now)
      this.#retryAt.delete(chore.failure)
    } catch (thrown) {
      this.#retryAt.set(chore.failure, Date.now() + (chore.retryMs ?? RETRY_MS))
      logFailure(chore.failure, thrown)
    }
  }

  #dueAt(chore: Chore, now: number): number | null {
    const due = chore.dueAt(now)
    return due === null ? null : Math.max(due, this.#retriesAt(chore, now))
  }

  /** Where the clock went back, the wait begins anew from there. */
  #retriesAt({ failure, retryMs = RETRY_MS }: Chore, now: number): number {
    const retryAt = Math.min(this.#retryAt.get(failure) ?? 0, now + retryMs)
    this.#retryAt.set(failure, retryAt)
    return retryAt
  }

  async #writeAlarm(now: number): Promise<void> {
    const due = this.#earliest(now)
    this.#wakesAt = due
    try {
      if (due === Infinity) await this.#storage.deleteAlarm()
      else await this.#storage.setAlarm(due)
    } catch (thrown) {
      this.#wakesAt = null
      throw thrown
    }
  }

  /** Soon where the database does not say. */
  #earliest(now: number): number {
    try {
      return Math.min(...this.#chores().map((chore) => this.#dueAt(chore, now) ?? Infinity))
    } catch (thrown) {
      logFailure('alarm_not_known', thrown)
      return now + RETRY_MS
    }
  }
}

const logFailure = (outcome: string, thrown: unknown): void =>
  log({ level: 'error', event: 'unexpected_error', outcome, ...describeThrown(thrown) })
