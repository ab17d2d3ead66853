// Reads an organisation's entries: from its database or, once archived, from R2, where they are sealed under its own data key.
import { utcDay } from '../../platform/time.ts'
import type { StoredEntry } from './archive-object.ts'
import { EntriesStore } from './entries.store.ts'
import { contentOf, leafHash } from '../../evidence/entry.ts'
import { readNodes, type TiledLog } from '../../tiles/tiled-log.ts'
import { TILE_WIDTH } from '../../evidence/tree/tiles.ts'
import { openArchiveObject, type DataKeys, type UnopenedCause } from './archive-bucket.store.ts'
import { SealedDetailsStore, type SealedDetails } from './sealed-details.store.ts'
import { isSameBytes } from '../../platform/bytes.ts'

export type ArchiveParts = {
  storage: DurableObjectStorage
  bucket: R2Bucket
  dataKeys: DataKeys
  /** The organisation's part of its R2 objects' names. */
  objectId: string
  log: TiledLog
}

export type FoundEntry =
  | ({ outcome: 'found' } & StoredEntry)
  /** The entry has expired or never existed. */
  | { outcome: 'not_kept' }
  | { outcome: 'unreadable'; cause: UnopenedCause | 'leaf_differs' }

export type FoundSettlement =
  | { outcome: 'found'; position: number }
  /** Everything searched could be read, and nothing settles the decision. */
  | { outcome: 'not_found' }
  /** `far`: no searched object has it, and there are more objects than are searched. */
  | { outcome: 'unreadable'; cause: UnopenedCause | 'far' }

/** A range of positions: `from` is included, `before` is not. */
export type EntriesRange = { from: number; before: number }

export type EntriesPage = {
  /** Entries in the requested order, without expired ones. */
  entries: (StoredEntry & { readonly leafHash: Uint8Array })[]
  /** How many unexpired entries cannot be read or do not match their leaf hash. */
  unreadable: number
  /** The next page's `from` or, in reverse order, its `before`; null if no page follows. */
  next: number | null
}

/** How many R2 objects are searched for a settlement. An interrupted call is settled a quarter of an hour after its decision. */
const OBJECTS_SEARCHED = 64

/** How many R2 objects are opened together: each may be 1 MiB. */
const OPENED_AT_ONCE = 8

const FAR: FoundSettlement = { outcome: 'unreadable', cause: 'far' }

export class Archive {
  readonly #parts: ArchiveParts
  readonly #entries: EntriesStore
  readonly #sealed: SealedDetailsStore

  constructor(parts: ArchiveParts) {
    this.#parts = parts
    this.#entries = new EntriesStore(parts.storage.sql)
    this.#sealed = new SealedDetailsStore(parts.storage.sql)
  }

