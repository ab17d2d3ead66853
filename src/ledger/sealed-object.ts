// Opening a sealed object: fetched from R2 under its name and unsealed under the organisation's own key.
import { importSealingKey, unseal } from '../platform/seal.ts'
import { withinTime } from '../platform/time-limit.ts'
import { archiveObjectName, unpackEntries } from './archive-object.ts'
import type { DataKeys } from './data-key.ts'
import type { KeptEntry } from './kept-entry.ts'
import type { SealedDetails } from './sealed-details.store.ts'

/** R2 has no limit of its own, and an alarm that waits for it sets no further one. */
export const BUCKET_LIMIT_MS = 30_000

/** `object_missing`, `object_damaged`: not the object that was written there. `storage_failed`: try again. */
export type UnopenedCause = 'key_destroyed' | 'object_missing' | 'object_damaged' | 'storage_failed'

export type Opened = { outcome: 'opened'; entries: KeptEntry[] } | { outcome: 'unreadable'; cause: UnopenedCause }

type Places = { bucket: R2Bucket; dataKeys: DataKeys; ledger: string }

export async function openSealedObject({ bucket, dataKeys, ledger }: Places, object: SealedDetails): Promise<Opened> {
  const key = object.dataKey === null ? null : dataKeys.find(object.dataKey)
  if (key === null) return unopened('key_destroyed')
  const name = archiveObjectName(ledger, object)
  const sealed = await withinTime(readObject(bucket, name), BUCKET_LIMIT_MS).catch(() => 'failed' as const)
  if (sealed === 'failed') return unopened('storage_failed')
  if (sealed === null) return unopened('object_missing')
  const packed = await unseal(await importSealingKey(key.bytes), name, sealed)
  if (packed === null) return unopened('object_damaged')
  return { outcome: 'opened', entries: await unpackEntries(packed) }
}

async function readObject(bucket: R2Bucket, name: string): Promise<Uint8Array<ArrayBuffer> | null> {
  const object = await bucket.get(name)
  return object && new Uint8Array(await object.arrayBuffer())
}

const unopened = (cause: UnopenedCause) => ({ outcome: 'unreadable', cause }) as const
