// One file of a bucket: read, or put in the place of the one that was seen there. Rejects where R2 does, or does not answer in
// time.
import { withinTime } from '../platform/clock.ts'

/** What goes on after that is harmless: a file takes the place only of the one that was seen. */
export const FILE_LIMIT_MS = 10_000

/** Null where there is none. */
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

/** `etag`: of the file in whose place it is put; null for none. */
type NewFile = { content: string | Uint8Array; etag: string | null; customMetadata?: Record<string, string> }

/** False where there is something else by now. */
export async function putInstead(
  bucket: R2Bucket,
  key: string,
  { content, etag, customMetadata = {} }: NewFile,
): Promise<boolean> {
  const onlyIf = new Headers(etag === null ? { 'if-none-match': '*' } : { 'if-match': `"${etag}"` })
  return (await withinTime(bucket.put(key, content, { onlyIf, customMetadata }), FILE_LIMIT_MS)) !== null
}
