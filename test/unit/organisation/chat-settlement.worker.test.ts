// The second entry of a request: written once, or by the alarm when nobody writes it.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { listMonths } from '../../../src/organisation/journal/state/monthly-usage.ts'
import { foundOrganisation, noon, positionOf, type ChatOrganisation } from './chat-organisation.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

const MINUTE_MS = 60_000

/** The earliest first. */
const monthsOf = async (organisation: ChatOrganisation) => listMonths((await organisation.state()).months).toReversed()

describe('settleChat', () => {
  it('writes a second entry that names the first, under the tag of settlements', async () => {
    const organisation = await foundOrganisation()
    const key = await organisation.issueKey()
    const admission = await organisation.admit(key, { upFrontMicroeur: 90 })
    if (admission.outcome !== 'admitted') throw new Error(admission.outcome)
    const { position } = admission
    const usage = { inputUncached: 5, cacheRead: 3, cacheWrite: 0, cacheWriteHour: 1, outputVisible: 7, reasoning: 2 }
    const settled = await organisation.settle(position, 40, {
      usage,
      estimated: true,
      errorCause: 'cut',
      servedModel: 'gpt-4.1-mini-2025-04-14',
    })
    expect(settled).toEqual({ outcome: 'settled', position: position + 1, isContentKept: false })
    expect((await organisation.entries()).at(-1)).toEqual({
      kind: 'settlement',
      facts_sha256: admission.factsSha256,
      at: new Date(noon).toISOString(),
      settles: position,
      ended: 'completed',
      cost_microeur: 40,
      estimated: true,
      usage: { input_uncached: 5, cache_read: 3, cache_write: 0, cache_write_hour: 1, output_visible: 7, reasoning: 2 },
      upstream_ms: 20,
      finish_reason: 'stop',
      error_cause: 'cut',
      served_model: 'gpt-4.1-mini-2025-04-14',
      answer_scan: { coverage: 'none' },
    })
    const [entry] = await organisation.query<{ tag: string }>(
      `SELECT hex(substr(entry, 1, 1)) AS tag FROM entries WHERE position = ${position + 1}`,
    )
    expect(entry?.tag).toBe('80')
  })

  it('holds the first settlement of a position, however many come and whatever is evicted between', async () => {
    const organisation = await foundOrganisation()
    const key = await organisation.issueKey()
    const position = positionOf(await organisation.admit(key, { upFrontMicroeur: 90 }))
    const settlements = await Promise.all([40, 50, 60].map((cost) => organisation.settle(position, cost)))
    expect(settlements.map(({ outcome }) => outcome).toSorted()).toEqual(['not_open', 'not_open', 'settled'])
    await organisation.evict()
    expect(await organisation.settle(position, 70)).toEqual({ outcome: 'not_open' })
    expect(await monthsOf(organisation)).toMatchObject([{ spentMicroeur: 40, reservedMicroeur: 0 }])
    expect((await organisation.entries()).length).toBe(2)
  })

  it('does nothing for a position that was never admitted', async () => {
    const organisation = await foundOrganisation()
    const key = await organisation.issueKey()
    const blocked = await organisation.admit(key, { costEffective: false })
    const positions = [0, 1, 99, -1, blocked.outcome === 'model_not_allowed' ? blocked.position : 0]
    for (const position of positions) {
      expect(await organisation.settle(position, 40)).toEqual({ outcome: 'not_open' })
    }
    expect(await monthsOf(organisation)).toEqual([])
  })

  it.each([-1, 0.5, Number.POSITIVE_INFINITY])(
    'takes no cost of %d micro-euro, and leaves the request open',
    async (cost) => {
      const organisation = await foundOrganisation()
      const key = await organisation.issueKey()
      const position = positionOf(await organisation.admit(key, { upFrontMicroeur: 90 }))
      await expect(organisation.settle(position, cost)).rejects.toThrow('not a whole number of micro-euro')
      expect(await organisation.settle(position, 40)).toMatchObject({ outcome: 'settled' })
    },
  )

  it('counts in the month in which the request was admitted', async () => {
    vi.setSystemTime(Date.UTC(2091, 3, 1) - 1)
    const organisation = await foundOrganisation()
    const key = await organisation.issueKey()
    const position = positionOf(await organisation.admit(key, { upFrontMicroeur: 90 }))
    vi.setSystemTime(Date.UTC(2091, 3, 1) + 1000)
    await organisation.admit(key, { upFrontMicroeur: 10 })
    await organisation.settle(position, 40)
    expect(await monthsOf(organisation)).toEqual([
      { month: 121 * 12 + 2, requests: 1, spentMicroeur: 40, reservedMicroeur: 0 },
      { month: 121 * 12 + 3, requests: 1, spentMicroeur: 0, reservedMicroeur: 10 },
    ])
  })

  it('writes down what a request cost, also where that is more than was reserved', async () => {
    const organisation = await foundOrganisation()
    const key = await organisation.issueKey()
    const position = positionOf(await organisation.admit(key, { upFrontMicroeur: 10 }))
    await organisation.settle(position, 25)
    expect(await monthsOf(organisation)).toMatchObject([{ spentMicroeur: 25, reservedMicroeur: 0 }])
  })

  it.each([
    ['by the Worker', (organisation: ChatOrganisation, position: number) => organisation.settle(position, 40)],
    [
      'by the alarm',
      (organisation: ChatOrganisation) => {
        vi.setSystemTime(noon + 15 * MINUTE_MS)
        return organisation.runAlarm()
      },
    ],
  ])('keeps its entry as long as the decision at least, where the retention fell meanwhile: %s', async (_, settle) => {
    const organisation = await foundOrganisation({ tier: 'pro' })
    const key = await organisation.issueKey()
    const position = positionOf(await organisation.admit(key))
    await organisation.set({ tier: 'free' })
    await settle(organisation, position)
    const rows = await organisation.query<{ kind: string; days: number }>(
      `SELECT kind, (expires_at - at) / 86400000 AS days FROM entries WHERE kind IN ('chat_decision', 'settlement')`,
    )
    expect(rows).toEqual([
      { kind: 'chat_decision', days: 365 },
      { kind: 'settlement', days: 365 },
    ])
  })
})

