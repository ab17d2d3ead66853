// Where details are once they are older than a week: out of the organisation's database, in objects sealed under its own
// data key. Works in small steps, each of which may be cut off anywhere and is then done again.
import { DAY_MS, utcDay } from '../platform/clock.ts'
import { importSealingKey, seal } from '../platform/seal.ts'
import { withinTime } from '../platform/time-limit.ts'
import { archiveObjectName, packDetails } from './archive-object.ts'
import type { DataKeys } from './data-key.ts'
import { DetailsStore, type DetailsRange } from './details.store.ts'
import type { Details } from './details.ts'
import { leafHash } from './entry.ts'
import { BUCKET_LIMIT_MS, openSealedObject, type UnopenedCause } from './sealed-object.ts'
import { SealedDetailsStore, type SealedDetails } from './sealed-details.store.ts'
import { TreeStore } from './tree.store.ts'

/** No retention is shorter, so what is over is among what is older than this. */
export const KEPT_AT_HAND_MS = 7 * DAY_MS

/** How many objects are deleted in one step; R2 takes up to 1,000. */
const DELETED_AT_ONCE = 500

export type ArchiveParts = {
  storage: DurableObjectStorage
  bucket: R2Bucket
  dataKeys: DataKeys
  /** Names the organisation in the names of its objects. */
  ledger: string
}

type UnreadableCause = UnopenedCause | 'leaf_differs'

export type FoundEntry =
  | ({ outcome: 'found' } & Details)
  /** Its retention is over, or there never was one. */
  | { outcome: 'not_kept' }
  | { outcome: 'unreadable'; cause: UnreadableCause }

export class Archive {
  readonly #parts: ArchiveParts
  readonly #details: DetailsStore
  readonly #sealed: SealedDetailsStore
  readonly #tree: TreeStore

  constructor(parts: ArchiveParts) {
    const { sql } = parts.storage
    this.#parts = parts
    this.#details = new DetailsStore(sql)
    this.#sealed = new SealedDetailsStore(sql)
    this.#tree = new TreeStore(sql)
  }

  /**
   * One step of the upkeep: deletes what is over, or seals a batch. False when there is nothing left to do. Rejects when R2
   * does or does not answer; the details are then where they were.
   */
  async sweep(publishedTo: number, now: number): Promise<boolean> {
    const over = this.#sealed.listOver(utcDay(now), DELETED_AT_ONCE)
    if (over.length > 0) {
      await this.#deleteObjects(over)
      return true
    }
    const planned = this.#sealed.listPlanned()
    const plan = planned.length > 0 ? planned : this.#planBatch(publishedTo, now)
    for (const object of plan ?? []) await this.#seal(object)
    return plan !== null
  }

  /** The bytes of an entry and what is known beside them, wherever they are. */
  async findEntry(position: number, now: number): Promise<FoundEntry> {
    const atHand = this.#details.findDetails(position)
    if (atHand !== null) return this.#answer(atHand, now)
    let unreadable: FoundEntry | null = null
    for (const object of this.#sealed.listAround(position)) {
      const opened = await openSealedObject(this.#parts, object)
      if (opened.outcome === 'opened') {
        const details = opened.details.find((one) => one.position === position)
        if (details !== undefined) return this.#answer(details, now)
      } else if (object.expiresDay >= utcDay(now)) unreadable = opened
    }
    return unreadable ?? { outcome: 'not_kept' }
  }

  /**
   * Deletes what of the next batch is over, and plans an object for each day on which the rest will be. With no batch left,
   * deletes what is over behind receipts that wait for the public log. Null: nothing was left.
   */
  #planBatch(publishedTo: number, now: number): SealedDetails[] | null {
    return this.#parts.storage.transactionSync(() => {
      const batch = this.#details.listLeaving({ writtenUntil: now - KEPT_AT_HAND_MS, publishedTo })
      const [first, last] = [batch[0]?.position, batch.at(-1)?.position]
      if (first === undefined || last === undefined) {
        if (this.#details.deleteOverBehind({ publishedTo, now }) > 0) return []
        this.#details.deleteEmptyRuns()
        return null
      }
      this.#details.deleteRange({ first, last, expiring: { from: 0, before: now + 1 } })
      const days = Map.groupBy(
        batch.filter(({ expiresAt }) => expiresAt > now),
        ({ expiresAt }) => utcDay(expiresAt),
      )
      for (const [expiresDay, details] of days) {
        const positions = details.map(({ position }) => position)
        this.#sealed.insertPlanned({
          first: Math.min(...positions),
          last: Math.max(...positions),
          expiresDay,
          rows: details.length,
          keyFingerprint: this.#parts.dataKeys.current().fingerprint,
        })
      }
      return this.#sealed.listPlanned()
    })
  }

  /** INVARIANT: the object is stored before the details leave, and its row before the object is. */
  async #seal(object: SealedDetails): Promise<void> {
    const { storage, bucket, dataKeys, ledger } = this.#parts
    const name = archiveObjectName(ledger, object)
    const details = this.#details.listRange(rangeOf(object))
    // Another step was quicker: the object that it has stored must not be replaced by less.
    if (details.length !== object.rows) throw new Error('these are not the details that were planned')
    const { number, bytes } = dataKeys.current()
    const sealed = await seal(await importSealingKey(bytes), name, await packDetails(details))
    await withinTime(bucket.put(name, sealed), BUCKET_LIMIT_MS)
    storage.transactionSync(() => {
      this.#details.deleteRange(rangeOf(object))
      this.#sealed.markSealed(object, number)
    })
  }

  async #deleteObjects(objects: readonly SealedDetails[]): Promise<void> {
    const { storage, bucket, ledger } = this.#parts
    const names = objects.map((object) => archiveObjectName(ledger, object))
    await withinTime(bucket.delete(names), BUCKET_LIMIT_MS)
    storage.transactionSync(() => {
      for (const object of objects) this.#sealed.remove(object)
    })
  }

  /** INVARIANT: nothing is said of an entry that its leaf does not cover, its facts and times apart. */
  #answer(details: Details, now: number): FoundEntry {
    if (details.expiresAt <= now) return { outcome: 'not_kept' }
    const leaf = this.#tree.leafHash(details.position)
    const isLeaf = leafHash(details.entry).every((byte, at) => byte === leaf[at])
    return isLeaf ? { outcome: 'found', ...details } : unreadable('leaf_differs')
  }
}

const unreadable = (cause: UnreadableCause) => ({ outcome: 'unreadable', cause }) as const

const rangeOf = ({ first, last, expiresDay }: SealedDetails): DetailsRange => ({
  first,
  last,
  expiring: { from: expiresDay * DAY_MS, before: (expiresDay + 1) * DAY_MS },
})
