// The list of what an object does by itself: whatever fails of it keeps nothing else from being done, waits its time and no
// longer, and is not forgotten.
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ObjectAlarm, type AlarmTask } from '../../../src/organisation/object-alarm.ts'
import type { Organisation } from '../../../src/organisation/organisation.do.ts'
import { DAY_MS, MINUTE_MS } from '../../../src/platform/time.ts'
import { factsOf, foundOrganisation, noon, type ChatOrganisation } from './chat-organisation.ts'
import { runs } from '../../support/runs.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: noon })
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

/** In the storage of an object that has nothing of its own to do. */
const inStorage = (work: (storage: DurableObjectStorage) => Promise<void>): Promise<void> =>
  runInDurableObject(env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName('org_of_chores')), (_, { storage }) =>
    work(storage),
  )

/** Makes a task that notes each time it is done. */
function choreOf(name: string, more: Partial<AlarmTask> = {}): AlarmTask & { doneAt: number[] } {
  const doneAt: number[] = []
  const { run = () => undefined } = more
  return {
    failure: name,
    dueAt: (now) => now,
    ...more,
    doneAt,
    run(now) {
      doneAt.push(now)
      return run(now)
    },
  }
}

const fail = (): never => {
  throw new Error('it fails')
}

const KINDS: Record<string, Partial<AlarmTask>> = {
  'is done': {},
  'is done later': { run: () => new Promise((resolve) => void setTimeout(resolve, 0)) },
  throws: { run: fail },
  rejects: { run: () => Promise.reject(new Error('it fails')) },
  'does not know when it is due': { dueAt: fail },
  'has nothing to do': { dueAt: () => null },
  'is due tomorrow': { dueAt: (now) => now + DAY_MS },
}