  async findEntry(position: number, now: number): Promise<FoundEntry> {
    const inDatabase = this.#entries.find(position)
    if (inDatabase !== null) return this.#answer(inDatabase, now)
    let unreadable: FoundEntry | null = null
    for (const object of this.#sealed.listAround(position)) {
      const opened = await openArchiveObject(this.#parts, object)
      if (opened.outcome === 'opened') {
        const kept = opened.entries.find((one) => one.position === position)
        if (kept !== undefined) return this.#answer(kept, now)
      } else if (object.expiresDay >= utcDay(now)) unreadable = opened
    }
    return unreadable ?? { outcome: 'not_kept' }
  }

  /** Reads the entries at some positions, a few sealed objects at a time. Rejects as `readPage` does. */
  async readPositions(positions: readonly number[], now: number): Promise<Omit<EntriesPage, 'next'>> {
    const found: StoredEntry[] = []
    let unreadable = 0
    const places = positions.map((position) => {
      const inDatabase = this.#entries.find(position)
      if (inDatabase !== null) found.push(inDatabase)
      return { position, objects: inDatabase === null ? this.#sealed.listAround(position) : [] }
    })
    const objects = [
      ...new Map(places.flatMap((place) => place.objects.map((one) => [one.first, one] as const))).values(),
    ]
    const wanted = new Set(positions)
    for (let at = 0; at < objects.length; at += OPENED_AT_ONCE) {
      const opened = await Promise.all(objects.slice(at, at + OPENED_AT_ONCE).map((object) => this.#open(object, now)))
      for (const { entries } of opened) found.push(...entries.filter(({ position }) => wanted.has(position)))
      unreadable += opened.filter((one) => one.unreadable > 0).length
    }
    const checked = await this.#checked(byPosition(found), now)
    return { entries: checked.entries, unreadable: unreadable + checked.unreadable }
  }

  async findSettlement(settles: number, now: number): Promise<FoundSettlement> {
    const objects = this.#sealed.listAfter(settles, OBJECTS_SEARCHED + 1)
    let unreadable: FoundSettlement | null = objects.length > OBJECTS_SEARCHED ? FAR : null
    for (const object of objects.slice(0, OBJECTS_SEARCHED)) {
      if (object.expiresDay < utcDay(now)) continue
      const opened = await openArchiveObject(this.#parts, object)
      if (opened.outcome === 'opened') {
        const found = opened.entries.find(
          (one) => one.kind === 'settlement' && contentOf(one.entry)['settles'] === settles,
        )
        if (found !== undefined) return { outcome: 'found', position: found.position }
      } else unreadable = opened
    }
    return unreadable ?? { outcome: 'not_found' }
  }

  /** Returns the entries of a range in order, about 1 MiB a page. Rejects if R2 does not answer: read the page again. */
  async readPage({ from, before }: EntriesRange, now: number): Promise<EntriesPage> {
    // INVARIANT: objects and rows are looked up in one turn, so that an entry archived meanwhile is in one of them.
    const cluster = this.#sealed.listCluster({ from, before })
    const [firstSealed, lastSealed] = [cluster[0]?.first ?? before, Math.max(...cluster.map(({ last }) => last))]
    const ahead = this.#entries.listWithContent(from, Math.min(firstSealed, before))
    const lastAhead = ahead.at(-1)
    const nextFrom = (position: number): number | null => (position < before ? position : null)
    if (lastAhead !== undefined) {
      return { ...(await this.#checked(ahead, now)), next: nextFrom(lastAhead.position + 1) }
    }
    if (cluster.length === 0) return NO_ENTRIES
    const within = { from, before: Math.min(lastSealed + 1, before) }
    return { ...(await this.#readCluster(cluster, within, now)), next: nextFrom(lastSealed + 1) }
  }

  /** Returns the entries of a range, the latest first. Rejects as `readPage` does. */
  async readPageBack({ from, before }: EntriesRange, now: number): Promise<EntriesPage> {
    // INVARIANT: as in readPage, looked up in one turn.
    const cluster = this.#sealed.listClusterBack({ from, before })
    const lastSealed = Math.max(from - 1, ...cluster.map(({ last }) => last))
    const behind = this.#entries.listWithContentBack(lastSealed + 1, before)
    const firstBehind = behind.at(-1)
    const nextBefore = (position: number): number | null => (position > from ? position : null)
    if (firstBehind !== undefined) {
      return { ...(await this.#checked(behind, now)), next: nextBefore(firstBehind.position) }
    }
    if (cluster.length === 0) return NO_ENTRIES
    const firstSealed = Math.min(...cluster.map(({ first }) => first))
    const within = { from: Math.max(from, firstSealed), before: Math.min(lastSealed + 1, before) }
    const { entries, unreadable } = await this.#readCluster(cluster, within, now)
    return { entries: entries.toReversed(), unreadable, next: nextBefore(firstSealed) }
  }

  /** Reads the range's entries in the objects. The database has none of them: they left it in the turn that marked the objects. */
  async #readCluster(
    cluster: readonly SealedDetails[],
    { from, before }: EntriesRange,
    now: number,
  ): Promise<Omit<EntriesPage, 'next'>> {
    const opened = await Promise.all(cluster.map((object) => this.#open(object, now)))
    const put = opened.flatMap(({ entries }) => entries).filter(({ position }) => position >= from && position < before)
    const { entries, unreadable } = await this.#checked(byPosition(put), now)
    return { entries, unreadable: opened.reduce((sum, one) => sum + one.unreadable, unreadable) }
  }

  async #open(object: SealedDetails, now: number): Promise<{ entries: StoredEntry[]; unreadable: number }> {
    if (object.expiresDay < utcDay(now)) return { entries: [], unreadable: 0 }
    const opened = await openArchiveObject(this.#parts, object)
    if (opened.outcome === 'opened') return { entries: opened.entries, unreadable: 0 }
    if (opened.cause === 'storage_failed') throw new Error('a sealed object could not be fetched')
    return { entries: [], unreadable: object.rows }
  }

  /** Returns the unexpired entries that match their leaf hashes, and how many do not. */
  async #checked(found: readonly StoredEntry[], now: number): Promise<Omit<EntriesPage, 'next'>> {
    const kept = found.filter(({ expiresAt }) => expiresAt > now)
    const leaves = await this.#leaves(kept)
    // Reading leaves and hashing entries each take milliseconds: other calls run in between.
    await scheduler.wait(0)
    const entries = kept.flatMap((each, at) => {
      const leaf = leaves[at]
      return leaf !== undefined && isHashOf(leaf, each) ? [{ ...each, leafHash: leaf }] : []
    })
    return { entries, unreadable: kept.length - entries.length }
  }

  /** INVARIANT: an entry is returned only if it matches its leaf hash, which does not cover its facts and times. */
  async #answer(kept: StoredEntry, now: number): Promise<FoundEntry> {
    if (kept.expiresAt <= now) return { outcome: 'not_kept' }
    const [leaf] = await this.#leaves([kept])
    if (leaf !== undefined && isHashOf(leaf, kept)) return { outcome: 'found', ...kept }
    return { outcome: 'unreadable', cause: 'leaf_differs' }
  }

  /** Returns the entries' leaves. Asks only for the last leaf of each tile, because the leaves before it are read with it. */
  async #leaves(entries: readonly StoredEntry[]): Promise<Uint8Array[]> {
    const lastOfTile = new Map<number, number>()
    for (const { position } of entries) {
      const tile = Math.floor(position / TILE_WIDTH)
      lastOfTile.set(tile, Math.max(position, lastOfTile.get(tile) ?? 0))
    }
    const ranges = Array.from(lastOfTile.values(), (position) => ({ start: position, end: position + 1 }))
    const read = await readNodes(this.#parts.log, ranges, Math.max(0, ...ranges.map(({ end }) => end)))
    return entries.map(({ position }) => read(0, position))
  }
}

const NO_ENTRIES: EntriesPage = { entries: [], unreadable: 0, next: null }

const isHashOf = (leaf: Uint8Array, { entry }: StoredEntry): boolean => isSameBytes(leafHash(entry), leaf)

const byPosition = (entries: readonly StoredEntry[]): StoredEntry[] =>
  entries.toSorted((a, b) => a.position - b.position)
