// Serves an earlier stored version of the waiting lists again, or withdraws a wrong one, for the operator's commands.
import { type DatasetVersion, type StoredVersion, isSameVersion } from './stored-version.ts'
import type { WaitingListStore } from './waiting-lists.store.ts'

const SHORTEST_HASH = 8

/** Why a hash does not identify one version. */
type NotFound =
  | { outcome: 'not_held' }
  | { outcome: 'ambiguous'; versions: DatasetVersion[] }
  | { outcome: 'unavailable' }

export type RollbackOutcome =
  | { outcome: 'rolled_back'; version: DatasetVersion; previous: DatasetVersion | null }
  | { outcome: 'file_missing'; version: DatasetVersion }
  | NotFound

export type WithdrawOutcome =
  | { outcome: 'withdrawn'; version: DatasetVersion }
  /** The version is being served. `others` could be served instead, the last saved first. */
  | { outcome: 'served'; version: DatasetVersion; others: DatasetVersion[] }
  | NotFound

/**
 * Serves a stored version.
 * @param hash its SHA-256, or at least the first 8 characters of it
 * @param archiveDate needed only if more than one archive date of the file is stored
 */
export async function rollbackDataset(
  store: WaitingListStore,
  hash: string,
  archiveDate?: string,
): Promise<RollbackOutcome> {
  const held = await store.listStored()
  const match = await findStored(store, held, hash, archiveDate)
  if (match.outcome !== 'found') return match
  const { version, source } = match.manifest
  if (!(await store.hasFile(version.hash))) return { outcome: 'file_missing', version }
  const previous = await servedVersion(store)
  await store.savePointer({ format: 1, version, source, manifestKey: match.key })
  return { outcome: 'rolled_back', version, previous: previous === 'unavailable' ? null : previous }
}

/**
 * Withdraws a version: it is no longer listed or served, unless its file is published again. The file itself stays, because
 * earlier answers name its hash. The served version cannot be withdrawn; serve another one first.
 */
export async function withdrawDataset(
  store: WaitingListStore,
  hash: string,
  archiveDate?: string,
): Promise<WithdrawOutcome> {
  const held = await store.listStored()
  const match = await findStored(store, held, hash, archiveDate)
  if (match.outcome !== 'found') return match
  const { version } = match.manifest
  const served = await servedVersion(store)
  if (served === 'unavailable') return { outcome: 'unavailable' }
  if (served !== null && isSameVersion(served, version)) {
    const others = (held ?? []).filter((each) => !isSameVersion(each, version))
    return { outcome: 'served', version, others: await versionsOf(store, others) }
  }
  await store.deleteManifests(version)
  return { outcome: 'withdrawn', version }
}

async function findStored(
  store: WaitingListStore,
  held: readonly StoredVersion[] | null,
  hash: string,
  archiveDate: string | undefined,
) {
  if (held === null) return { outcome: 'unavailable' } as const
  if (hash.length < SHORTEST_HASH) return { outcome: 'not_held' } as const
  const matches = held.filter(
    (version) =>
      version.hash.startsWith(hash.toLowerCase()) && (archiveDate === undefined || version.archiveDate === archiveDate),
  )
  const [match] = matches
  if (match === undefined) return { outcome: 'not_held' } as const
  if (matches.length > 1) return { outcome: 'ambiguous', versions: await versionsOf(store, matches) } as const
  const manifest = await store.findManifest(match.key)
  return manifest === null
    ? ({ outcome: 'unavailable' } as const)
    : { outcome: 'found' as const, key: match.key, manifest }
}

async function versionsOf(store: WaitingListStore, held: readonly StoredVersion[]): Promise<DatasetVersion[]> {
  return (await store.readStored(held)).map(({ version }) => version)
}

async function servedVersion(store: WaitingListStore): Promise<DatasetVersion | null | 'unavailable'> {
  // Not the version that this isolate remembers, which another one may have replaced since.
  const found = await store.lookUpPointer()
  if (found.outcome === 'unavailable') return 'unavailable'
  return found.outcome === 'ok' ? found.pointer.version : null
}