describe('an alarm', () => {
  it('begins every task that has anything to do, whatever becomes of the others, and is set again', async () => {
    const kinds = fc.array(fc.constantFrom(...Object.keys(KINDS)), { minLength: 1, maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(kinds, (named) =>
        inStorage(async (storage) => {
          const tasks = named.map((kind, n) => choreOf(`${kind} ${n}`, KINDS[kind]))
          await new ObjectAlarm(storage, () => tasks).wake(noon)
          const isBegun = (kind: string) => !['does not know when it is due', 'has nothing to do'].includes(kind)
          expect(tasks.map(({ doneAt }) => doneAt)).toEqual(named.map((kind) => (isBegun(kind) ? [noon] : [])))
          expect(await storage.getAlarm()).toBe(nextAlarm(named))
        }),
      ),
      { numRuns: runs(60) },
    )
  })

  /** A task that is due at once stays due, because these tasks never finish. */
  function nextAlarm(named: readonly string[]): number | null {
    const has = (...kinds: string[]) => kinds.some((kind) => named.includes(kind))
    if (has('does not know when it is due')) return noon + 30_000
    if (has('is done', 'is done later')) return noon
    if (has('throws', 'rejects')) return noon + 30_000
    return has('is due tomorrow') ? noon + DAY_MS : null
  }

  it.each([
    ['before', true],
    ['after', false],
  ])('begins a task while another waits that stands %s it', (_, isFirst) =>
    inStorage(async (storage) => {
      let begun = (): void => undefined
      const other = new Promise<void>((resolve) => (begun = resolve))
      const tasks = [choreOf('waits', { run: () => other }), choreOf('quick', { run: () => begun() })]
      await new ObjectAlarm(storage, () => (isFirst ? tasks : tasks.toReversed())).wake(noon)
      expect(tasks.map(({ doneAt }) => doneAt)).toEqual([[noon], [noon]])
    }),
  )
})

describe('an alarm that a task has set', () => {
  it.each([
    ['is not set again', false],
    ['rejects where it could not be stored, so that the platform repeats this one', true],
  ])('%s', async (_, fails) => {
    const set: number[] = []
    const storage = {
      async setAlarm(at: number) {
        set.push(at)
        await new Promise((resolve) => void setTimeout(resolve, 0))
        if (fails) throw new Error('not stored')
      },
      deleteAlarm: () => Promise.resolve(),
    }
    const due = noon + MINUTE_MS
    const setting = choreOf('setting', { dueAt: () => due, run: () => alarm.ensure(due, noon) })
    const alarm: ObjectAlarm = new ObjectAlarm(storage, () => [setting])
    const woken = alarm.wake(noon)
    if (fails) await expect(woken).rejects.toThrow('not stored')
    else await woken
    expect(set).toEqual([due])
  })
})

describe('a task that failed', () => {
  it.each([
    ['half a minute', {}, 30_000],
    ['as long as it says itself', { retryMs: 15 * MINUTE_MS }, 15 * MINUTE_MS],
  ])('waits %s, however often the object wakes meanwhile, and then is done whenever it is due', (_, more, waitMs) =>
    inStorage(async (storage) => {
      let fails = true
      const failing = choreOf('failing', { ...more, run: () => (fails ? fail() : undefined) })
      const other = choreOf('other', { dueAt: () => null })
      const alarm = new ObjectAlarm(storage, () => [failing, other])
      const wake = async (at: number) => {
        vi.setSystemTime(at)
        await alarm.wake(at)
        return storage.getAlarm()
      }
      expect(await wake(noon)).toBe(noon + waitMs)
      for (const early of [1, waitMs / 2, waitMs - 1]) expect(await wake(noon + early)).toBe(noon + waitMs)
      expect(await wake(noon + waitMs)).toBe(noon + 2 * waitMs)
      fails = false
      expect(await wake(noon + 2 * waitMs)).toBe(noon + 2 * waitMs)
      await wake(noon + 2 * waitMs + 1)
      expect(failing.doneAt.map((at) => at - noon)).toEqual([0, waitMs, 2 * waitMs, 2 * waitMs + 1])
    }),
  )

  it('waits no longer where the clock steps back, by calls or by alarms', async () => {
    const back = fc.constantFrom(1000, 29_999, 30_001, MINUTE_MS, DAY_MS, 30 * DAY_MS)
    await fc.assert(
      fc.asyncProperty(back, fc.boolean(), (backMs, isByAlarm) =>
        inStorage(async (storage) => {
          const failing = choreOf('failing', { run: fail })
          const alarm = new ObjectAlarm(storage, () => [failing])
          vi.setSystemTime(noon)
          await alarm.wake(noon)
          const right = noon - backMs
          vi.setSystemTime(right)
          if (isByAlarm) await alarm.wake(right)
          else alarm.setAlarm(right)
          const alarmAt = (await storage.getAlarm()) ?? Infinity
          expect(alarmAt).toBeLessThanOrEqual(right + 30_000)
          vi.setSystemTime(alarmAt)
          await alarm.wake(alarmAt)
          expect(failing.doneAt).toEqual([noon, alarmAt])
        }),
      ),
      { numRuns: runs(20) },
    )
  })
})

describe('a call', () => {
  it('sets an alarm that is not known or too late, and leaves one that is early enough', () =>
    inStorage(async (storage) => {
      let due = noon + 5000
      const alarm = new ObjectAlarm(storage, () => [choreOf('later', { dueAt: () => due })])
      alarm.ensure(due, noon)
      expect(await storage.getAlarm()).toBe(noon + 5000)
      await storage.deleteAlarm()
      for (const at of [noon + 5000, noon + 6000]) alarm.ensure(at, noon)
      expect(await storage.getAlarm()).toBeNull()
      due = noon + 4999
      alarm.ensure(due, noon)
      expect(await storage.getAlarm()).toBe(noon + 4999)
    }))

  it('sets the alarm again where the clock steps back by a second, at once or little by little, and not for less', () =>
    inStorage(async (storage) => {
      let asked = 0
      const dueAt = (now: number): number => {
        asked += 1
        return now + 5000
      }
      const alarm = new ObjectAlarm(storage, () => [choreOf('later', { dueAt })])
      const askedAt = (at: number): number => {
        alarm.ensure(noon + 5000, at)
        return asked
      }
      expect(askedAt(noon)).toBe(1)
      expect(askedAt(noon - 999)).toBe(1)
      expect(askedAt(noon - 1000)).toBe(2)
      expect(await storage.getAlarm()).toBe(noon + 4000)
      expect(askedAt(noon - 1001)).toBe(2)
      expect(askedAt(noon - 1999)).toBe(2)
      expect(askedAt(noon - 2000)).toBe(3)
    }))

  it('sets no alarm again that is set, unless it should have gone off', () =>
    inStorage(async (storage) => {
      const alarm = new ObjectAlarm(storage, () => [choreOf('later', { dueAt: () => noon + 5000 })])
      alarm.setAlarm(noon)
      await storage.deleteAlarm()
      alarm.setAlarm(noon + 4999)
      expect(await storage.getAlarm()).toBeNull()
      alarm.setAlarm(noon + 5000)
      expect(await storage.getAlarm()).toBe(noon + 5000)
    }))
})

/** Each with the statement that fails where it is done. */
const FAILING: Record<string, readonly string[]> = {
  readings: ['INSERT ON entries WHEN NEW.settles = 4'],
  chats: ['INSERT ON entries WHEN NEW.settles = 3'],
  counts: ["INSERT ON entries WHEN NEW.kind = 'hour_counts'"],
  submitted: ['UPDATE ON progress WHEN NEW.published_to > OLD.published_to'],
  tiles: ['INSERT ON tile_levels', 'UPDATE ON tile_levels'],
  cleaned: ['UPDATE ON entries', 'DELETE ON entries'],
}

describe('an organisation whose object fails at one task', () => {
  it.each(Object.keys(FAILING))('has all others done, and that too once it can be: %s', async (failing) => {
    const { organisation, done } = await busyOrganisation()
    vi.setSystemTime(noon + 31 * DAY_MS)
    const statements = FAILING[failing] ?? []
    for (const [n, statement] of statements.entries()) {
      await organisation.query(`CREATE TRIGGER failing_${n} BEFORE ${statement} BEGIN SELECT RAISE(ABORT, 'no'); END`)
    }
    await wakeTimes(organisation, 8)
    const all = { readings: true, chats: true, counts: true, submitted: true, tiles: true, cleaned: true }
    expect(await done()).toEqual({ ...all, [failing]: false })
    for (const n of statements.keys()) await organisation.query(`DROP TRIGGER failing_${n}`)
    await wakeTimes(organisation, 8)
    expect(await done()).toEqual(all)
  })

  async function wakeTimes(organisation: ChatOrganisation, times: number): Promise<void> {
    for (let n = 0; n < times; n += 1) {
      vi.setSystemTime(Date.now() + 15 * MINUTE_MS)
      await organisation.runAlarm()
    }
  }

  /** With a request at 3 and a reading at 4 that nobody settles, and something to do for every task once a month is over. */
  async function busyOrganisation() {
    const organisation = await foundOrganisation({ tier: 'pro' })
    const key = await organisation.issueKey()
    const reader = await organisation.issueKey({ prefix: 'vk_live_' })
    const stub = env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(organisation.id))
    await runInDurableObject(stub, (object: Organisation) => {
      object.admitChat(factsOf(key, { upFrontMicroeur: 5 }))
      const { keyId, secretHash } = reader
      const entry = { kind: 'referral_decision', content: { decision: 'reading' } } as const
      object.admit({ keyId, secretHash, scope: 'referral:read', entry, reserveMicroeur: 5 })
      for (let n = 0; n < 256; n += 1) object.log.recordAct({ actor: 'operator', act: 'test', requestId: 'req_test' })
    })
    const done = async () => {
      const { months, readings } = await organisation.state()
      const isNone = async (table: string) => (await organisation.query(`SELECT 1 FROM ${table} LIMIT 1`)).length === 0
      return {
        readings: readings.open.size === 0,
        chats: months.open.size === 0,
        counts: !(await isNone("entries WHERE kind = 'hour_counts'")),
        submitted: !(await isNone('progress WHERE last_receipt = 3')),
        tiles: !(await isNone('tile_levels WHERE level = 0 AND stored > 0')),
        cleaned: await isNone(`entries WHERE expires_at <= ${Date.now()} AND length(entry) > 0`),
      }
    }
    expect(Object.values(await done())).toEqual([false, false, false, false, false, true])
    return { organisation, done }
  }
})