describe('a request that nobody settles', () => {
  it('is settled by the alarm as interrupted once it is 15 minutes old, at what was reserved', async () => {
    const organisation = await foundOrganisation()
    const key = await organisation.issueKey()
    const admission = await organisation.admit(key, { upFrontMicroeur: 90 })
    if (admission.outcome !== 'admitted') throw new Error(admission.outcome)
    const { position, factsSha256 } = admission
    await organisation.evict()
    vi.setSystemTime(noon + 15 * MINUTE_MS - 1)
    expect(await organisation.runAlarm()).toBe(true)
    expect(await monthsOf(organisation)).toMatchObject([{ spentMicroeur: 0, reservedMicroeur: 90 }])
    vi.setSystemTime(noon + 15 * MINUTE_MS)
    expect(await organisation.runAlarm()).toBe(true)
    expect(await monthsOf(organisation)).toMatchObject([{ spentMicroeur: 90, reservedMicroeur: 0 }])
    expect((await organisation.entries()).at(-1)).toMatchObject({
      kind: 'settlement',
      settles: position,
      ended: 'interrupted',
      facts_sha256: factsSha256,
      cost_microeur: 90,
      estimated: true,
      usage: null,
    })
  })

  it.each([
    ['input', 40, null, 40],
    ['input and what was passed on', 40, 540, 540],
    ['no more than was reserved', 40, 9_000, 2_090],
  ])('counts %s in full, and of the rest the share that others spent', async (_, inputMicroeur, noted, seen) => {
    const organisation = await foundOrganisation()
    const key = await organisation.issueKey()
    // Two calls reserve 1,000 each and cost 150 and 250, a fifth.
    for (const cost of [150, 250]) {
      await organisation.settle(positionOf(await organisation.admit(key, { upFrontMicroeur: 1_000 })), cost)
    }
    // The output reserves 2,000 micro-euro: 1,000 tokens at 2 each.
    const output = { tokens: 1_000, most: 1_000, choices: 1, microeurPerMillion: 2_000_000 }
    const position = positionOf(await organisation.admit(key, { upFrontMicroeur: 90, inputMicroeur, output }))
    if (noted !== null) await organisation.noteCost(position, noted)
    await organisation.evict()
    vi.setSystemTime(noon + 15 * MINUTE_MS)
    await organisation.runAlarm()
    const cost = seen + (2_090 - seen) / 5
    expect((await organisation.entries()).at(-1)).toMatchObject({
      settles: position,
      ended: 'interrupted',
      cost_microeur: cost,
      seen_microeur: seen,
      estimated: true,
    })
    expect(await monthsOf(organisation)).toMatchObject([{ spentMicroeur: 400 + cost, reservedMicroeur: 0 }])
  })

  it('has no cost noted once it is settled, or if it was never admitted', async () => {
    const organisation = await foundOrganisation()
    const key = await organisation.issueKey()
    const position = positionOf(await organisation.admit(key, { upFrontMicroeur: 90 }))
    await organisation.settle(position, 40)
    for (const one of [position, position + 1, 99]) await organisation.noteCost(one, 50)
    expect(await organisation.query('SELECT position FROM chat_costs')).toEqual([])
  })

  it('is not settled again, by the alarm or by a late settlement', async () => {
    const organisation = await foundOrganisation()
    const key = await organisation.issueKey()
    const position = positionOf(await organisation.admit(key, { upFrontMicroeur: 90 }))
    vi.setSystemTime(noon + 20 * MINUTE_MS)
    await organisation.runAlarm()
    await organisation.evict()
    await organisation.runAlarm()
    expect(await organisation.settle(position, 10)).toEqual({ outcome: 'not_open' })
    expect((await organisation.entries()).map(({ kind }) => kind)).toEqual(['chat_decision', 'settlement'])
    expect(await monthsOf(organisation)).toMatchObject([{ spentMicroeur: 90, reservedMicroeur: 0 }])
  })

  it('leaves younger ones open', async () => {
    const organisation = await foundOrganisation()
    const key = await organisation.issueKey()
    await organisation.admit(key, { upFrontMicroeur: 1 })
    vi.setSystemTime(noon + 10 * MINUTE_MS)
    const younger = positionOf(await organisation.admit(key, { upFrontMicroeur: 2 }))
    vi.setSystemTime(noon + 15 * MINUTE_MS)
    await organisation.runAlarm()
    expect(await monthsOf(organisation)).toMatchObject([{ spentMicroeur: 1, reservedMicroeur: 2 }])
    expect(await organisation.settle(younger, 0)).toMatchObject({ outcome: 'settled' })
  })

  it('wakes the object in time, however often the object is evicted and requests go on', async () => {
    const organisation = await foundOrganisation({ tier: 'starter' })
    const key = await organisation.issueKey()
    await organisation.admit(key, { upFrontMicroeur: 1 })
    for (let n = 1; n <= 3; n++) {
      vi.setSystemTime(noon + n * MINUTE_MS)
      await organisation.evict()
      await organisation.admit(key, { upFrontMicroeur: 1 })
      // The alarm that hands its receipt to the public log comes before.
      await organisation.runAlarm()
      expect(await organisation.alarmAt()).toBe(noon + 15 * MINUTE_MS)
    }
  })

  it('leaves the hour’s counts, the anchor and then the daily cleaning their times once all is settled', async () => {
    const organisation = await foundOrganisation()
    const key = await organisation.issueKey()
    await organisation.settle(positionOf(await organisation.admit(key)), 0)
    vi.setSystemTime(noon + 15 * MINUTE_MS)
    await organisation.runAlarm()
    expect(await organisation.alarmAt()).toBe(noon + 60 * MINUTE_MS)
    vi.setSystemTime(noon + 60 * MINUTE_MS)
    await organisation.runAlarm()
    const anchorsAt = (await organisation.alarmAt()) ?? 0
    expect(anchorsAt - (noon + 60 * MINUTE_MS)).toBeGreaterThanOrEqual(0)
    expect(anchorsAt - (noon + 60 * MINUTE_MS)).toBeLessThan(10 * MINUTE_MS)
    vi.setSystemTime(anchorsAt)
    await organisation.runAlarm()
    expect(await organisation.alarmAt()).toBe(noon + 24 * 60 * MINUTE_MS)
  })
})

describe('retention', () => {
  it.each([
    ['free', 7],
    ['starter', 90],
  ])('of %s keeps the details of a request and its settlement for %i days', async (tier, days) => {
    const organisation = await foundOrganisation({ tier })
    const key = await organisation.issueKey()
    const position = positionOf(await organisation.admit(key))
    await organisation.settle(position, 0)
    const outcomes = async () =>
      [await organisation.find(position), await organisation.find(position + 1)].map(({ outcome }) => outcome)
    vi.setSystemTime(noon + days * 24 * 60 * MINUTE_MS - 1)
    await organisation.runAlarm()
    expect(await outcomes()).toEqual(['found', 'found'])
    vi.setSystemTime(noon + days * 24 * 60 * MINUTE_MS)
    expect(await outcomes()).toEqual(['not_kept', 'not_kept'])
    vi.setSystemTime(noon + (days + 1) * 24 * 60 * MINUTE_MS)
    await organisation.runAlarm()
    await organisation.runAlarm()
    expect(await organisation.entries()).toEqual([])
  })
})
