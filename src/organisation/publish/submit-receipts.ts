// Sends the organisation's receipts to the public log, within half a minute of being written, so that no call waits for it.
// The cursor moves after the public log has them. So a crash at any point sends some twice at worst, and loses none.
import { EntriesStore } from '../journal/entries.store.ts'
import { LogProgressStore } from '../journal/log-progress.store.ts'
import type { ReceiptBatch, IntakeProgress } from '../../public-log/public-log.client.ts'
import { describeThrown, log } from '../../platform/log.ts'
import { withTimeLimit } from '../../platform/time.ts'

/** How long a receipt waits at least, so that later ones are sent with it. */
const SUBMIT_AFTER_MS = 5000

/** The time between two submissions, since each writes rows here and in the public log. No receipt waits longer. */
const BETWEEN_MS = 30_000

const LONGEST_RETRY_MS = 30_000
const CALL_LIMIT_MS = 10_000

/** Counts entries of any kind: one admitted request makes two. */
const ENTRIES_AT_ONCE = 1000
const BATCHES_AT_ONCE = 20

type PublicLogIntake = { appendReceipts(batch: ReceiptBatch): Promise<IntakeProgress> }

type Dependencies = {
  storage: DurableObjectStorage
  /** The name by which the public log knows this object. */
  source: string
  /** May throw, like every call to the public log. */
  openLog: () => PublicLogIntake
}

export class ReceiptSubmitter {
  readonly #parts: Dependencies
  readonly #entries: EntriesStore
  readonly #progress: LogProgressStore
  /** When receipts were last sent. Unknown after a start: the next are then sent early. */
  #submittedAt = 0
  #failures = 0
  /** The earliest retry after the public log did not answer. */
  #retryAt = 0

  constructor(parts: Dependencies) {
    this.#parts = parts
    this.#entries = new EntriesStore(parts.storage.sql)
    this.#progress = new LogProgressStore(parts.storage.sql)
  }

  /** Returns when a receipt written at `writtenAt` is due. */
  dueAfter(writtenAt: number, now = writtenAt): number {
    const written = Math.min(writtenAt, now)
    const next = Math.min(this.#submittedAt, written) + BETWEEN_MS
    return Math.max(written + SUBMIT_AFTER_MS, next, Math.min(this.#retryAt, now + LONGEST_RETRY_MS))
  }

  /** Returns when the object must wake to send receipts; null if all are sent. */
  dueAt(now: number): number | null {
    const oldest = this.oldestWaiting()
    return oldest === null ? null : this.dueAfter(oldest.at, now)
  }

  /** Returns the first receipt that the public log is missing. If a whole batch has no receipt: the last entry of the batch. */
  oldestWaiting(): { position: number; at: number } | null {
    return this.#entries.firstReceiptAfter(this.#progress.read().submittedTo, ENTRIES_AT_ONCE)
  }

  /** Sends the waiting receipts. Never rejects: failures are logged and retried. Calls are admitted meanwhile. */
  async submit(): Promise<void> {
    try {
      const now = Date.now()
      for (let batch = 0; batch < BATCHES_AT_ONCE; batch += 1) {
        if (!(await this.#submitNext(now))) break
      }
      this.#failures = 0
      this.#retryAt = 0
    } catch (thrown) {
      this.#failures += 1
      this.#retryAt = Date.now() + Math.min(SUBMIT_AFTER_MS * 2 ** this.#failures, LONGEST_RETRY_MS)
      log({ level: 'error', event: 'submission_failed', ...describeThrown(thrown) })
    }
  }

  /** Returns true if there is more to send. @param now when the submission began */
  async #submitNext(now: number): Promise<boolean> {
    const { submittedTo, lastReceipt: after } = this.#progress.read()
    const { receipts, upTo, hasMore } = this.#entries.listReceipts(submittedTo, ENTRIES_AT_ONCE)
    const last = receipts.at(-1)
    if (last === undefined) {
      this.#advance({ submittedTo: upTo, lastReceipt: after })
      return hasMore
    }
    const batch = { source: this.#parts.source, after, receipts }
    const { takenTo } = await withTimeLimit(this.#parts.openLog().appendReceipts(batch), CALL_LIMIT_MS)
    this.#submittedAt = now
    if (takenTo < after) {
      // The public log is missing earlier receipts, for example because its database was restored: they are sent again.
      log({ level: 'error', event: 'submission_failed', outcome: 'gap' })
      this.#advance({ submittedTo: takenTo, lastReceipt: takenTo })
      return true
    }
    // The log has more than was sent from here: this database was restored, and positions are used again.
    if (takenTo > last.position) log({ level: 'error', event: 'submission_failed', outcome: 'log_is_ahead' })
    this.#advance({ submittedTo: upTo, lastReceipt: last.position })
    return hasMore
  }

  #advance(to: { submittedTo: number; lastReceipt: number }): void {
    this.#parts.storage.transactionSync(() => this.#progress.write(to))
  }
}
