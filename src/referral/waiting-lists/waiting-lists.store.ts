// Stores the published versions of the waiting lists in KV and R2, with an isolate's cache. Values missing in KV are made again
// from the file in R2. No other file of this folder uses KV or R2.
import type { KVNamespace, KVNamespaceListResult, R2Bucket, R2ObjectBody } from '@cloudflare/workers-types'
import type * as z from 'zod'
import { LruCache } from '../../platform/cache.ts'
import { systemAfter, systemClock } from '../../platform/time.ts'
import type { AgeGroup, Dataset } from './dataset.ts'
import { createSingleFlight, type SingleFlightTiming } from './single-flight.ts'
import { readStoredFile } from './read-published-file.ts'
import { sha256Hex } from '../../platform/sha256.ts'
import {
  ManifestSchema,
  PointerSchema,
  StoredListsSchema,
  type Manifest,
  type Pointer,
  type StoredLists,
  fileKey,
  isSameVersion,
  listsKey,
  MANIFEST_PREFIX,
  manifestKey,
  manifestOf,
  POINTER_KEY,
  readManifestKey,
  storedListsOf,
  type StoredVersion,
  type VersionId,
} from './stored-version.ts'

/** An isolate reads the pointer again after this long. */
export const POINTER_MEMORY_MS = 30_000
// The edge may cache immutable values for an hour; a missing value is made from the file meanwhile.
const IMMUTABLE = { type: 'text', cacheTtl: 3600 } as const
// A value is 1 to 20 KB, so the cache stays under a few megabytes of an isolate's 128.
const REMEMBERED_LISTS = 256
const REMEMBERED_MANIFESTS = 4
const READS_AT_ONCE = 50

interface SavedAt {
  savedAt: string
}

export type PointerLookup = { outcome: 'ok'; pointer: Pointer } | { outcome: 'no_dataset' } | { outcome: 'unavailable' }
export type OpenedFile =
  | { outcome: 'ok'; body: R2ObjectBody['body']; size: number }
  | { outcome: 'not_found' }
  | { outcome: 'unavailable' }
export type WaitingListStore = ReturnType<typeof createWaitingListStore>

/** A version that was made again from its file. */
type Rebuilt = { dataset: Dataset; values: StoredLists[] }

type StoreDependencies = { kv: KVNamespace; r2: R2Bucket } & Partial<SingleFlightTiming>

