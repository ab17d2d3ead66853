// When the organisation's object wakes by itself: once a day, soon after receipts were written, and in time for requests
// that nobody settled. An object has one alarm, so the earliest of these is what it is set to.
import type { Archive } from '../ledger/archive.ts'
import { DAY_MS, MINUTE_MS, utcDay } from '../platform/clock.ts'
import { framesOf, log } from '../platform/log.ts'
import { LOOP_DEFAULTS } from '../policies/loops.policy.ts'
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

type Cleaned = {
  archive: Archive
  loops: LoopsStore
  /** Receipts up to this position are in the public log. */
  publishedTo: number
}

export class Upkeep {
  readonly #storage: DurableObjectStorage
  readonly #spending: SpendingStore
  readonly #publisher: ReceiptPublisher
  /** What this instance has set the alarm to; null when it does not know. */
  #wakesAt: number | null = null
  /** When today's cleaning goes on; null when it has not begun or is done. */
  #cleansAt: number | null = null

  constructor(storage: DurableObjectStorage, spending: SpendingStore, publisher: ReceiptPublisher) {
    this.#storage = storage
    this.#spending = spending
    this.#publisher = publisher
  }

  /** Called in the turn that decides: the alarm is then written together with what it is for. */
  ensureAlarm(now: number): void {
    if (this.#wakesAt === null || this.#wakesAt > this.#publisher.dueAfter(now)) this.setAlarm(now)
  }

  setAlarm(now: number): void {
    const oldest = this.#spending.oldestReservationAt()
    const daily = this.#cleansAt ?? this.#cleanedAt(now) + DAY_MS
    const unsettled = oldest === null ? daily : oldest + UNSETTLED_MS
    this.#wakesAt = Math.min(daily, unsettled, this.#publisher.dueAt() ?? daily)
    void this.#storage.setAlarm(this.#wakesAt)
  }

  /**
   * Once in a UTC day, one step each time the object wakes, so that no call waits long: details past their retention go, old
   * ones move out. Never rejects: what fails is logged and tried again.
   */
  async clean({ archive, loops, publishedTo }: Cleaned, now: number): Promise<void> {
    if (utcDay(this.#cleanedAt(now)) >= utcDay(now) || this.#isTooEarly(now)) return
    try {
      const isDone = !(await archive.sweep(publishedTo, now))
      this.#cleansAt = isDone ? null : now
      if (!isDone) return
    } catch (thrown) {
      this.#cleansAt = now + RETRY_MS
      logFailure(thrown)
      return
    }
    this.#storage.transactionSync(() => {
      loops.deleteSeenHashes(now - LOOP_DEFAULTS.repeatWindowMs)
      this.#storage.sql.exec('UPDATE upkeep SET cleaned_at = ?', now)
    })
  }

  /** A clock that went back does not make the wait longer. */
  #isTooEarly(now: number): boolean {
    return this.#cleansAt !== null && now < this.#cleansAt && this.#cleansAt - now <= RETRY_MS
  }

  /** The first day counts from the first time anybody asks. */
  #cleanedAt(now: number): number {
    this.#storage.sql.exec('INSERT OR IGNORE INTO upkeep VALUES (1, ?)', now)
    return this.#storage.sql.exec<{ cleaned_at: number }>('SELECT cleaned_at FROM upkeep').one().cleaned_at
  }
}

function logFailure(thrown: unknown): void {
  const errorClass = thrown instanceof Error ? thrown.name : typeof thrown
  log({ level: 'error', event: 'details_not_archived', error_class: errorClass, thrown_at: framesOf(thrown) })
}
