// The object's alarm goes on: whatever fails in it, and for however long, it is set again, and all it is for is made up
// for once the storage is well.
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openPublicLog } from '../../../src/public-log/public-log.client.ts'
import type { Organisation } from '../../../src/organisation/organisation.do.ts'
import { postJson, startService } from '../../support/unit/service.ts'
import { foundOrganisation, noon, positionOf, type ChatOrganisation } from './chat-organisation.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** The platform repeats an alarm that throws six times, and then never again. */
const MORE_THAN_THE_PLATFORM_REPEATS = 8

let logged: unknown[]

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: noon })
  logged = []
  vi.spyOn(console, 'error').mockImplementation((line) => logged.push(JSON.parse(String(line))))
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

type Woken = Pick<ChatOrganisation, 'query' | 'alarmAt' | 'runAlarm'>

/** An organisation that has used nothing but the reading of letters: one refusal is in its ledger. */
async function letterReader() {
  const service = startService()
  const { key, organisationId } = await service.createKey()
  const object = () => env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(organisationId))
  const inStorage = <T>(work: (storage: DurableObjectStorage) => T | Promise<T>): Promise<T> =>
    runInDurableObject(object(), (_, { storage }) => work(storage))
  const read = () => service.fetch('/v1/referral/read', postJson(key, { action: 'book_appointment' }))
  await read()
  return {
    read,
    query: <T extends Record<string, SqlStorageValue>>(statement: string) =>
      inStorage(({ sql }) => sql.exec<T>(statement).toArray()),
    alarmAt: () => inStorage((storage) => storage.getAlarm()),
    runAlarm: () => runDurableObjectAlarm(object()),
    /** Returns what the alarm throws while the object can set no further one. */
    wakeInVain: () =>
      runInDurableObject(object(), async (instance: Organisation, { storage }) => {
        await storage.deleteAlarm()
        const failing = vi.spyOn(storage, 'setAlarm').mockRejectedValue(new Error('no alarm can be set'))
        const thrown = await instance.alarm().then(String, String)
        failing.mockRestore()
        return thrown
      }),
    loseAlarm: async () => {
      await inStorage((storage) => storage.deleteAlarm())
      await evictDurableObject(object())
    },
  }
}

const WRITES = [
  'INSERT ON entries',
  'UPDATE ON entries',
  'DELETE ON entries',
  'INSERT ON calls',
  'INSERT ON snapshots',
  'UPDATE ON snapshots',
  'INSERT ON sealed_details',
  'UPDATE ON progress',
]

/** From now on the database refuses what an alarm writes, as one that is full does. */
async function fillStorage({ query }: Woken): Promise<void> {
  for (const [n, write] of WRITES.entries()) {
    await query(`CREATE TRIGGER full_${n} BEFORE ${write} BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`)
  }
}

/** The entries whose content is there. */
const kept = ({ query }: Woken, condition = 'TRUE') =>
  query(`SELECT position FROM entries WHERE length(entry) > 0 AND ${condition}`)

async function freeStorage({ query }: Woken): Promise<void> {
  for (const n of WRITES.keys()) await query(`DROP TRIGGER full_${n}`)
}

/** The alarm goes off when it is due; how long it has been waited for. */
async function wakeWhenDue({ alarmAt, runAlarm }: Woken): Promise<number> {
  const due = await alarmAt()
  if (due === null) throw new Error('the object will not wake again')
  const waitedMs = Math.max(0, due - Date.now())
  vi.setSystemTime(Date.now() + waitedMs)
  await runAlarm()
  return waitedMs
}

async function wakeUntilAtRest(organisation: Woken): Promise<void> {
  for (let alarms = 0; alarms < 50; alarms += 1) {
    await wakeWhenDue(organisation)
    if (((await organisation.alarmAt()) ?? 0) > Date.now() + 60 * MINUTE_MS) return
  }
  throw new Error('the object does not come to rest')
}

/** Without anchors, which come once an hour. */
const publicReceipts = (): Promise<number> =>
  runInDurableObject(
    openPublicLog(env.PUBLIC_LOG, false),
    (_, { storage }) =>
      storage.sql
        .exec<{ n: number }>("SELECT COALESCE(SUM(count), 0) AS n FROM batches WHERE source NOT LIKE '%/anchors'")
        .one().n,
  )

