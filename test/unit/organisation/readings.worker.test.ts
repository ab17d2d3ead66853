// Readings in the organisation's object: what they may cost, and what becomes of those that nobody settles.
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { DAILY_READING_MICROEUR } from '../../../src/organisation/admit/admit-referral.ts'
import type { Organisation } from '../../../src/organisation/organisation.do.ts'
import { DAY_MS } from '../../../src/platform/time.ts'
import { foundOrganisation, hashOf, noon } from './chat-organisation.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const entry = { kind: 'referral_decision', content: { decision: 'reading' } } as const

async function foundReader() {
  const organisation = await foundOrganisation()
  const { keyId, secretHash } = await organisation.issueKey({ prefix: 'vk_live_' })
  const inObject = <T>(work: (object: Organisation, storage: DurableObjectStorage) => T | Promise<T>): Promise<T> =>
    runInDurableObject(
      env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(organisation.id)),
      (object: Organisation, { storage }) => work(object, storage),
    )
  const asked = { keyId, secretHash, scope: 'referral:read', entry } as const
  return { organisation, keyId, asked, inObject }
}

const NO_AMOUNTS = [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]

describe('a reading', () => {
  it.each(NO_AMOUNTS)('reserves no %d micro-euro, and nothing is written', async (reserveMicroeur) => {
    const { organisation, asked, inObject } = await foundReader()
    const answer = inObject((object) => object.admit({ ...asked, reserveMicroeur }))
    await expect(answer).rejects.toThrow('not a whole number of micro-euro')
    expect(await organisation.entries()).toEqual([])
  })

  it.each(NO_AMOUNTS)('costs no %d micro-euro, and is open still', async (costMicroeur) => {
    const { asked, keyId, inObject } = await foundReader()
    await inObject(async (object) => {
      const admission = object.admit({ ...asked, reserveMicroeur: 7 })
      const position = admission.outcome === 'admitted' ? (admission.position ?? -1) : -1
      const settle = (cost: number) => object.settleReading({ keyId, position, costMicroeur: cost, content: {} })
      expect(() => settle(costMicroeur)).toThrow('not a whole number of micro-euro')
      expect(settle(6)).toMatchObject({ outcome: 'settled' })
    })
  })

  it('is settled by the key that it was read for, and by no other', async () => {
    const { organisation, asked, keyId, inObject } = await foundReader()
    const other = await organisation.issueKey({ prefix: 'vk_live_' })
    await inObject((object) => {
      const admission = object.admit({ ...asked, reserveMicroeur: 7 })
      const position = admission.outcome === 'admitted' ? (admission.position ?? -1) : -1
      const settle = (by: string) => object.settleReading({ keyId: by, position, costMicroeur: 1, content: {} }).outcome
      expect([settle(other.keyId), settle(keyId), settle(keyId)]).toEqual(['not_open', 'settled', 'not_open'])
    })
  })

  it('that nobody settles is said to be interrupted, five hundred in one turn', async () => {
    const { organisation, asked, inObject } = await foundReader()
    for (let minute = 0; minute < 9; minute += 1) {
      vi.setSystemTime(noon + minute * 60_000)
      await inObject((object) => {
        for (let n = 0; n < 60; n += 1) object.admit({ ...asked, reserveMicroeur: 1 })
      })
    }
    const open = async () => (await organisation.state()).readings.open.size
    expect(await open()).toBe(540)
    vi.setSystemTime(noon + DAY_MS)
    await organisation.runAlarm()
    expect(await open()).toBe(540)
    vi.setSystemTime(noon + 2 * DAY_MS)
    await organisation.runAlarm()
    expect(await open()).toBe(40)
    expect(await organisation.alarmAt()).toBeLessThanOrEqual(Date.now())
    await organisation.runAlarm()
    expect(await open()).toBe(0)
  })
})

