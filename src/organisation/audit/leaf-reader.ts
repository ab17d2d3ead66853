// Reads the leaves of an organisation's log in order, each with its entry, from the database or a sealed object. Also finds the
// first known entry and the unreadable entries of a range. A page is at most one tile, so that calls run between pages. A sealed
// object is opened once, however many tiles it spans.
import { utcDay } from '../../platform/time.ts'
import { isSameBytes } from '../../platform/bytes.ts'
import type { StoredEntry } from '../journal/archive-object.ts'
import type { ArchiveParts, EntriesRange } from '../journal/archive.ts'
import { EntriesStore, type EntryTime } from '../journal/entries.store.ts'
import { leafHash } from '../../evidence/entry.ts'
import { readNodes } from '../../tiles/tiled-log.ts'
import { TILE_WIDTH } from '../../evidence/tree/tiles.ts'
import { openArchiveObject } from '../journal/archive-bucket.store.ts'
import { SealedDetailsStore, type SealedDetails } from '../journal/sealed-details.store.ts'

/**
 * Why an entry is missing. `retention`: it has expired. `unreadable`: it should be there. It cannot be read, differs from its
 * leaf's hash, or may be in a sealed object that cannot be opened.
 */
export type WithheldReason = 'retention' | 'unreadable'

export type ReadLeaf = { readonly index: number; readonly leafHash: Uint8Array } & (
  | { readonly entry: StoredEntry }
  | { readonly withheld: WithheldReason }
)

/** `next`: the index at which the next page begins; null on the last page. */
export type LeavesPage = { leaves: ReadLeaf[]; next: number | null }

/** The entries of a sealed object by their position; null if it cannot be opened. */
type Opened = ReadonlyMap<number, StoredEntry> | null

/** The most objects kept open. Each has entries sealed together, at most 1 MiB before compression, of one expiry day. */
const MOST_OPEN = 8

export class LeafReader {
  readonly #parts: ArchiveParts
  readonly #entries: EntriesStore
  readonly #sealed: SealedDetailsStore
  /** Opened objects by first position, which is unique. The most recently used are at the end. */
  readonly #opened = new Map<number, Opened>()

  constructor(parts: ArchiveParts) {
    this.#parts = parts
    this.#entries = new EntriesStore(parts.storage.sql)
    this.#sealed = new SealedDetailsStore(parts.storage.sql)
  }

  /** Reads to the end of the tile that contains `from`. Safe to repeat. Rejects if R2 does not answer; then retry. */
  async read({ from, before }: EntriesRange, now: number): Promise<LeavesPage> {
    const end = Math.min(before, from - (from % TILE_WIDTH) + TILE_WIDTH)
    // INVARIANT: one turn lists both the sealed objects and the entries, so that an entry archived meanwhile is in one list.
    const objects = this.#sealed.listReaching({ from, before: end })
    const stored = new Map(this.#entries.listAllWithContent(from, end).map((entry) => [entry.position, entry]))
    const hashes = readNodes(this.#parts.log, eachOf(from, end), end)
    const opened = await this.#open(objects, now)
    const read = await hashes
    const leaves: ReadLeaf[] = []
    for (let index = from; index < end; index += 1) {
      const hash = read(0, index)
      const entry = stored.get(index) ?? opened.find(index)
      const withheld = entry === undefined ? opened.withholding(index) : whyWithheld(entry, hash, now)
      leaves.push(
        entry === undefined || withheld !== null
          ? { index, leafHash: hash, withheld: withheld ?? 'retention' }
          : { index, leafHash: hash, entry },
      )
    }
    return { leaves, next: end < before ? end : null }
  }

  /** Returns the first known entry of a range and its time; null if there is none. It may have expired and still be known. */
  async firstKnown({ from, before }: EntriesRange, now: number): Promise<EntryTime | null> {
    for (let start = from; ;) {
      // INVARIANT: as in `read`.
      const row = this.#entries.firstRow(start, before)
      const cluster = this.#sealed.listCluster({ from: start, before })
      const firstSealed = Math.max(start, Math.min(...cluster.map(({ first }) => first)))
      if (cluster.length === 0 || (row !== null && row.position <= firstSealed)) return row
      const last = Math.max(...cluster.map((object) => object.last))
      const opened = await this.#open(cluster, now)
      const earliestSealed = opened.firstFrom(start)
      const first =
        earliestSealed === null || (row !== null && row.position < earliestSealed.position) ? row : earliestSealed
      if (first !== null && first.position <= last) return first.position < before ? first : null
      start = last + 1
    }
  }

  /** Returns the bounds of the positions in a range that an unreadable object may have; null if there are none. */
  async firstAndLastUnreadable(
    { from, before }: EntriesRange,
    now: number,
  ): Promise<{ first: number; last: number } | null> {
    if (from >= before) return null
    const unopened: SealedDetails[] = []
    for (const object of this.#sealed.listReaching({ from, before })) {
      if ((await this.#openOne(object, now)) === null) unopened.push(object)
    }
    if (unopened.length === 0) return null
    return {
      first: Math.max(from, Math.min(...unopened.map(({ first }) => first))),
      last: Math.min(before - 1, Math.max(...unopened.map(({ last }) => last))),
    }
  }

  async #open(objects: readonly SealedDetails[], now: number) {
    const all = await Promise.all(
      objects.map(async (object) => ({ object, entries: await this.#openOne(object, now) })),
    )
    return {
      find: (index: number): StoredEntry | undefined =>
        all.map(({ entries }) => entries?.get(index)).find((entry) => entry !== undefined),
      withholding: (index: number): WithheldReason => {
        const mayHave = ({ object: { first, last }, entries }: (typeof all)[number]): boolean =>
          entries === null && first <= index && index <= last
        return all.some(mayHave) ? 'unreadable' : 'retention'
      },
      firstFrom(start: number): EntryTime | null {
        let first: EntryTime | null = null
        for (const { entries } of all) {
          for (const { position, at } of entries?.values() ?? []) {
            if (position >= start && (first === null || position < first.position)) first = { position, at }
          }
        }
        return first
      },
    }
  }

  async #openOne(object: SealedDetails, now: number): Promise<Opened> {
    if (object.expiresDay < utcDay(now)) return new Map()
    const { first } = object
    const entries = this.#opened.has(first) ? (this.#opened.get(first) ?? null) : await this.#fetch(object)
    this.#opened.delete(first)
    this.#opened.set(first, entries)
    for (const oldest of this.#opened.keys()) {
      if (this.#opened.size <= MOST_OPEN) break
      this.#opened.delete(oldest)
    }
    return entries
  }

  async #fetch(object: SealedDetails): Promise<Opened> {
    const opened = await openArchiveObject(this.#parts, object)
    if (opened.outcome === 'opened') return new Map(opened.entries.map((entry) => [entry.position, entry]))
    if (opened.cause === 'storage_failed') throw new Error('a sealed object could not be fetched')
    return null
  }
}

const eachOf = (from: number, end: number) =>
  Array.from({ length: end - from }, (_, at) => ({ start: from + at, end: from + at + 1 }))

/** INVARIANT: no entry is returned that its leaf's hash does not cover. Its facts and times are outside the hash. */
function whyWithheld({ entry, expiresAt }: StoredEntry, hash: Uint8Array, now: number): WithheldReason | null {
  if (expiresAt <= now) return 'retention'
  return isSameBytes(leafHash(entry), hash) ? null : 'unreadable'
}
