// How content leaves R2: when its time is over, and when its key was destroyed.
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { contentCleaningTask } from '../../../../src/organisation/content/clean-content.ts'
import { ContentKeys } from '../../../../src/organisation/content/content-keys.ts'
import { putContent } from '../../../../src/organisation/content/content-bucket.store.ts'
import type { AlarmTask } from '../../../../src/organisation/object-alarm.ts'
import { bucketWith } from '../../../support/unit/bucket-with.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const noon = Date.UTC(2026, 10, 20, 12)
const PLAIN = new Uint8Array(1)

type Cleaned = {
  keys: ContentKeys
  task: AlarmTask
  put: (days: number, at?: number) => Promise<string>
  /** Returns the names of the objects that are left. */
  names: () => Promise<string[]>
  /** Steps until it is not due. */
  runAll: (now: number) => Promise<number>
}

let objects = 0

async function inCleaned(work: (cleaned: Cleaned) => Promise<void>, bucket: R2Bucket = env.FILES): Promise<void> {
  const object = `object-${(objects += 1)}`
  await runInDurableObject(env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(object)), async (_, { storage }) => {
    const keys = new ContentKeys(storage.sql, object)
    const task = contentCleaningTask({ storage, bucket, object, keys })
    await work({
      keys,
      task,
      async put(days, at = noon) {
        const expiresAt = at + days * DAY_MS
        const place = keys.place({ attestationId: crypto.randomUUID(), kind: 'call', expiresAt }, at)
        await putContent(env.FILES, place, PLAIN)
        return place.name
      },
      names: async () => (await env.FILES.list({ prefix: `content/${object}/` })).objects.map(({ key }) => key),
      async runAll(now) {
        let steps = 0
        for (; (task.dueAt(now) ?? Infinity) <= now; steps += 1) await task.run(now)
        return steps
      },
    })
  })
}

/** Lists two at a time. */
const smallPages = bucketWith({
  list: (wanted?: R2ListOptions) => env.FILES.list({ ...wanted, limit: 2 }),
})

describe('content whose time is over', () => {
  it('goes on the next day, and nothing else does', async () => {
    await inCleaned(async ({ task, put, names, runAll }) => {
      const [, second, third] = [await put(1), await put(2), await put(3)]
      expect(task.dueAt(noon)).toBe(noon + DAY_MS)
      await runAll(noon + DAY_MS)
      expect((await names()).length).toBe(3)
      await runAll(noon + 2 * DAY_MS)
      expect(await names()).toEqual([second, third])
      expect(task.dueAt(noon + 2 * DAY_MS)).toBe(noon + 3 * DAY_MS)
    })
  })

  it('goes a page at a time', async () => {
    await inCleaned(async ({ put, names, runAll }) => {
      for (let n = 0; n < 5; n += 1) await put(1)
      const kept = [await put(9), await put(10), await put(11)]
      expect(await runAll(noon + 3 * DAY_MS)).toBe(3)
      expect(await names()).toEqual(kept)
    }, smallPages)
  })

  it('is looked for where there ever was any, and not elsewhere', async () => {
    await inCleaned(async ({ task, put }) => {
      expect(task.dueAt(noon)).toBeNull()
      await put(1)
      expect(task.dueAt(noon)).not.toBeNull()
    })
  })

  it('stays due where R2 fails', async () => {
    const failing = bucketWith({ delete: () => Promise.reject(new Error('cut off')) })
    await inCleaned(async ({ task, put, names }) => {
      await put(1)
      const later = noon + 3 * DAY_MS
      await expect(task.run(later)).rejects.toThrow('cut off')
      expect(task.dueAt(later)).toBeLessThanOrEqual(later)
      expect((await names()).length).toBe(1)
    }, failing)
  })

  it('is looked for daily too once the clock has stepped back', async () => {
    await inCleaned(async ({ task, put, runAll }) => {
      await put(90)
      await runAll(noon + 40 * DAY_MS)
      expect(task.dueAt(noon)).toBe(noon + DAY_MS)
      await task.run(noon)
      expect(task.dueAt(noon + MINUTE_MS)).toBe(noon + DAY_MS)
    })
  })
})

describe('content whose key was destroyed', () => {
  it('goes at once, whatever its day, and what came under a later key stays', async () => {
    await inCleaned(async ({ keys, task, put, names, runAll }) => {
      for (const days of [1, 2, 3, 400, 500]) await put(days)
      keys.destroy(noon)
      const kept = [await put(2), await put(450)]
      expect(task.dueAt(noon)).toBe(noon)
      await runAll(noon)
      expect(await names()).toEqual(kept)
    }, smallPages)
  })

  it('goes also where it was put late, by a call that had its key before', async () => {
    await inCleaned(async ({ keys, task, put, names, runAll }) => {
      const place = keys.place({ attestationId: 'late', kind: 'call', expiresAt: noon + 90 * DAY_MS }, noon)
      await put(1)
      keys.destroy(noon)
      await runAll(noon)
      await putContent(env.FILES, place, PLAIN)
      expect(task.dueAt(noon)).toBe(noon + 15 * MINUTE_MS)
      await runAll(noon + 15 * MINUTE_MS)
      expect(await names()).toEqual([])
      expect(task.dueAt(noon + 15 * MINUTE_MS)).toBe(noon + 15 * MINUTE_MS + DAY_MS)
    })
  })

  it('goes also where keys are destroyed again while it is being deleted', async () => {
    await inCleaned(async ({ keys, task, put, names, runAll }) => {
      for (let n = 0; n < 5; n += 1) await put(9)
      keys.destroy(noon)
      await task.run(noon)
      await put(1)
      keys.destroy(noon + 1)
      await runAll(noon + 2)
      expect(await names()).toEqual([])
    }, smallPages)
  })
})
