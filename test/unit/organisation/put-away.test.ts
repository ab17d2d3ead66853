// The object's own daily upkeep of old details: in steps, beside its calls, and tried again where R2 fails.
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { canonicalJson } from '../../../src/attestation/canonical-json.ts'
import { readReceiptEntry } from '../../../src/attestation/receipt-entry.ts'
import { signRecord } from '../../../src/attestation/sign-record.ts'
import { importSigningKey } from '../../../src/attestation/signing-key.ts'
import { verifyRecord } from '../../../src/attestation/verify-record.ts'
import { Organisation } from '../../../src/organisation/organisation.do.ts'
import { bucketWith, putAfter } from '../../support/unit/bucket-with.ts'
import { foundOrganisation, noon, positionOf, type ChatOrganisation } from './chat-organisation.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

const objectOf = ({ id }: ChatOrganisation) => env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(id))

const positionsAtHand = async (organisation: ChatOrganisation): Promise<unknown[]> =>
  (await organisation.query('SELECT position FROM details')).map(({ position }) => position)

/** Alarms until the object wants none before the next day. */
async function wakeUntilDone(organisation: ChatOrganisation): Promise<number> {
  for (let alarms = 1; alarms < 50; alarms += 1) {
    await organisation.runAlarm()
    if (((await organisation.alarmAt()) ?? 0) > Date.now() + 60 * MINUTE_MS) return alarms
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

    vi.setSystemTime(noon + 8 * DAY_MS)
    await wakeUntilDone(organisation)
    expect(await positionsAtHand(organisation)).toEqual([])
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
    await runInDurableObject(objectOf(organisation), (_, { storage }) => fillWith(storage, 2500))
    vi.setSystemTime(noon + 8 * DAY_MS)
    await organisation.runAlarm()
    expect((await positionsAtHand(organisation)).length).toBe(1500)
    expect(await organisation.alarmAt()).toBe(noon + 8 * DAY_MS)
    expect(await wakeUntilDone(organisation)).toBe(3)
    expect(await positionsAtHand(organisation)).toEqual([])
    expect(await organisation.alarmAt()).toBe(noon + 9 * DAY_MS)
  })

  it('leaves details where they are while R2 fails, says so in the log, and tries again in a quarter of an hour', async () => {
    const organisation = await foundOrganisation()
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
    expect(lines).toEqual([expect.stringContaining('"event":"details_not_archived"')])
    expect(lines.join('')).not.toContain('own words')

    vi.setSystemTime(noon + 8 * DAY_MS + 15 * MINUTE_MS)
    await wakeUntilDone(organisation)
    expect(await positionsAtHand(organisation)).toEqual([])
  })

  it('answers calls while an object is being stored', async () => {
    const organisation = await foundOrganisation({ tier: 'pro' })
    const key = await organisation.issueKey()
    vi.setSystemTime(noon + 8 * DAY_MS)
    const listed: string[] = []
    await runInDurableObject(objectOf(organisation), async (instance: Organisation, state) => {
      const put = putAfter(() => {
        const keys = instance.listKeys(
          { status: 'all', limit: 1, cursor: null },
          { actor: 'operator', act: 'test', requestId: 'req_test' },
        )
        listed.push(...keys.map(({ id }) => id))
      })
      const slow = new Organisation(state, { ...env, FILES: bucketWith({ put }) })
      await slow.alarm()
    })
    expect(listed).toEqual([key.id])
    expect(await positionsAtHand(organisation)).toEqual([2])
  })

  it('is not due twice in a day', async () => {
    const organisation = await foundOrganisation()
    vi.setSystemTime(noon + 8 * DAY_MS)
    await wakeUntilDone(organisation)
    vi.setSystemTime(noon + 8 * DAY_MS + 60 * MINUTE_MS)
    await organisation.query(`INSERT INTO leaves SELECT COUNT(*), zeroblob(32) FROM leaves`)
    await organisation.query(
      `INSERT INTO details SELECT MAX(position), 'referral_decision', 0, ${noon + 90 * DAY_MS}, x'00', NULL FROM leaves`,
    )
    await organisation.runAlarm()
    expect((await positionsAtHand(organisation)).length).toBe(1)
    vi.setSystemTime(noon + 9 * DAY_MS)
    await wakeUntilDone(organisation)
    expect(await positionsAtHand(organisation)).toEqual([])
  })
})

function fillWith({ sql }: DurableObjectStorage, entries: number): void {
  sql.exec(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
     INSERT INTO leaves (position, hash) SELECT i, zeroblob(32) FROM n`,
    entries - 1,
  )
  sql.exec(
    `INSERT INTO details SELECT position, 'referral_decision', ?, ?, x'00', NULL FROM leaves WHERE position > 0`,
    noon,
    noon + 30 * DAY_MS,
  )
}
