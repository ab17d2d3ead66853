// How old entries leave by the object's own daily upkeep: in steps, beside its calls, and tried again where R2 fails.
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { canonicalJson } from '../../../src/evidence/records/canonical-json.ts'
import { readReceiptEntry } from '../../../src/evidence/records/receipt-entry.ts'
import { signRecord } from '../../../src/evidence/records/attestation-record.ts'
import { importSigningKey } from '../../../src/evidence/records/signing-key.ts'
import { verifyRecord } from '../../../src/evidence/records/verify-record.ts'
import { Organisation } from '../../../src/organisation/organisation.do.ts'
import { bucketWith, putAfter } from '../../support/unit/bucket-with.ts'
import { completeTile, openParts } from './journal/archived-ledger.ts'
import { foundOrganisation, noon, positionOf, type ChatOrganisation } from './chat-organisation.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

const objectOf = ({ id }: ChatOrganisation) => env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(id))

/** Returns the positions of entries whose content is in the database. */
const positionsAtHand = async (organisation: ChatOrganisation): Promise<unknown[]> =>
  (await organisation.query('SELECT position FROM entries WHERE length(entry) > 0 ORDER BY position')).map(
    ({ position }) => position,
  )

/** Entries that say nothing complete the newest tile, and the object's alarm stores it. */
async function completeTiles(organisation: ChatOrganisation): Promise<void> {
  await runInDurableObject(objectOf(organisation), (_, { storage, id }) =>
    completeTile(openParts(storage, id.toString()), Date.now()),
  )
  await organisation.evict()
  await wakeUntilDone(organisation)
}

/** Alarms until the object wants none in the next minutes. */
async function wakeUntilDone(organisation: ChatOrganisation): Promise<number> {
  for (let alarms = 1; alarms < 50; alarms += 1) {
    await organisation.runAlarm()
    if (((await organisation.alarmAt()) ?? 0) > Date.now() + 10 * MINUTE_MS) return alarms
  }
  throw new Error('the object does not come to rest')
}

