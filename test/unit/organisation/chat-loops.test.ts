// Loops as the organisation's object sees them: per key, over evictions, in bounded space.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { foundOrganisation, hashOf, noon, type ChatKey, type ChatOrganisation } from './chat-organisation.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

const starter = { tier: 'starter' }
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
    expect((await organisation.query('SELECT * FROM chat_reservations')).length).toBe(4)
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
  const rows = async (organisation: ChatOrganisation) => (await organisation.query('SELECT * FROM seen_hashes')).length

  it('is one row of latest requests a key, and no more hashes than a minute has requests, and 64', async () => {
    const organisation = await foundOrganisation({ tier: 'pro' })
    const key = await organisation.issueKey()
    let most = 0
    for (let n = 0; n < 260; n++) {
      vi.setSystemTime(noon + n * 1000)
      await send(organisation, key, `different ${n}`)
      // So few requests have no more hashes.
      if (n >= 60 + 64) most = Math.max(most, await rows(organisation))
    }
    expect(most).toBeLessThanOrEqual(60 + 64)
    expect(most).toBeGreaterThan(0)
    const [seen, ...more] = await organisation.query<{ recent: string }>('SELECT recent FROM seen_requests')
    expect([seen?.recent.split(' ').length, more]).toEqual([19, []])
  })

  it('goes when the key has been quiet for a day', async () => {
    const organisation = await foundOrganisation(starter)
    await send(organisation, await organisation.issueKey(), 'once')
    vi.setSystemTime(noon + 24 * 3_600_000)
    await organisation.runAlarm()
    expect(await rows(organisation)).toBe(0)
  })
})