describe('a reading under an idempotency key', () => {
  const idempotencyKeyHash = Uint8Array.fromHex(hashOf('a key of the caller'))
  const reserveMicroeur = 7

  it('is admitted once a day, also after the object restarts, and a repeat leaves only its count', async () => {
    const { organisation, asked, inObject } = await foundReader()
    const admit = (more: object = {}) =>
      inObject((object) => object.admit({ ...asked, reserveMicroeur, idempotencyKeyHash, ...more }).outcome)
    const outcomes = await Promise.all([admit(), admit(), admit()])
    expect(outcomes.toSorted()).toEqual(['admitted', 'repeated', 'repeated'])
    await organisation.evict()
    vi.setSystemTime(noon + DAY_MS - 1)
    // Its money is spent too, which would be 429 until midnight.
    expect(await admit({ reserveMicroeur: DAILY_READING_MICROEUR + 1 })).toBe('repeated')
    expect(await organisation.entries()).toHaveLength(1)
    expect(await organisation.calls()).toEqual(['counted', 'counted', 'counted'])
    vi.setSystemTime(noon + DAY_MS)
    expect(await admit()).toBe('admitted')
  })

  it('is another one under the key of somebody else in the organisation', async () => {
    const { organisation, asked, inObject } = await foundReader()
    const { keyId, secretHash } = await organisation.issueKey({ prefix: 'vk_test_' })
    const outcomes = await inObject((object) =>
      [asked, { ...asked, keyId, secretHash }].map((one) => object.admit({ ...one, idempotencyKeyHash }).outcome),
    )
    expect(outcomes).toEqual(['admitted', 'admitted'])
  })

  it('claims nothing while it is refused, and stores no hash of the letter', async () => {
    const { organisation, asked, inObject } = await foundReader()
    const narrow = await organisation.issueKey({ prefix: 'vk_live_', data_region: 'eu', requests_per_minute: 2 })
    const { keyId, secretHash } = narrow
    const own = { ...asked, keyId, secretHash, reserveMicroeur, idempotencyKeyHash }
    const outcomes = await inObject((object) =>
      [
        { ...own, dataRegion: 'any' as const },
        { ...own, scope: 'chat' as const },
        { ...own, reserveMicroeur: DAILY_READING_MICROEUR + 1 },
      ].map((one) => object.admit(one).outcome),
    )
    expect(outcomes).toEqual(['outside_region', 'scope_required', 'rate_limit_exceeded'])
    const rows = () => organisation.query<{ body: string }>('SELECT hex(body_hash) AS body FROM idempotency_claims')
    expect(await inObject((object) => object.admit(own))).toMatchObject({
      outcome: 'rate_limit_exceeded',
      over: 'minute',
    })
    expect(await rows()).toEqual([])
    vi.setSystemTime(noon + 60_000)
    expect(await inObject((object) => object.admit(own))).toMatchObject({ outcome: 'admitted' })
    expect(await rows()).toEqual([{ body: '0'.repeat(64) }])
  })
})

describe('letters', () => {
  it('set the alarm once, and not each of them anew', async () => {
    const { asked, inObject } = await foundReader()
    const set = await inObject((object, storage) => {
      const setAlarm = vi.spyOn(storage, 'setAlarm')
      for (let n = 0; n < 20; n += 1) object.admit(asked)
      return setAlarm.mock.calls
    })
    expect(set.length).toBe(1)
  })

  it('set it anew where the clock stepped back, so that a receipt is not handed over an hour late', async () => {
    const { organisation, asked, inObject } = await foundReader()
    const key = await organisation.issueKey()
    await organisation.admit(key)
    expect(await organisation.alarmAt()).toBe(noon + 5000)
    vi.setSystemTime(noon - 3_600_000)
    await inObject((object) => object.admit(asked))
    // At once, to count the call, whose time is ahead now. That hands the receipt over too: next the call is settled, if nobody does.
    expect(await organisation.alarmAt()).toBe(noon - 3_600_000)
    await organisation.runAlarm()
    expect(await organisation.alarmAt()).toBe(noon - 3_600_000 + 15 * 60_000)
  })
})
