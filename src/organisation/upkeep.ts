// When the organisation's object wakes by itself: once a day, and in time for requests that nobody settled. An object
// has one alarm, so the earliest of these is what it is set to.
import type { LedgerStore } from '../ledger/ledger.store.ts'
import { DAY_MS, utcDay } from '../platform/clock.ts'
import { LOOP_DEFAULTS } from '../policies/loops.policy.ts'
import type { LoopsStore } from './loops.store.ts'
import { UNSETTLED_MS } from './settle-chat.ts'
import type { SpendingStore } from './spending.store.ts'

export const UPKEEP_SCHEMA = `
  CREATE TABLE upkeep (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    cleaned_at INTEGER NOT NULL
  ) STRICT;
`

type Cleaned = { ledger: LedgerStore; loops: LoopsStore }

export class Upkeep {
  readonly #storage: DurableObjectStorage
  readonly #spending: SpendingStore
  /** What this instance has set the alarm to; null when it does not know. */
  #wakesAt: number | null = null

  constructor(storage: DurableObjectStorage, spending: SpendingStore) {
    this.#storage = storage
    this.#spending = spending
  }

  /** Called in the turn that reserves: the alarm is then written together with what it is for. */
  ensureAlarm(now: number): void {
    if (this.#wakesAt === null || this.#wakesAt > now + UNSETTLED_MS) this.setAlarm(now)
  }

  setAlarm(now: number): void {
    const oldest = this.#spending.oldestReservationAt()
    const daily = this.#cleanedAt(now) + DAY_MS
    this.#wakesAt = oldest === null ? daily : Math.min(daily, oldest + UNSETTLED_MS)
    void this.#storage.setAlarm(this.#wakesAt)
  }

  /** Once in a UTC day, for it reads all of the details: those past their retention go. */
  clean({ ledger, loops }: Cleaned, now: number): void {
    if (utcDay(this.#cleanedAt(now)) >= utcDay(now)) return
    ledger.deleteExpiredDetails(now)
    loops.deleteSeenHashes(now - LOOP_DEFAULTS.repeatWindowMs)
    this.#storage.sql.exec('UPDATE upkeep SET cleaned_at = ?', now)
  }

  /** The first day counts from the first time anybody asks. */
  #cleanedAt(now: number): number {
    this.#storage.sql.exec('INSERT OR IGNORE INTO upkeep VALUES (1, ?)', now)
    return this.#storage.sql.exec<{ cleaned_at: number }>('SELECT cleaned_at FROM upkeep').one().cleaned_at
  }
}
