// Reads all entries that are kept, a page at a time and in order, wherever they are: at hand in the database, or in sealed
// objects. A page may be asked for again.
import { utcDay } from '../platform/clock.ts'
import type { ArchiveParts } from './archive.ts'
import { DetailsStore } from './details.store.ts'
import type { Details } from './details.ts'
import { leafHash } from './entry.ts'
import { openSealedObject } from './sealed-object.ts'
import { SealedDetailsStore, type SealedDetails } from './sealed-details.store.ts'
import { TreeStore } from './tree.store.ts'

/** Positions: `from` is the first that is wanted, `before` is not reached. */
export type EntriesRange = { from: number; before: number }

export type KeptEntry = Details & { readonly leafHash: Uint8Array }

export type EntriesPage = {
  /** Oldest position first. None whose retention is over. */
  entries: KeptEntry[]
  /** Entries that should be there and cannot be read again, or are not what their leaves are the hash of. */
  unreadable: number
  /** Where the next page begins; null where this is the last. */
  next: number | null
}

export class EntriesReader {
  readonly #parts: ArchiveParts
  readonly #details: DetailsStore
  readonly #sealed: SealedDetailsStore
  readonly #tree: TreeStore

  constructor(parts: ArchiveParts) {
    this.#parts = parts
    this.#details = new DetailsStore(parts.storage.sql)
    this.#sealed = new SealedDetailsStore(parts.storage.sql)
    this.#tree = new TreeStore(parts.storage.sql)
  }

  /** About 1 MiB. Rejects where R2 does not answer: then ask again. */
  async readPage({ from, before }: EntriesRange, now: number): Promise<EntriesPage> {
    // INVARIANT: both are looked up in one turn, so that what is put away meanwhile is in one of them.
    const cluster = this.#sealed.listCluster({ from, before })
    const [firstSealed, lastSealed] = [cluster[0]?.first ?? before, Math.max(...cluster.map(({ last }) => last))]
    const ahead = this.#details.listFrom(from, Math.min(firstSealed, before))
    const lastAhead = ahead.at(-1)
    if (lastAhead !== undefined) return this.#page(ahead, { before, next: lastAhead.position + 1 }, now)
    if (cluster.length === 0) return { entries: [], unreadable: 0, next: null }
    const atHand = this.#details.listWithin(from, Math.min(lastSealed + 1, before))
    const opened = await Promise.all(cluster.map((object) => this.#open(object, now)))
    const put = opened.flatMap(({ details }) => details).filter(({ position }) => position >= from && position < before)
    const page = this.#page(byPosition([...atHand, ...put]), { before, next: lastSealed + 1 }, now)
    return { ...page, unreadable: page.unreadable + opened.reduce((sum, { unreadable }) => sum + unreadable, 0) }
  }

  async #open(object: SealedDetails, now: number): Promise<{ details: Details[]; unreadable: number }> {
    if (object.expiresDay < utcDay(now)) return { details: [], unreadable: 0 }
    const opened = await openSealedObject(this.#parts, object)
    if (opened.outcome === 'opened') return { details: opened.details, unreadable: 0 }
    if (opened.cause === 'storage_failed') throw new Error('a sealed object could not be fetched')
    return { details: [], unreadable: object.rows }
  }

  /** INVARIANT: nothing is said of an entry that its leaf does not cover, its facts and times apart. */
  #page(details: readonly Details[], { before, next }: { before: number; next: number }, now: number): EntriesPage {
    const kept = details.filter(({ expiresAt }) => expiresAt > now)
    const entries = kept.flatMap((each) => {
      const leaf = this.#tree.leafHash(each.position)
      return leafHash(each.entry).every((byte, at) => byte === leaf[at]) ? [{ ...each, leafHash: leaf }] : []
    })
    return { entries, unreadable: kept.length - entries.length, next: next < before ? next : null }
  }
}

/** What was sealed and is still at hand is there once. */
const byPosition = (details: readonly Details[]): Details[] =>
  [...new Map(details.map((each) => [each.position, each])).values()].toSorted((a, b) => a.position - b.position)
