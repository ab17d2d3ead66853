// Opens the R2 objects with an organisation's archived entries, sealed under its own key (format: archive-object.ts). Also lists
// and deletes R2 objects of any kind, such as those with content.
import { importSealingKey, unseal } from '../../platform/seal.ts'
import { withTimeLimit } from '../../platform/time.ts'
import { archiveObjectName, unpackEntries, type StoredEntry } from './archive-object.ts'
import type { SealedDetails } from './sealed-details.store.ts'

/** One of the organisation's own keys, under which entries and their details are sealed. */
export type DataKey = {
  number: number
  bytes: Uint8Array<ArrayBuffer>
  /** Distinguishes the key from any other of the same number, and reveals nothing of the key. */
  fingerprint: string
}

export type DataKeys = {
  /** The key to seal under. */
  current(): DataKey
  /** Returns null if the key was destroyed. */
  find(number: number): DataKey | null
}

/** Timeout for R2, which has none of its own. An alarm that waits for R2 schedules no other alarm. */
export const BUCKET_LIMIT_MS = 30_000

/** `object_missing`, `object_damaged`: R2 does not have the object as it was written. `storage_failed`: try again. */
export type UnopenedCause = 'key_destroyed' | 'object_missing' | 'object_damaged' | 'storage_failed'

export type Opened = { outcome: 'opened'; entries: StoredEntry[] } | { outcome: 'unreadable'; cause: UnopenedCause }

export async function openArchiveObject(
  { bucket, dataKeys, objectId }: { bucket: R2Bucket; dataKeys: DataKeys; objectId: string },
  object: SealedDetails,
): Promise<Opened> {
  const key = object.dataKey === null ? null : dataKeys.find(object.dataKey)
  if (key === null) return unopened('key_destroyed')
  const name = archiveObjectName(objectId, object)
  const sealed = await withTimeLimit(readObject(bucket, name), BUCKET_LIMIT_MS).catch(() => 'failed' as const)
  if (sealed === 'failed') return unopened('storage_failed')
  if (sealed === null) return unopened('object_missing')
  const packed = await unseal(await importSealingKey(key.bytes), name, sealed)
  if (packed === null) return unopened('object_damaged')
  return { outcome: 'opened', entries: await unpackEntries(packed) }
}

/** R2 lists and deletes at most this many objects at once. */
const AT_ONCE = 1000

/** Deletes up to a thousand objects with a name prefix. Returns false if there were none. Rejects if R2 fails or is slow. */
export async function deleteSomeObjects(bucket: Pick<R2Bucket, 'list' | 'delete'>, prefix: string): Promise<boolean> {
  const { names } = await listObjects(bucket, prefix)
  await deleteObjects(bucket, names)
  return names.length > 0
}

export async function deleteObjects(bucket: Pick<R2Bucket, 'delete'>, names: string[]): Promise<void> {
  if (names.length > 0) await withTimeLimit(bucket.delete(names), BUCKET_LIMIT_MS)
}

/** Lists up to a thousand object names after `startAfter`, in order. Includes objects that no database row lists. */
export async function listObjects(
  bucket: Pick<R2Bucket, 'list'>,
  prefix: string,
  startAfter?: string,
): Promise<{ names: string[]; isLast: boolean }> {
  const wanted = { prefix, limit: AT_ONCE, ...(startAfter !== undefined && { startAfter }) }
  const { objects, truncated } = await withTimeLimit(bucket.list(wanted), BUCKET_LIMIT_MS)
  return { names: objects.map(({ key }) => key), isLast: !truncated }
}

async function readObject(bucket: R2Bucket, name: string): Promise<Uint8Array<ArrayBuffer> | null> {
  const object = await bucket.get(name)
  return object && new Uint8Array(await object.arrayBuffer())
}

const unopened = (cause: UnopenedCause) => ({ outcome: 'unreadable', cause }) as const
