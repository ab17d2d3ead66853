// Loops as the organisation's object sees them: per key, over evictions, in bounded space.
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { replay } from '../../../src/organisation/journal/load-state.ts'
import { MOST_RECENT } from '../../../src/policies/loops.policy.ts'
import { foundOrganisation, hashOf, noon, type ChatKey, type ChatOrganisation } from './chat-organisation.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

const starter = { tier: 'starter' }
const changeRepeats = (organisation: ChatOrganisation, loopRepeats: number) =>
  env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(organisation.id)).settings.change(
    { change: { loopRepeats }, knownVersion: 0 },
    { actor: 'operator', act: 'organisation.update', requestId: 'req_test' },
  )
const send = async (organisation: ChatOrganisation, key: ChatKey, text: string): Promise<string> =>
  (await organisation.admit(key, { loopHash: hashOf(text) })).outcome

describe('a loop', () => {
  it('is suppressed at the fifth of the same request within a minute, also among 500 at once', async () => {
    const organisation = await foundOrganisation({ tier: 'pro' })
    const key = await organisation.issueKey()
    const outcomes = await Promise.all(
      Array.from({ length: 500 }, (_, n) => send(organisation, key, n % 10 === 0 ? 'again' : `other ${n}`)),
    )
    const again = outcomes.filter((_, n) => n % 10 === 0)
    expect(again.filter((outcome) => outcome === 'admitted').length).toBe(4)
    expect(again.filter((outcome) => outcome === 'loop_detected').length).toBe(46)
    expect(outcomes.filter((_, n) => n % 10 !== 0)).not.toContain('loop_detected')
  })

  it('is written down as suppressed and told to wait a minute', async () => {
    const organisation = await foundOrganisation(starter)
    const key = await organisation.issueKey()
    for (let n = 0; n < 4; n++) await send(organisation, key, 'again')
    const refusal = await organisation.admit(key, { loopHash: hashOf('again') })
    expect(refusal).toMatchObject({ outcome: 'loop_detected', retryAfterSeconds: 60, position: 6 })
    expect((await organisation.entries()).at(-1)).toMatchObject({ outcome: 'SUPPRESSED', reason: 'loop_detected' })
    expect((await organisation.state()).months.open.size).toBe(4)
  })

  it('is seen over evictions, as a cycle too', async () => {
    const organisation = await foundOrganisation(starter)
    const key = await organisation.issueKey()
    const outcomes: string[] = []
    for (let n = 0; n < 16; n++) {
      vi.setSystemTime(noon + n * 19_000)
      outcomes.push(await send(organisation, key, `step ${n % 3}`))
      await organisation.evict()
    }
    expect(outcomes.indexOf('loop_detected')).toBe(14)
    expect(outcomes[15]).toBe('loop_detected')
  })

  it('passes again once it has stopped for 60 seconds', async () => {
    const organisation = await foundOrganisation(starter)
    const key = await organisation.issueKey()
    for (let n = 0; n < 5; n++) await send(organisation, key, 'again')
    vi.setSystemTime(noon + 59_999)
    expect(await send(organisation, key, 'again')).toBe('loop_detected')
    vi.setSystemTime(noon + 59_999 + 59_999)
    await organisation.evict()
    expect(await send(organisation, key, 'again')).toBe('loop_detected')
    vi.setSystemTime(noon + 59_999 + 59_999 + 60_000)
    await organisation.evict()
    expect(await send(organisation, key, 'again')).toBe('admitted')
  })

  it('of one key is no concern of another', async () => {
    const organisation = await foundOrganisation(starter)
    const [one, other] = [await organisation.issueKey(), await organisation.issueKey()]
    for (let n = 0; n < 5; n++) await send(organisation, one, 'again')
    expect(await send(organisation, one, 'again')).toBe('loop_detected')
    expect(await send(organisation, other, 'again')).toBe('admitted')
  })

  it('is not made by requests that were refused before it was looked for', async () => {
    const organisation = await foundOrganisation({ ...starter, monthly_budget_eur: 0 })
    const key = await organisation.issueKey()
    for (let n = 0; n < 6; n++) {
      const admission = await organisation.admit(key, { loopHash: hashOf('again'), upFrontMicroeur: 1 })
      expect(admission.outcome).toBe('quota_exceeded')
    }
    expect(await send(organisation, key, 'again')).toBe('admitted')
  })
})

describe('what is remembered', () => {
  const NONE = { recent: 0, hashes: 0 }

  /** By an object that was never evicted, and by one that has just started. */
  const remembered = async (organisation: ChatOrganisation) => {
    const { loops } = await organisation.state()
    const stub = env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(organisation.id))
    const held = await runInDurableObject(stub, (_, { storage }) => replay(storage.sql, null).state.loops)
    return [held, loops].map(({ keys }) =>
      Array.from(keys.values(), ({ recent, times }) => ({ recent: recent.length, hashes: times.size })),
    )
  }

  it('is no more of a key than its latest requests and twice the hashes of a minute', async () => {
    const organisation = await foundOrganisation({ tier: 'pro' })
    const key = await organisation.issueKey()
    for (let n = 0; n < 260; n++) {
      vi.setSystemTime(noon + n * 1000)
      await send(organisation, key, `different ${n}`)
      // So few requests have no more hashes.
      if (n < MOST_RECENT || n % 20 > 0) continue
      for (const [{ recent, hashes } = NONE, ...more] of await remembered(organisation)) {
        expect([recent, more]).toEqual([MOST_RECENT, []])
        expect(hashes).toBeGreaterThanOrEqual(60)
        expect(hashes).toBeLessThanOrEqual(2 * 60)
      }
    }
  })

  it('goes with the hour’s counts once no window has any of it', async () => {
    const organisation = await foundOrganisation(starter)
    await send(organisation, await organisation.issueKey(), 'once')
    const one = [{ recent: 1, hashes: 1 }]
    expect(await remembered(organisation)).toEqual([one, one])
    vi.setSystemTime(noon + 3_600_000)
    await organisation.runAlarm()
    expect(await remembered(organisation)).toEqual([[], []])
  })

  it('begins anew where the thresholds change, and not with any other setting', async () => {
    const organisation = await foundOrganisation({ tier: 'pro' })
    const key = await organisation.issueKey()
    for (let n = 0; n < 4; n++) await send(organisation, key, 'again')
    await organisation.set({ requests_per_minute: 900 })
    expect(await send(organisation, key, 'again')).toBe('loop_detected')
    await changeRepeats(organisation, 3)
    expect(await remembered(organisation)).toEqual([[], []])
    const outcomes = []
    for (let n = 0; n < 3; n++) {
      outcomes.push(await send(organisation, key, 'again'))
      await organisation.evict()
    }
    expect(outcomes).toEqual(['admitted', 'admitted', 'loop_detected'])
  })
})
