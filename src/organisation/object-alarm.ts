// Runs the tasks of an organisation's object by its alarm. Each task knows when it is due. The object has one alarm, which is set
// to the earliest of these times.
import { describeThrown, log } from '../platform/log.ts'

/** How long a failed task waits, unless it names another wait. */
const RETRY_MS = 30_000

/** Turns that overlap may tell their times a little out of order. No less counts as a step back, so an alarm is this late at most. */
const LEAST_STEP_BACK_MS = 1000

export type AlarmTask = {
  /** The outcome in the log line of a failure. */
  readonly failure: string
  /** When the task must run, also while it has more to do; null for never. */
  dueAt(now: number): number | null
  /** Runs one step. Safe to repeat, and before the task is due. */
  run(now: number): void | Promise<void>
  /** How long the task waits after a failure. */
  readonly retryMs?: number
}

export class ObjectAlarm {
  readonly #storage: Pick<DurableObjectStorage, 'setAlarm' | 'deleteAlarm'>
  readonly #tasks: () => readonly AlarmTask[]
  /** The time to which this instance has set the alarm; null if it does not know. */
  #wakesAt: number | null = null
  /** Ends when the alarm of `#wakesAt` is set, and rejects if it cannot be. */
  #isSet: Promise<void> = Promise.resolve()
  /** The latest time that a turn told, since the clock last stepped back. */
  #latest = 0
  /** Earliest retry times, by a task's failure. */
  readonly #retryAt = new Map<string, number>()

  /** @param tasks returns the current tasks; none for an object that never needs to wake again */
  constructor(storage: Pick<DurableObjectStorage, 'setAlarm' | 'deleteAlarm'>, tasks: () => readonly AlarmTask[]) {
    this.#storage = storage
    this.#tasks = tasks
  }

  /**
   * Sets the alarm if `due` is before it. Call it in the turn that writes what is due, so that both are stored together. If the
   * clock stepped back, sets the alarm in any case, because the old one may be far away now.
   */
  ensure(due: number, now: number): void {
    const isBack = now <= this.#latest - LEAST_STEP_BACK_MS
    this.#latest = isBack ? now : Math.max(this.#latest, now)
    if (isBack || this.#wakesAt === null || this.#wakesAt > due) this.setAlarm(now)
  }

  /** Sets the alarm to the earliest due time. Never throws: the next call sets an alarm that could not be set. */
  setAlarm(now: number): void {
    void this.#writeAlarm(now).catch((thrown: unknown) => logFailure('alarm_not_set', thrown))
  }

  /**
   * Begins every task that is due at once, so that none delays the others. Rejects only if no further alarm can be set: the
   * platform then repeats this one, though not for ever.
   */
  async wake(now: number): Promise<void> {
    this.#wakesAt = null
    await Promise.all(this.#tasks().map((task) => this.#do(task, now)))
    await this.#writeAlarm(Date.now())
  }

  async #do(task: AlarmTask, now: number): Promise<void> {
    try {
      if (task.dueAt(now) === null || this.#retriesAt(task, now) > now) return
      await task.run(now)
      this.#retryAt.delete(task.failure)
    } catch (thrown) {
      this.#retryAt.set(task.failure, Date.now() + (task.retryMs ?? RETRY_MS))
      logFailure(task.failure, thrown)
    }
  }

  #dueAt(task: AlarmTask, now: number): number | null {
    const due = task.dueAt(now)
    return due === null ? null : Math.max(due, this.#retriesAt(task, now))
  }

  /** Returns when a failed task is due again. If the clock went back, the wait starts again from there. */
  #retriesAt({ failure, retryMs = RETRY_MS }: AlarmTask, now: number): number {
    const retryAt = Math.min(this.#retryAt.get(failure) ?? 0, now + retryMs)
    this.#retryAt.set(failure, retryAt)
    return retryAt
  }

  #writeAlarm(now: number): Promise<void> {
    const due = this.#earliest(now)
    // Setting an alarm is billed as a row. One that is overdue may have been given up.
    if (due !== this.#wakesAt || due <= now) this.#isSet = this.#set(due)
    return this.#isSet
  }

  async #set(due: number): Promise<void> {
    this.#wakesAt = due
    try {
      if (due === Infinity) await this.#storage.deleteAlarm()
      else await this.#storage.setAlarm(due)
    } catch (thrown) {
      this.#wakesAt = null
      throw thrown
    }
  }

  /** Returns the earliest due time, or a time soon if the database fails. */
  #earliest(now: number): number {
    try {
      return Math.min(...this.#tasks().map((task) => this.#dueAt(task, now) ?? Infinity))
    } catch (thrown) {
      logFailure('alarm_not_known', thrown)
      return now + RETRY_MS
    }
  }
}

const logFailure = (outcome: string, thrown: unknown): void =>
  log({ level: 'error', event: 'unexpected_error', outcome, ...describeThrown(thrown) })
