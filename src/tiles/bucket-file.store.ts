// Reads one file of a bucket, or replaces the version that was read. Rejects if R2 fails or times out.
import { withinTime } from '../platform/clock.ts'

/** A put that finishes after this is harmless: it replaces only the version that was read. */
export const FILE_LIMIT_MS = 10_000

/** Null without a file. */
export function readFile<T>(
  bucket: R2Bucket,
  key: string,
  read: (file: R2ObjectBody) => Promise<T>,
): Promise<T | null> {
  const reading = async (): Promise<T | null> => {
    const file = await bucket.get(key)
    return file && read(file)
  }
  return withinTime(reading(), FILE_LIMIT_MS)
}

/** `etag`: the version to replace; null for a new file. */
type NewFile = { content: string | Uint8Array; etag: string | null; customMetadata?: Record<string, string> }

/** False if the file changed meanwhile. */
export async function putInstead(
  bucket: R2Bucket,
  key: string,
  { content, etag, customMetadata = {} }: NewFile,
): Promise<boolean> {
  const onlyIf = new Headers(etag === null ? { 'if-none-match': '*' } : { 'if-match': `"${etag}"` })
  return (await withinTime(bucket.put(key, content, { onlyIf, customMetadata }), FILE_LIMIT_MS)) !== null
}
