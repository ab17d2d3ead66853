// Opens, lists and deletes an organisation's sealed objects in R2. Opening one needs the organisation's own key.
import { importSealingKey, unseal } from '../../platform/seal.ts'
import { withinTime } from '../../platform/time.ts'
import { archiveObjectName, unpackEntries, type StoredEntry } from './archive-object.ts'
import type { SealedDetails } from './sealed-details.store.ts'

/** A key that details are sealed under. */
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

type Places = { bucket: R2Bucket; dataKeys: DataKeys; objectId: string }

export async function openSealedObject({ bucket, dataKeys, objectId }: Places, object: SealedDetails): Promise<Opened> {
  const key = object.dataKey === null ? null : dataKeys.find(object.dataKey)
  if (key === null) return unopened('key_destroyed')
  const name = archiveObjectName(objectId, object)
  const sealed = await withinTime(readObject(bucket, name), BUCKET_LIMIT_MS).catch(() => 'failed' as const)
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
  if (names.length > 0) await withinTime(bucket.delete(names), BUCKET_LIMIT_MS)
}

/** Lists up to a thousand object names after `startAfter`, in order. Includes objects that no database row lists. */
export async function listObjects(
  bucket: Pick<R2Bucket, 'list'>,
  prefix: string,
  startAfter?: string,
): Promise<{ names: string[]; isLast: boolean }> {
  const wanted = { prefix, limit: AT_ONCE, ...(startAfter !== undefined && { startAfter }) }
  const { objects, truncated } = await withinTime(bucket.list(wanted), BUCKET_LIMIT_MS)
  return { names: objects.map(({ key }) => key), isLast: !truncated }
}

async function readObject(bucket: R2Bucket, name: string): Promise<Uint8Array<ArrayBuffer> | null> {
  const object = await bucket.get(name)
  return object && new Uint8Array(await object.arrayBuffer())
}

const unopened = (cause: UnopenedCause) => ({ outcome: 'unreadable', cause }) as const