describe('the daily upkeep', () => {
  it('puts a chat decision away, from where its record is signed again byte for byte', async () => {
    const key = await importSigningKey(new Uint8Array(32).fill(7))
    const organisation = await foundOrganisation({ tier: 'pro' })
    const caller = await organisation.issueKey()
    const admission = await organisation.admit(caller, { publicKey: key.publicKey, useCase: 'discharge-summary' })
    const position = positionOf(admission)
    if (!('record' in admission)) throw new Error('not recorded')
    const given = await signRecord(admission.record, key)
    await organisation.settle(position, 0)
    await completeTiles(organisation)

    vi.setSystemTime(noon + 8 * DAY_MS)
    await wakeUntilDone(organisation)
    // The hour's counts alone and what the day came to, which came after the tile.
    expect(await organisation.query('SELECT position, kind FROM entries')).toEqual([
      { position: 256, kind: 'hour_counts' },
      { position: 257, kind: 'usage_closed' },
    ])
    const found = await organisation.find(position)
    if (found.outcome !== 'found') throw new Error(found.outcome)
    const record = readReceiptEntry(found.entry)
    if (record === null) throw new Error('no receipt')
    const again = await signRecord(record, key)
    expect(canonicalJson(again)).toBe(canonicalJson(given))
    expect(verifyRecord(again, { keys: [key.publicKey] })).toMatchObject({ valid: true })
    expect(JSON.parse(found.facts ?? '')).toMatchObject({ use_case: 'discharge-summary', key_id: caller.id })
  })

  it('takes one step each time the object wakes, and wakes at once while there is more', async () => {
    const organisation = await foundOrganisation()
    await organisation.query(entriesAfter(1, 2500))
    await completeTiles(organisation)
    vi.setSystemTime(noon + 8 * DAY_MS)
    await organisation.runAlarm()
    expect((await positionsAtHand(organisation)).length).toBe(1501)
    expect(await organisation.alarmAt()).toBeLessThanOrEqual(noon + 8 * DAY_MS)
    expect(await wakeUntilDone(organisation)).toBe(3)
    expect(await positionsAtHand(organisation)).toEqual([])
    expect(await organisation.query('SELECT position FROM entries')).toEqual([])
    expect(await organisation.alarmAt()).toBe(noon + 9 * DAY_MS)
  })

  it('leaves entries where they are while R2 fails, says so in the log, and tries again in a quarter of an hour', async () => {
    const organisation = await foundOrganisation()
    await completeTiles(organisation)
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    vi.setSystemTime(noon + 8 * DAY_MS)
    const put = vi.fn<() => Promise<never>>(() => Promise.reject(new Error('a bucket’s own words')))
    await runInDurableObject(objectOf(organisation), async (_, state) => {
      const failing = new Organisation(state, { ...env, FILES: bucketWith({ put }) })
      await failing.alarm()
      await failing.alarm()
    })
    expect(put).toHaveBeenCalledTimes(1)
    expect(await positionsAtHand(organisation)).toEqual([0])
    expect(await organisation.alarmAt()).toBe(noon + 8 * DAY_MS + 15 * MINUTE_MS)
    const lines = logged.mock.calls.map(([line]) => String(line))
    expect(lines).toEqual([expect.stringContaining('"outcome":"details_not_archived"')])
    expect(lines.join('')).not.toContain('own words')

    vi.setSystemTime(noon + 8 * DAY_MS + 15 * MINUTE_MS)
    await wakeUntilDone(organisation)
    expect(await positionsAtHand(organisation)).toEqual([])
  })

  it('answers calls while an object is being stored', async () => {
    const organisation = await foundOrganisation({ tier: 'pro' })
    const key = await organisation.issueKey()
    await completeTiles(organisation)
    vi.setSystemTime(noon + 8 * DAY_MS)
    const listed: string[] = []
    await runInDurableObject(objectOf(organisation), async (instance: Organisation, state) => {
      const put = putAfter(() => {
        const keys = instance.keys.list(
          { status: 'all', limit: 1, cursor: null },
          { actor: 'operator', act: 'test', requestId: 'req_test' },
        )
        listed.push(...keys.map(({ id }) => id))
      })
      const slow = new Organisation(state, { ...env, FILES: bucketWith({ put }) })
      await slow.alarm()
    })
    expect(listed).toEqual([key.id])
    expect(await positionsAtHand(organisation)).toEqual([256])
  })

  it('is not due twice in a day', async () => {
    const organisation = await foundOrganisation()
    await completeTiles(organisation)
    vi.setSystemTime(noon + 8 * DAY_MS)
    await wakeUntilDone(organisation)
    expect(await organisation.query('SELECT position FROM entries')).toEqual([])
    vi.setSystemTime(noon + 8 * DAY_MS + 60 * MINUTE_MS)
    await organisation.query(entriesAfter(256, 256))
    await organisation.evict()
    await organisation.runAlarm()
    expect((await positionsAtHand(organisation)).length).toBe(256)
    expect(await organisation.query('SELECT stored FROM tile_levels WHERE level = 0')).toEqual([{ stored: 2 }])
    vi.setSystemTime(noon + 9 * DAY_MS)
    await wakeUntilDone(organisation)
    expect(await positionsAtHand(organisation)).toEqual([])
  })

  it('waits for the public log: what it has not got stays, and what comes after it', async () => {
    const organisation = await foundOrganisation({ tier: 'pro' })
    const position = positionOf(await organisation.admit(await organisation.issueKey()))
    await organisation.settle(position, 3)
    await runInDurableObject(objectOf(organisation), (_, { storage, id }) =>
      completeTile(openParts(storage, id.toString()), Date.now()),
    )
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    await runInDurableObject(objectOf(organisation), async (_, state) => {
      const unreachable = {
        getByName: () => {
          throw new Error('unreachable')
        },
      }
      const alone = new Organisation(state, { ...env, PUBLIC_LOG: unreachable } as unknown as typeof env)
      await alone.alarm()
      vi.setSystemTime(noon + 8 * DAY_MS)
      for (let alarm = 0; alarm < 5; alarm += 1) await alone.alarm()
    })
    expect(logged.mock.calls.join()).toContain('submission_failed')
    expect((await organisation.query('SELECT MIN(position) AS first FROM entries'))[0]).toEqual({ first: position })
    vi.setSystemTime(noon + 9 * DAY_MS)
    await organisation.evict()
    await wakeUntilDone(organisation)
    expect((await organisation.query('SELECT MIN(position) AS first FROM entries'))[0]).toEqual({ first: 256 })
    expect(await organisation.find(position)).toMatchObject({ outcome: 'found' })
  })
})

/** So many entries of a month from a position on, written at noon. */
const entriesAfter = (first: number, count: number): string => `
  WITH RECURSIVE n(i) AS (SELECT ${first} UNION ALL SELECT i + 1 FROM n WHERE i < ${first + count - 1})
  INSERT INTO entries (position, hash, kind, at, expires_at, entry)
  SELECT i, zeroblob(32), 'operator_act', ${noon}, ${noon + 30 * DAY_MS}, x'00' FROM n`
