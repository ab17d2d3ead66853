// Takes all of a ledger's sealed objects out of R2, those that its database does not know of too: found by their names.
import { withinTime } from '../platform/time-limit.ts'
import { archivePrefix } from './archive-object.ts'

/** R2 lists and deletes at most so many at once. */
const AT_ONCE = 1000
const BUCKET_LIMIT_MS = 30_000

type Bucket = Pick<R2Bucket, 'list' | 'delete'>

/** Deletes up to a thousand. False when there were none left. Rejects when R2 does or does not answer. */
export async function deleteSealedObjects(bucket: Bucket, ledger: string): Promise<boolean> {
  const names = await listSealedObjects(bucket, ledger)
  if (names.length > 0) await withinTime(bucket.delete(names), BUCKET_LIMIT_MS)
  return names.length > 0
}

/** The names of the first thousand. */
export async function listSealedObjects(bucket: Bucket, ledger: string): Promise<string[]> {
  const { objects } = await withinTime(bucket.list({ prefix: archivePrefix(ledger), limit: AT_ONCE }), BUCKET_LIMIT_MS)
  return objects.map(({ key }) => key)
}
