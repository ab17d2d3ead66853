// Seals content (prompts, answers, reasons of decisions) and puts it into R2, or gets and opens it. Only the Worker calls this: no
// text enters the organisation's object.
import { BUCKET_LIMIT_MS } from '../journal/archive-bucket.store.ts'
import { importSealingKey, seal, unseal } from '../../platform/seal.ts'
import { sha256Hex } from '../../platform/sha256.ts'
import { withTimeLimit } from '../../platform/time.ts'
import { packContent, unpackContent, type ContentPlace, type StoredContent } from './content-object.ts'

type ContentBucket = Pick<R2Bucket, 'put' | 'get'>

/** Rejects if R2 fails or does not answer within `limitMs`. */
export async function putContent(
  bucket: ContentBucket,
  { name, key }: ContentPlace,
  plain: Uint8Array<ArrayBuffer>,
  limitMs: number = BUCKET_LIMIT_MS,
): Promise<StoredContent> {
  const sealed = await seal(await importSealingKey(key), name, await packContent(plain))
  await withTimeLimit(bucket.put(name, sealed), limitMs)
  return { sha256: sha256Hex(sealed), bytes: sealed.byteLength }
}

/** `object_missing`: deleted. `object_damaged`: not the object that was stored. `storage_failed`: retry. */
export type UnopenedContent = 'object_missing' | 'object_damaged' | 'storage_failed'

export type OpenedContent = { outcome: 'opened'; plain: Uint8Array<ArrayBuffer> } | { outcome: UnopenedContent }

/** @param stored the hash and length to check, so that a replaced object is detected; null if the caller checks the content */
export async function getContent(
  bucket: ContentBucket,
  { name, key }: ContentPlace,
  stored: StoredContent | null,
): Promise<OpenedContent> {
  const sealed = await withTimeLimit(readObject(bucket, name), BUCKET_LIMIT_MS).catch(() => 'failed' as const)
  if (sealed === 'failed') return { outcome: 'storage_failed' }
  if (sealed === null) return { outcome: 'object_missing' }
  const isReplaced = stored !== null && (sealed.byteLength !== stored.bytes || sha256Hex(sealed) !== stored.sha256)
  if (isReplaced) return { outcome: 'object_damaged' }
  const packed = await unseal(await importSealingKey(key), name, sealed)
  return packed === null ? { outcome: 'object_damaged' } : { outcome: 'opened', plain: await unpackContent(packed) }
}

async function readObject(bucket: ContentBucket, name: string): Promise<Uint8Array<ArrayBuffer> | null> {
  const object = await bucket.get(name)
  return object && new Uint8Array(await object.arrayBuffer())
}
