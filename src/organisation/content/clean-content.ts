// Deletes stored content from R2 that has expired or whose key was destroyed. Runs by the alarm of the organisation's object.
import { deleteObjects, listObjects } from '../journal/archive-bucket.store.ts'
import { DAY_MS, MINUTE_MS, utcDay } from '../../platform/time.ts'
import type { AlarmTask } from '../object-alarm.ts'
import { ContentCleaningStore, type ContentCleaning } from './content-cleaning.store.ts'
import type { ContentKeys } from './content-keys.ts'
import { contentPrefix, readContentName } from './content-object.ts'

/** A Worker may store an object this long after its key was destroyed: the longest time that a call stays unsettled. */
const LATE_MS = 15 * MINUTE_MS

/** The wait before a failed deletion is tried again. */
const RETRY_MS = 15 * MINUTE_MS

type Parts = { storage: DurableObjectStorage; bucket: R2Bucket; object: string; keys: ContentKeys }

/** Returns the alarm task. Each run deletes at most a thousand R2 objects. */
export function contentCleaningTask({ storage, bucket, object, keys }: Parts): AlarmTask {
  const cleaning = new ContentCleaningStore(storage.sql)
  /** The name after which an unfinished pass continues. A restarted object begins again. */
  let pass: { after: string; beganAt: number } | null = null

  return {
    failure: 'content_not_deleted',
    retryMs: RETRY_MS,
    dueAt: (now) => (pass === null ? dueAt(cleaning.read(), now) : now),
    async run(now) {
      moveTimesBack(cleaning, now)
      const before = cleaning.read()
      if (before === null || (pass === null && (dueAt(before, now) ?? Infinity) > now)) return
      const beganAt = pass?.beganAt ?? now
      const { names, isLast } = await listObjects(bucket, contentPrefix(object), pass?.after)
      const isOver = (name: string): boolean => (readContentName(name)?.lastDay ?? 0) < utcDay(now)
      await deleteObjects(
        bucket,
        names.filter((name) => isOver(name) || !keys.canRead(name)),
      )
      const last = names.at(-1)
      // Names sort by expiry day. After one that has not expired, only those whose key was destroyed are looked for.
      const goesOn = !isLast && (before.destroyedAt !== null || names.every(isOver))
      pass = goesOn && last !== undefined ? { after: last, beganAt } : null
      if (pass === null) recordPass(storage, cleaning, beganAt)
    },
  }
}

function recordPass(storage: DurableObjectStorage, cleaning: ContentCleaningStore, beganAt: number): void {
  storage.transactionSync(() => {
    const destroyedAt = cleaning.read()?.destroyedAt ?? null
    const isThrough = destroyedAt === null || beganAt >= destroyedAt + LATE_MS
    cleaning.write({ cleanedAt: beganAt, destroyedAt: isThrough ? null : destroyedAt })
  })
}

/** Moves stored times that lie in the future back to now: the clock was ahead. */
function moveTimesBack(cleaning: ContentCleaningStore, now: number): void {
  const { cleanedAt = 0, destroyedAt = null } = cleaning.read() ?? {}
  if (Math.max(cleanedAt, destroyedAt ?? 0) <= now) return
  cleaning.write({ cleanedAt: Math.min(cleanedAt, now), destroyedAt: destroyedAt && Math.min(destroyedAt, now) })
}

/** Returns when cleaning is due: daily, at once after keys were destroyed, and again when no Worker can still hold such a key. */
function dueAt(cleaning: ContentCleaning | null, now: number): number | null {
  if (cleaning === null) return null
  const { cleanedAt, destroyedAt } = cleaning
  if (destroyedAt === null) return Math.min(cleanedAt, now) + DAY_MS
  return cleanedAt < destroyedAt ? now : Math.min(destroyedAt, now) + LATE_MS
}
