// When the organisation's object wakes by itself: once a day, soon after receipts were written, in time for requests that
// nobody settled, and to be erased. An object has one alarm, so the earliest of these is what it is set to.
import type { Archive } from '../ledger/archive.ts'
import { DAY_MS, MINUTE_MS, utcDay } from '../platform/clock.ts'
import { describeThrown, log } from '../platform/log.ts'
import { LONGEST_REPEAT_WINDOW_MS } from '../policies/loops.policy.ts'
import type { ErasureStateStore } from './erasure/erasure-state.store.ts'
import { erasureWakesAt } from './erasure/organisation-erasure.ts'
import type { IdempotencyStore } from './idempotency.store.ts'
import type { LoopsStore } from './loops.store.ts'
import type { ReceiptPublisher } from './publish-receipts.ts'
import { UNSETTLED_MS } from './settle-chat.ts'
import type { SpendingStore } from './spending.store.ts'

export const UPKEEP_SCHEMA = `
  CREATE TABLE upkeep (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    cleaned_at INTEGER NOT NULL
  ) STRICT;
`

/** What cannot be put away now is tried again after this. */
const RETRY_MS = 15 * MINUTE_MS

/** Any other part that failed, and the alarm itself. */
const FAILED_RETRY_MS = 30_000

type Cleaned = {
  archive: Archive
  loops: LoopsStore
  claims: IdempotencyStore
  /** Receipts up to this position are in the public log. */
  publishedTo: number
}

/** What is done when the object wakes, by what the log says when it failed. */
type Parts = Readonly<Record<string, () => void | Promise<void>>>

export class Upkeep {
  readonly #storage: DurableObjectStorage
  readonly #spending: SpendingStore
  readonly #publisher: ReceiptPublisher
  readonly #erasure: ErasureStateStore
  /** What this instance has set the alarm to; null when it does not know. */
  #wakesAt: number | null = null
  /** When today's cleaning goes on; null when it has not begun or is done. */
  #cleansAt: number | null = null
  /** No alarm before this: what it is for has just failed. */
  #retryAt = 0

  constructor(
    storage: DurableObjectStorage,
    spending: SpendingStore,
    publisher: ReceiptPublisher,
    erasure: ErasureStateStore,
  ) {
    this.#storage = storage
    this.#spending = spending
    this.#publisher = publisher
    this.#erasure = erasure
  }

  /** Called in the turn that decides: the alarm is then written together with what it is for. */
  ensureAlarmForReceipt(now: number): void {
    const due = Math.max(this.#publisher.dueAfter(now), this.#notBefore(now))
    if (this.#wakesAt === null || this.#wakesAt > due) this.setAlarm(now)
  }

  /** The first call that an instance gets sets the alarm, so that one that was lost comes back with the object's use. */
  ensureAnyAlarm(now: number): void {
    if (this.#wakesAt === null) this.setAlarm(now)
  }

  /** Never throws: an alarm that cannot be set is set by the next call. */
  setAlarm(now: number): void {
    void this.#writeAlarm(now).catch((thrown: unknown) => logFailure('alarm_not_set', thrown))
  }

  /**
   * The object's alarm: every part is begun at once and tried, whatever becomes of the others. Rejects only when no further
   * alarm can be set: the platform then repeats this one, though not for ever.
   */
  async wake(parts: Parts): Promise<void> {
    this.#wakesAt = null
    const areDone = await Promise.all(Object.entries(parts).map(([failure, part]) => isDone(failure, part)))
    const now = Date.now()
    this.#retryAt = areDone.every(Boolean) ? 0 : now + FAILED_RETRY_MS
    await this.#writeAlarm(now)
  }

  /**
   * Once in a UTC day, one step each time the object wakes, so that no call waits long: details past their retention go, old
   * ones move out. What fails is logged and tried again.
   */
  async clean({ archive, loops, claims, publishedTo }: Cleaned, now: number): Promise<void> {
    if (utcDay(this.#cleanedAt(now)) >= utcDay(now) || this.#isTooEarly(now)) return
    try {
      const hasMore = await archive.sweep(publishedTo, now)
      this.#cleansAt = hasMore ? now : null
      if (!hasMore) this.#finishCleaning({ loops, claims }, now)
    } catch (thrown) {
      this.#cleansAt = now + RETRY_MS
      log({ level: 'error', event: 'details_not_archived', ...describeThrown(thrown) })
    }
  }

  #finishCleaning({ loops, claims }: Pick<Cleaned, 'loops' | 'claims'>, now: number): void {
    this.#storage.transactionSync(() => {
      loops.deleteSeenHashes(now - LONGEST_REPEAT_WINDOW_MS)
      claims.deleteOld(now)
      this.#storage.sql.exec('UPDATE upkeep SET cleaned_at = ?', now)
    })
  }

  /** What was done at a later time was done now: the clock was ahead. */
  takeBack(now: number): void {
    this.#cleansAt = null
    this.#storage.sql.exec('UPDATE upkeep SET cleaned_at = ? WHERE cleaned_at > ?', now, now)
  }

  async #writeAlarm(now: number): Promise<void> {
    this.#wakesAt = Math.max(this.#dueAt(now), this.#notBefore(now))
    try {
      // An erased organisation has nothing to wake for.
      if (this.#wakesAt === Infinity) await this.#storage.deleteAlarm()
      else await this.#storage.setAlarm(this.#wakesAt)
    } catch (thrown) {
      this.#wakesAt = null
      throw thrown
    }
  }

  /** When there is something to wake for; soon when the database does not say. */
  #dueAt(now: number): number {
    try {
      const erasure = erasureWakesAt(this.#erasure, now)
      if (erasure === now || erasure === Infinity) return erasure
      const oldest = this.#spending.oldestReservationAt()
      const daily = this.#cleansAt ?? this.#cleanedAt(now) + DAY_MS
      const unsettled = oldest === null ? daily : oldest + UNSETTLED_MS
      return Math.min(daily, unsettled, this.#publisher.dueAt(now) ?? daily, erasure ?? daily)
    } catch (thrown) {
      logFailure('alarm_not_known', thrown)
      this.#retryAt = now + FAILED_RETRY_MS
      return this.#retryAt
    }
  }

  /** A clock that went back does not make the wait longer. */
  #notBefore(now: number): number {
    return Math.min(this.#retryAt, now + FAILED_RETRY_MS)
  }

  /** A wait that is longer than any comes of a clock that went back, and is over. */
  #isTooEarly(now: number): boolean {
    return this.#cleansAt !== null && now < this.#cleansAt && this.#cleansAt - now <= RETRY_MS
  }

  /** The first day counts from the first time anybody asks. */
  #cleanedAt(now: number): number {
    this.#storage.sql.exec('INSERT OR IGNORE INTO upkeep (id, cleaned_at) VALUES (1, ?)', now)
    return this.#storage.sql.exec<{ cleaned_at: number }>('SELECT cleaned_at FROM upkeep').one().cleaned_at
  }
}

/** Begins the part in the same turn as the others. */
async function isDone(failure: string, part: () => void | Promise<void>): Promise<boolean> {
  try {
    await part()
    return true
  } catch (thrown) {
    logFailure(failure, thrown)
    return false
  }
}

const logFailure = (outcome: string, thrown: unknown): void =>
  log({ level: 'error', event: 'unexpected_error', outcome, ...describeThrown(thrown) })