describe('a storage that fails for longer than the platform repeats an alarm', () => {
  it('is no harm once it is well: receipts are submitted, what broke off is settled, retention is kept', async () => {
    const organisation = await foundOrganisation({ tier: 'free' })
    const key = await organisation.issueKey()
    await organisation.settle(positionOf(await organisation.admit(key)), 0)
    vi.setSystemTime(noon + 8 * DAY_MS)
    const open = positionOf(await organisation.admit(key, { upFrontMicroeur: 0 }))
    await fillStorage(organisation)
    vi.setSystemTime(noon + 8 * DAY_MS + 15 * MINUTE_MS)
    for (let alarms = 0; alarms < MORE_THAN_THE_PLATFORM_REPEATS; alarms += 1) await wakeWhenDue(organisation)
    expect(await organisation.alarmAt()).toBeGreaterThan(Date.now())
    expect((await kept(organisation)).length).toBe(5)
    for (const outcome of ['chats_not_settled', 'hour_not_counted', 'details_not_archived']) {
      expect(logged).toContainEqual(expect.objectContaining({ event: 'unexpected_error', outcome }))
    }
    expect(logged).toContainEqual(expect.objectContaining({ event: 'submission_failed' }))
    expect(JSON.stringify(logged)).not.toContain('the disk is full')

    await freeStorage(organisation)
    await wakeUntilAtRest(organisation)
    expect(await publicReceipts()).toBe(2)
    expect((await organisation.entries()).filter(({ kind }) => kind === 'settlement')).toEqual([
      expect.objectContaining({ settles: open, ended: 'interrupted' }),
    ])
    expect(await kept(organisation, `expires_at <= ${Date.now()}`)).toEqual([])
    expect(await organisation.hourCounts()).toMatchObject([{ allowed: 2 }])
  })

  it('is tried every half minute, however many calls come meanwhile', async () => {
    const organisation = await foundOrganisation({ tier: 'pro' })
    const key = await organisation.issueKey()
    await organisation.admit(key)
    await organisation.runAlarm()
    vi.setSystemTime(noon + 15 * MINUTE_MS)
    await organisation.query(`CREATE TRIGGER no_settlements BEFORE INSERT ON entries WHEN NEW.kind = 'settlement'
      BEGIN SELECT RAISE(ABORT, 'no'); END`)
    await organisation.runAlarm()
    const tried = Date.now()
    const failures = () => logged.filter((line) => JSON.stringify(line).includes('chats_not_settled')).length
    await organisation.admit(key)
    // Tasks that do not fail do not wait: the receipt goes to the public log after five seconds.
    expect(await wakeWhenDue(organisation)).toBe(5000)
    for (const seconds of [6, 20, 24]) {
      vi.setSystemTime(tried + seconds * 1000)
      await organisation.admit(key)
      expect([await organisation.alarmAt(), failures()]).toEqual([tried + 30_000, 1])
    }
    await wakeWhenDue(organisation)
    expect([await organisation.alarmAt(), failures()]).toEqual([tried + 60_000, 2])
  })

  it('keeps no other part from being done', async () => {
    const organisation = await foundOrganisation({ tier: 'free' })
    const key = await organisation.issueKey()
    await organisation.admit(key)
    await organisation.query(`CREATE TRIGGER no_settlements BEFORE INSERT ON entries WHEN NEW.kind = 'settlement'
      BEGIN SELECT RAISE(ABORT, 'no'); END`)
    vi.setSystemTime(noon + 8 * DAY_MS)
    for (let alarms = 0; alarms < 4; alarms += 1) await wakeWhenDue(organisation)
    expect(await publicReceipts()).toBe(1)
    expect(await kept(organisation, `expires_at <= ${Date.now()}`)).toEqual([])
    expect(await organisation.find(2)).toEqual({ outcome: 'not_kept' })
    expect(await organisation.hourCounts()).toMatchObject([{ allowed: 1 }])
    expect([...(await organisation.state()).months.open.keys()]).toEqual([2])
  })

  it('does not stop the alarm of an organisation that only reads letters', async () => {
    const organisation = await letterReader()
    vi.setSystemTime(noon + 8 * DAY_MS)
    await fillStorage(organisation)
    for (let alarms = 0; alarms < MORE_THAN_THE_PLATFORM_REPEATS; alarms += 1) await wakeWhenDue(organisation)
    await freeStorage(organisation)
    await wakeUntilAtRest(organisation)
    expect(await kept(organisation, `expires_at <= ${Date.now()}`)).toEqual([])
    expect(await kept(organisation, "kind = 'hour_counts'")).toHaveLength(1)
  })
})

describe('an alarm that was lost', () => {
  it('is set by the next letter, though nothing is due but the hour’s counts', async () => {
    const { read, alarmAt, loseAlarm } = await letterReader()
    await loseAlarm()
    await read()
    expect(await alarmAt()).toBe(noon + HOUR_MS)
  })

  it('is set by the next chat call that is refused without a receipt', async () => {
    const organisation = await foundOrganisation({ tier: 'pro' })
    const key = await organisation.issueKey({ requests_per_minute: 1 })
    await organisation.settle(positionOf(await organisation.admit(key)), 0)
    await organisation.runAlarm()
    await organisation.evict()
    await runInDurableObject(env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(organisation.id)), (_, { storage }) =>
      storage.deleteAlarm(),
    )
    await organisation.evict()
    expect(await organisation.admit(key)).toMatchObject({ outcome: 'rate_limit_exceeded' })
    expect(await organisation.alarmAt()).toBe(noon + HOUR_MS)
  })

  it('because none could be set is the platform’s to repeat, and is set by the next letter all the same', async () => {
    const { read, alarmAt, wakeInVain } = await letterReader()
    expect(await wakeInVain()).toContain('no alarm can be set')
    expect(await alarmAt()).toBeNull()
    await read()
    expect(await alarmAt()).toBe(noon + HOUR_MS)
  })
})
