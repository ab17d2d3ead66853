// Archives week-old entries: seals them under the organisation's data key, stores them in R2, and deletes them from the database.
// Deletes expired entries too. Works in small steps; an interrupted step is repeated.
import { DAY_MS, utcDay, withTimeLimit } from '../../platform/time.ts'
import { importSealingKey, seal } from '../../platform/seal.ts'
import { archiveObjectName, packEntries } from './archive-object.ts'
import type { ArchiveParts } from './archive.ts'
import { EntriesStore } from './entries.store.ts'
import type { ReceiptSubmitter } from '../publish/submit-receipts.ts'
import type { UsageCounter } from '../usage/usage-counter.ts'
import type { Journal } from './journal.ts'
import { LogProgressStore } from './log-progress.store.ts'
import { BUCKET_LIMIT_MS } from './archive-bucket.store.ts'
import { BATCH_SPAN, SealedDetailsStore, type SealedDetails } from './sealed-details.store.ts'

/** No retention is shorter, so every expired entry is older than this. */
const ARCHIVED_AFTER_MS = 7 * DAY_MS

/** How many positions one step searches for expired content, and how many of them it empties at most. */
const SEARCHED_AT_ONCE = 20_000
const EMPTIED_AT_ONCE = 1000

/** How many objects one step deletes; R2 allows 1,000. */
const DELETED_AT_ONCE = 500

/** Positions up to which entries may be archived, exclusive. */
export type ArchiveLimits = {
  /** Entries before this one are older than a week. */
  aged: number
  /** Entries before this one are in stored tiles, the public log has their receipts, and their calls are counted. */
  provable: number
}

type ArchiverParts = Omit<ArchiveParts, 'log'> & {
  /** Moves the oldest snapshot towards a position, in the transaction that deletes content before it. Returns how far it moved. */
  retire: (before: number) => number
}

export class EntryArchiver {
  readonly #parts: ArchiverParts
  readonly #entries: EntriesStore
  readonly #sealed: SealedDetailsStore
  readonly #progress: LogProgressStore
  /** How far this pass has searched without finding expired content. */
  #checkedTo = 0

  constructor(parts: ArchiverParts) {
    const { sql } = parts.storage
    this.#parts = parts
    this.#entries = new EntriesStore(sql)
    this.#sealed = new SealedDetailsStore(sql)
    this.#progress = new LogProgressStore(sql)
  }

  /** Takes one step. Returns false if nothing is left to do. Rejects if R2 fails or is slow: entries to be kept then stay. */
  async step({ aged, provable }: ArchiveLimits, now: number): Promise<boolean> {
    const limit = Math.min(aged, provable)
    const over = this.#sealed.listExpired(utcDay(now), DELETED_AT_ONCE)
    if (over.length > 0) {
      await this.#deleteObjects(over)
      return true
    }
    if (!this.#isPlanned() && !this.#plan(limit, now)) return this.#empty(aged, now)
    if (this.#isPlanned()) await this.#archive(now)
    return true
  }

  /** Plans the next batch, one object for each day on which entries expire, or gets nearer to it. Returns false if nothing may be archived. */
  #plan(end: number, now: number): boolean {
    return this.#parts.storage.transactionSync(() => {
      const { archivingTo: from } = this.#progress.read()
      const limit = Math.min(end, from + BATCH_SPAN)
      if (limit <= from) return false
      const page = this.#entries.listWithContent(from, limit)
      const last = page.at(-1)?.position
      const hasMore = last !== undefined && this.#entries.listWithContent(last + 1, limit).length > 0
      const archivingTo = hasMore ? last + 1 : limit
      // Moving the snapshot took this whole step: the batch cannot be archived yet.
      if (this.#parts.retire(archivingTo) < archivingTo) return true
      const kept = Map.groupBy(
        page.filter(({ expiresAt }) => expiresAt > now),
        ({ expiresAt }) => utcDay(expiresAt),
      )
      this.#progress.write({ archivingTo })
      // Expired entries leave with the others, unless they would be sealed with those that expire later on the same day.
      if (kept.has(utcDay(now))) this.#entries.deleteExpired(from, archivingTo, now)
      for (const [expiresDay, entries] of kept) {
        const positions = entries.map(({ position }) => position)
        const [first, lastOfDay] = [Math.min(...positions), Math.max(...positions)]
        const keyFingerprint = this.#parts.dataKeys.current().fingerprint
        this.#sealed.insertPlanned({ first, last: lastOfDay, expiresDay, rows: entries.length, keyFingerprint })
      }
      return true
    })
  }

