// The spend budget: reserved at admission, settled to the actual cost, never overspent by one micro-euro.
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { monthAt } from '../../../src/organisation/journal/state/monthly-usage.ts'
import { countOutcomes, foundOrganisation, noon, positionOf, type ChatOrganisation } from './chat-organisation.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

const MINUTE_MS = 60_000
const withBudget = { tier: 'enterprise', requests_per_minute: 30_000 }

async function monthOf(organisation: ChatOrganisation) {
  const { months } = await organisation.state()
  const { spentMicroeur: spent, reservedMicroeur: reserved } = monthAt(months, Date.now())
  return { spent, reserved }
}

describe('the budget', () => {
  it('admits exactly what fits of 500 concurrent requests', async () => {
    const organisation = await foundOrganisation({ ...withBudget, monthly_budget_eur: 0.001 })
    const key = await organisation.issueKey()
    const admissions = await Promise.all(
      Array.from({ length: 500 }, () => organisation.admit(key, { upFrontMicroeur: 7 })),
    )
    expect(countOutcomes(admissions)).toEqual({ admitted: 142, quota_exceeded: 358 })
    expect(await monthOf(organisation)).toEqual({ spent: 0, reserved: 994 })
    expect((await organisation.admit(key, { upFrontMicroeur: 7 })).outcome).toBe('quota_exceeded')
    expect((await organisation.admit(key, { upFrontMicroeur: 6 })).outcome).toBe('admitted')
  })

  it('refuses until the month turns, when the next has a budget of its own', async () => {
    const turn = Date.UTC(2091, 3, 1)
    const organisation = await foundOrganisation({ ...withBudget, monthly_budget_eur: 0.0001 })
    const key = await organisation.issueKey()
    await organisation.admit(key, { upFrontMicroeur: 100 })
    expect(await organisation.admit(key, { upFrontMicroeur: 1 })).toEqual({
      outcome: 'quota_exceeded',
      reason: 'budget',
      period: 'month',
      of: 'organisation',
      rate: { limit: 30_000, remaining: 29_999, resetAt: noon / 1000 + 60 },
      retryAfterSeconds: (turn - noon) / 1000,
    })
    vi.setSystemTime(turn)
    expect((await organisation.admit(key, { upFrontMicroeur: 100 })).outcome).toBe('admitted')
  })

  it('gives back what a request did not cost', async () => {
    const organisation = await foundOrganisation({ ...withBudget, monthly_budget_eur: 0.0001 })
    const key = await organisation.issueKey()
    const position = positionOf(await organisation.admit(key, { upFrontMicroeur: 100 }))
    expect((await organisation.admit(key, { upFrontMicroeur: 1 })).outcome).toBe('quota_exceeded')
    await organisation.settle(position, 40)
    expect((await organisation.admit(key, { upFrontMicroeur: 61 })).outcome).toBe('quota_exceeded')
    expect((await organisation.admit(key, { upFrontMicroeur: 60 })).outcome).toBe('admitted')
  })

  it('counts spending before there is a budget, so that one set in mid-month holds', async () => {
    const organisation = await foundOrganisation({ ...withBudget })
    const key = await organisation.issueKey()
    await organisation.settle(positionOf(await organisation.admit(key, { upFrontMicroeur: 900 })), 600)
    await organisation.set({ monthly_budget_eur: 0.001 })
    expect((await organisation.admit(key, { upFrontMicroeur: 401 })).outcome).toBe('quota_exceeded')
    expect((await organisation.admit(key, { upFrontMicroeur: 400 })).outcome).toBe('admitted')
    await organisation.set({ monthly_budget_eur: null })
    expect((await organisation.admit(key, { upFrontMicroeur: 10_000_000 })).outcome).toBe('admitted')
  })

  it.each([-1, 0.5, Number.NaN, 2 ** 53])('takes no reserve of %d micro-euro', async (upFrontMicroeur) => {
    const organisation = await foundOrganisation(withBudget)
    const key = await organisation.issueKey()
    await expect(organisation.admit(key, { upFrontMicroeur })).rejects.toThrow('not a whole number of micro-euro')
    expect(await organisation.entries()).toEqual([])
  })

  it('adds large sums exactly', async () => {
    const organisation = await foundOrganisation(withBudget)
    const key = await organisation.issueKey()
    const large = 2 ** 51 + 1
    for (let n = 0; n < 3; n++) {
      await organisation.settle(positionOf(await organisation.admit(key, { upFrontMicroeur: large })), large - n)
    }
    expect(await monthOf(organisation)).toMatchObject({ spent: 3 * 2 ** 51, reserved: 0 })
  })
})

type Step =
  | { do: 'admit'; reserves: readonly number[] }
  | { do: 'settle'; picks: readonly number[]; share: number }
  | { do: 'evict' }
  | { do: 'wait'; minutes: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('admit' as const),
    reserves: fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 8 }),
  }),
  fc.record({
    do: fc.constant('settle' as const),
    picks: fc.array(fc.nat({ max: 40 }), { maxLength: 4 }),
    share: fc.constantFrom(0, 0.3, 1),
  }),
  fc.record({ do: fc.constant('evict' as const) }),
  fc.record({ do: fc.constant('wait' as const), minutes: fc.constantFrom(1, 14, 15, 16) }),
)

describe('whatever the order of requests, settlements, evictions and alarms', () => {
  it('spent and reserved never exceed the budget, and are what the ledger says', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
        vi.setSystemTime(noon)
        const organisation = await foundOrganisation({ ...withBudget, monthly_budget_eur: 0.0002 })
        const key = await organisation.issueKey()
        const admitted: { position: number; reserve: number }[] = []
        for (const current of steps) {
          await take(current)
          const { spent, reserved } = await monthOf(organisation)
          expect(spent + reserved).toBeLessThanOrEqual(200)
        }
        await expectLedgerToAgree(organisation)

        async function take(current: Step): Promise<unknown> {
          switch (current.do) {
            case 'admit':
              return Promise.all(
                current.reserves.map(async (reserve) => {
                  const admission = await organisation.admit(key, { upFrontMicroeur: reserve })
                  if (admission.outcome === 'admitted') admitted.push({ position: admission.position, reserve })
                }),
              )
            case 'settle':
              return Promise.all(
                current.picks.map(async (pick) => {
                  const open = admitted[pick % Math.max(1, admitted.length)]
                  if (open !== undefined) {
                    await organisation.settle(open.position, Math.floor(open.reserve * current.share))
                  }
                }),
              )
            case 'evict':
              return organisation.evict()
            case 'wait':
              vi.setSystemTime(Date.now() + current.minutes * MINUTE_MS)
              return organisation.runAlarm()
          }
        }
      }),
      { numRuns: 40 },
    )
  })
})

/** The sums are those of the entries: what was reserved and not settled, and what was settled. */
async function expectLedgerToAgree(organisation: ChatOrganisation): Promise<void> {
  const positions = await organisation.query<{ position: number }>(
    "SELECT position FROM entries WHERE kind NOT IN ('operator_act', 'hour_counts') ORDER BY position",
  )
  const open = new Map<unknown, number>()
  let spent = 0
  for (const [index, entry] of (await organisation.entries()).entries()) {
    if (entry['kind'] === 'chat_decision') open.set(positions[index]?.position, Number(entry['reserve_microeur']))
    else {
      expect(open.delete(entry['settles'])).toBe(true)
      spent += Number(entry['cost_microeur'])
    }
  }
  const reserved = [...open.values()].reduce((sum, reserve) => sum + reserve, 0)
  expect(await monthOf(organisation)).toEqual({ spent, reserved })
}