/** Creates the store with its cache, once per isolate (or per command). */
export function createWaitingListStore({ kv, r2, now = systemClock, after = systemAfter }: StoreDependencies) {
  const manifests = new LruCache<Manifest>(REMEMBERED_MANIFESTS)
  const lists = new LruCache<StoredLists>(REMEMBERED_LISTS)
  const rebuildOnce = createSingleFlight<Rebuilt>({ now, after })
  let pointerSeen: { pointer: Pointer; at: number } | null = null

  async function findPointer(): Promise<PointerLookup> {
    if (pointerSeen !== null && now() - pointerSeen.at < POINTER_MEMORY_MS) {
      return { outcome: 'ok', pointer: pointerSeen.pointer }
    }
    return readStoredPointer()
  }

  /** Reads the stored pointer, bypassing the cache. */
  async function readStoredPointer(): Promise<PointerLookup> {
    let text: string | null
    try {
      text = await kv.get(POINTER_KEY, 'text')
    } catch {
      // KV failed: the cached version is still true, and the next request asks again.
      return pointerSeen === null ? { outcome: 'unavailable' } : { outcome: 'ok', pointer: pointerSeen.pointer }
    }
    if (text === null) return { outcome: 'no_dataset' }
    const pointer = parseStored(PointerSchema(), text)
    if (pointer === null) return { outcome: 'unavailable' }
    pointerSeen = { pointer, at: now() }
    return { outcome: 'ok', pointer }
  }

  /** Returns the pointer's manifest, made from the published file if KV does not have it. Null if it cannot be made. */
  async function readManifest(pointer: Pointer): Promise<Manifest | null> {
    const known = manifests.get(pointer.manifestKey)
    if (known !== undefined) return known
    const manifest = (await findManifest(pointer.manifestKey)) ?? (await rebuildManifest(pointer))
    if (manifest !== null) manifests.set(pointer.manifestKey, manifest)
    return manifest
  }

  async function rebuildManifest({ version, source }: Pointer): Promise<Manifest | null> {
    const rebuilt = await rebuild(version)
    return rebuilt && manifestOf(rebuilt.dataset, version, source)
  }

  async function findManifest(key: string): Promise<Manifest | null> {
    return parseStored(ManifestSchema(), await getImmutable(key))
  }

  /** Returns the lists of one specialty, by its index in the manifest; null if neither KV nor R2 has them. */
  async function readLists(
    manifest: Manifest,
    specialtyIndex: number,
    ageGroup: AgeGroup,
  ): Promise<StoredLists | null> {
    const name = manifest.specialties[specialtyIndex]?.name
    const key = listsKey(manifest.version, specialtyIndex, ageGroup)
    const known = lists.get(key)
    if (known !== undefined) return known
    const stored = parseStored(StoredListsSchema(), await getImmutable(key))
    if (stored !== null && stored.specialty === name && stored.ageGroup === ageGroup) {
      lists.set(key, stored)
      return stored
    }
    const rebuilt = await rebuild(manifest.version)
    return rebuilt?.values.find((value) => value.specialty === name && value.ageGroup === ageGroup) ?? null
  }

  /** Reads a file once for all requests, because it can have 11 MB. */
  const rebuild = (version: VersionId): Promise<Rebuilt | null> =>
    rebuildOnce(`${version.hash} ${version.archiveDate}`, () => rebuildFromFile(version))

  /** Reads the published file again. INVARIANT: the hash of the file must be that of the version. */
  async function rebuildFromFile(version: VersionId): Promise<Rebuilt | null> {
    const bytes = await readFile(version.hash)
    if (bytes === null || sha256Hex(bytes) !== version.hash) return null
    const read = readStoredFile(bytes, version.archiveDate)
    if (!read.ok) return null
    const entries = storedListsOf(read.dataset, version)
    for (const { key, value } of entries) lists.set(key, value)
    return { dataset: read.dataset, values: entries.map(({ value }) => value) }
  }

  async function getImmutable(key: string): Promise<string | null> {
    try {
      return await kv.get(key, IMMUTABLE)
    } catch {
      return null
    }
  }

  async function readFile(hash: string): Promise<Uint8Array<ArrayBuffer> | null> {
    try {
      const object = await r2.get(fileKey(hash))
      return object === null ? null : new Uint8Array(await object.arrayBuffer())
    } catch {
      return null
    }
  }

  async function openFile(hash: string): Promise<OpenedFile> {
    try {
      const object = await r2.get(fileKey(hash))
      return object === null ? { outcome: 'not_found' } : { outcome: 'ok', body: object.body, size: object.size }
    } catch {
      return { outcome: 'unavailable' }
    }
  }

  async function hasFile(hash: string): Promise<boolean> {
    return (await r2.head(fileKey(hash))) !== null
  }

  /** Returns the stored versions, the last saved first, each with its newest manifest; null if KV fails. */
  async function listStoredVersions(): Promise<StoredVersion[] | null> {
    try {
      const versions = new Map<string, StoredVersion>()
      for (const held of await listManifestKeys(kv)) {
        const id = `${held.hash} ${held.archiveDate}`
        if (!versions.has(id)) versions.set(id, held)
      }
      return [...versions.values()]
    } catch {
      return null
    }
  }

  /** Returns the manifests of the versions in order, without those that cannot be read. */
  async function readStoredManifests(versions: readonly StoredVersion[]): Promise<Manifest[]> {
    const found: Manifest[] = []
    for (let start = 0; start < versions.length; start += READS_AT_ONCE) {
      const some = versions.slice(start, start + READS_AT_ONCE)
      found.push(...(await Promise.all(some.map(({ key }) => findManifest(key)))).filter((each) => each !== null))
    }
    return found
  }

  /** Deletes every manifest of the version, so that it is no longer listed. */
  async function deleteManifests({ hash, archiveDate }: VersionId): Promise<void> {
    for (const held of await listManifestKeys(kv)) {
      if (isSameVersion(held, { hash, archiveDate })) await kv.delete(held.key)
    }
  }

  async function saveFile(hash: string, bytes: Uint8Array): Promise<void> {
    await r2.put(fileKey(hash), bytes, { sha256: hash, httpMetadata: { contentType: 'text/csv; charset=utf-8' } })
  }

  async function saveLists(key: string, value: StoredLists): Promise<void> {
    await kv.put(key, JSON.stringify(value))
  }

  /** @returns the manifest's key, for the pointer */
  async function saveManifest(manifest: Manifest): Promise<string> {
    const text = JSON.stringify(manifest)
    const key = manifestKey(manifest.version, sha256Hex(text))
    await kv.put(key, text, { metadata: { savedAt: new Date(now()).toISOString() } })
    return key
  }

  async function savePointer(pointer: Pointer): Promise<void> {
    await kv.put(POINTER_KEY, JSON.stringify(pointer))
    pointerSeen = { pointer, at: now() }
  }

  return {
    findPointer,
    lookUpPointer: readStoredPointer,
    readManifest,
    readLists,
    openFile,
    findManifest,
    hasFile,
    listStored: listStoredVersions,
    readStored: readStoredManifests,
    deleteManifests,
    saveFile,
    saveLists,
    saveManifest,
    savePointer,
  }
}

/** Returns all manifest keys, the last saved first. */
async function listManifestKeys(kv: KVNamespace): Promise<StoredVersion[]> {
  const found: { held: StoredVersion; savedAt: string }[] = []
  let cursor: string | null = null
  do {
    const page: KVNamespaceListResult<SavedAt> = await kv.list<SavedAt>({ prefix: MANIFEST_PREFIX, cursor })
    for (const { name, metadata } of page.keys) {
      const held = readManifestKey(name)
      if (held !== null) found.push({ held, savedAt: metadata?.savedAt ?? '' })
    }
    cursor = page.list_complete ? null : page.cursor
  } while (cursor !== null)
  return found.toSorted((a, b) => b.savedAt.localeCompare(a.savedAt)).map(({ held }) => held)
}

function parseStored<Schema extends z.ZodType>(schema: Schema, text: string | null): z.infer<Schema> | null {
  if (text === null) return null
  try {
    const parsed = schema.safeParse(JSON.parse(text))
    return parsed.success ? parsed.data : null
  } catch {
    return null
  }
}