  #isPlanned(): boolean {
    const { archivedTo, archivingTo } = this.#progress.read()
    return archivingTo > archivedTo
  }

  /** INVARIANT: the objects' rows are stored first, then the objects; only then are the entries deleted. */
  async #archive(now: number): Promise<void> {
    const range = this.#progress.read()
    const planned = this.#listPlanned()
    const dataKey = await this.#sealAll(planned).catch((thrown: unknown) => {
      this.#deleteExpired(now)
      throw thrown
    })
    this.#parts.storage.transactionSync(() => {
      const { archivedTo, archivingTo } = this.#progress.read()
      // Another step was quicker: the entries of the current range are not those that were sealed here.
      if (archivedTo !== range.archivedTo || archivingTo !== range.archivingTo) return
      if (dataKey !== null) for (const object of planned) this.#sealed.markSealed(object, dataKey)
      this.#entries.deleteBefore(archivingTo)
      this.#progress.write({ archivedTo: archivingTo })
    })
  }

  #listPlanned(): SealedDetails[] {
    return this.#sealed.listPlanned(this.#progress.read().archivedTo)
  }

  /** Deletes expired entries that would otherwise wait for objects that cannot be stored. None of them is in those objects. */
  #deleteExpired(now: number): void {
    const { archivedTo, archivingTo } = this.#progress.read()
    const firstDay = Math.min(...this.#listPlanned().map(({ expiresDay }) => expiresDay))
    const until = Math.min(now, firstDay * DAY_MS - 1)
    this.#parts.storage.transactionSync(() => this.#entries.deleteExpired(archivedTo, archivingTo, until))
  }

  /** Seals the planned objects. Returns the number of their key; null if there are none. */
  async #sealAll(planned: readonly SealedDetails[]): Promise<number | null> {
    if (planned.length === 0) return null
    const { number, bytes } = this.#parts.dataKeys.current()
    const key = await importSealingKey(bytes)
    for (const object of planned) await this.#seal(object, key)
    return number
  }

  async #seal(object: SealedDetails, key: CryptoKey): Promise<void> {
    const { bucket, objectId } = this.#parts
    const name = archiveObjectName(objectId, object)
    const entries = this.#entries
      .listAllWithContent(object.first, object.last + 1)
      .filter(({ expiresAt }) => utcDay(expiresAt) === object.expiresDay)
    // Another step was quicker: its stored object must not be replaced by one with fewer entries.
    if (entries.length !== object.rows) throw new Error('these are not the entries that were planned')
    await withTimeLimit(bucket.put(name, await seal(key, name, await packEntries(entries))), BUCKET_LIMIT_MS)
  }

  /** Empties expired entries that cannot be archived yet. */
  #empty(aged: number, now: number): boolean {
    const from = Math.max(this.#progress.read().archivedTo, this.#checkedTo)
    const to = Math.min(aged, from + SEARCHED_AT_ONCE)
    const first = this.#entries.firstExpired(from, to, now)
    if (first === null) {
      this.#checkedTo = to < aged ? to : 0
      return to < aged
    }
    this.#parts.storage.transactionSync(() => {
      const end = Math.min(to, first + EMPTIED_AT_ONCE)
      this.#entries.emptyExpired(first, Math.min(end, this.#parts.retire(end)), now)
    })
    return true
  }

  async #deleteObjects(objects: readonly SealedDetails[]): Promise<void> {
    const { storage, bucket, objectId } = this.#parts
    const names = objects.map((object) => archiveObjectName(objectId, object))
    await withTimeLimit(bucket.delete(names), BUCKET_LIMIT_MS)
    storage.transactionSync(() => {
      for (const object of objects) this.#sealed.remove(object)
    })
  }
}

type LimitingParts = Pick<ArchiveParts, 'storage' | 'log'> & {
  journal: Journal
  submitter: Pick<ReceiptSubmitter, 'oldestWaiting'>
  usage: Pick<UsageCounter, 'countedTo'>
}

export function archiveLimits(
  { storage, journal, log, submitter, usage }: LimitingParts,
  progress: LogProgressStore,
  now: number,
): ArchiveLimits {
  const waiting = submitter.oldestWaiting()?.position ?? Infinity
  return {
    aged: firstRecent(storage.sql, journal, progress.read().archivedTo, now - ARCHIVED_AFTER_MS),
    provable: Math.min(log.levels.tiledLeaves(), waiting, usage.countedTo()),
  }
}

/** Returns the first entry after `until`. If the clock stepped back, entries before that step count for its new time at most. */
function firstRecent(sql: SqlStorage, { state }: Journal, archivedTo: number, until: number): number {
  const entries = new EntriesStore(sql)
  const { runs } = state.clock
  const isAged = (position: number): boolean => {
    const at = entries.timeOf(position) ?? -Infinity
    return at <= until || runs.some((run) => run.position > position && run.at <= until)
  }
  let [low, high] = [archivedTo, state.next]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (isAged(middle)) low = middle + 1
    else high = middle
  }
  return low
}
