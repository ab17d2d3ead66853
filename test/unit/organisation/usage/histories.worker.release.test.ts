// Whatever comes, what was counted is what the entries come to: calls that are refused, settled late or never, a clock that steps, an
// object that starts again between any two of them, days that are closed.
import fc from 'fast-check'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { runs } from '../../../support/runs.ts'
import { foundOrganisation, noon, type ChatKey, type ChatOrganisation } from '../chat-organisation.ts'
import { addUp, ask, checkUsage, DAY_MS, declareCohort, presentRows, tellCalls } from './counted-organisation.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

const MINUTE_MS = 60_000

const call = fc.record({
  step: fc.constant('call' as const),
  key: fc.nat({ max: 1 }),
  model: fc.constantFrom('gpt-4.1-mini', 'claude-haiku-4-5'),
  useCase: fc.constantFrom(null, 'letters', 'triage'),
  cohort: fc.constantFrom(null, 'a'),
  settle: fc.constantFrom('now', 'now', 'late', 'never'),
  ended: fc.constantFrom('completed', 'completed', 'failed', 'cancelled'),
  finishReason: fc.constantFrom('stop', 'content_filter', null),
  tokens: fc.nat({ max: 1000 }),
  cost: fc.nat({ max: 5000 }),
  ms: fc.option(fc.nat({ max: 90_000 }), { nil: null }),
})

const anything = fc.oneof(
  { weight: 8, arbitrary: call },
  { weight: 1, arbitrary: fc.constant({ step: 'blocked' as const }) },
  { weight: 1, arbitrary: fc.constant({ step: 'settle' as const }) },
  { weight: 1, arbitrary: fc.constant({ step: 'count' as const }) },
  { weight: 1, arbitrary: fc.constant({ step: 'evict' as const }) },
  { weight: 1, arbitrary: fc.constant({ step: 'wake' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({
      step: fc.constant('clock' as const),
      byMs: fc.constantFrom(MINUTE_MS, 70 * MINUTE_MS, DAY_MS, 3 * DAY_MS, -5 * MINUTE_MS, -DAY_MS, -3 * DAY_MS),
    }),
  },
)

type Step = typeof anything extends fc.Arbitrary<infer T> ? T : never

it('is what the entries come to, whatever happened', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anything, { minLength: 5, maxLength: 40 }), async (steps) => {
      vi.setSystemTime(noon)
      const organisation = await foundOrganisation({ tier: 'pro', enabled_providers: ['openai', 'anthropic'] })
      await declareCohort(organisation, 'a')
      const keys = [await organisation.issueKey(), await organisation.issueKey()]
      const late: number[] = []
      let latest = noon
      for (const step of steps) {
        await take(organisation, keys, late, step)
        latest = Math.max(latest, Date.now())
      }
      await expectEqual(organisation)
      // All of the latest day is closed when it is over, calls that were never settled included.
      vi.setSystemTime(latest + 4 * DAY_MS)
      for (let alarms = 0; alarms < 30; alarms += 1) await organisation.runAlarm()
      const { inFlight } = await expectEqual(organisation)
      expect(inFlight).toBe(0)
      expect(await organisation.query('SELECT day FROM counted_days WHERE closed_at IS NULL')).toEqual([])
    }),
    { numRuns: runs(8) },
  )
})

async function take(organisation: ChatOrganisation, keys: readonly ChatKey[], late: number[], step: Step) {
  const key = keys[step.step === 'call' ? step.key : 0]
  if (key === undefined) throw new Error('there are two keys')
  switch (step.step) {
    case 'call': {
      const { model, useCase, cohort, ended, finishReason, tokens, cost, ms } = step
      const admitted = await organisation.admit(key, { model, useCase, cohort, upFrontMicroeur: cost })
      if (admitted.outcome !== 'admitted') throw new Error(admitted.outcome)
      if (step.settle === 'late') late.push(admitted.position)
      if (step.settle !== 'now') return
      const usage = {
        inputUncached: tokens,
        cacheRead: 1,
        cacheWrite: 2,
        cacheWriteHour: 3,
        outputVisible: tokens,
        reasoning: 4,
      }
      await organisation.settle(admitted.position, cost, { ended, finishReason, usage, upstreamMs: ms })
      return
    }
    case 'blocked':
      await organisation.admit(key, { model: 'sonar', provider: 'perplexity', inputMicroeur: 37 })
      return
    case 'settle': {
      const position = late.shift()
      // Or it was interrupted by then.
      if (position !== undefined) await organisation.settle(position, 11)
      return
    }
    case 'count':
      await ask(organisation)
      return
    case 'evict':
      await organisation.evict()
      await organisation.alarmAt()
      return
    case 'wake':
      for (let alarms = 0; alarms < 3; alarms += 1) await organisation.runAlarm()
      return
    case 'clock':
      vi.setSystemTime(Date.now() + step.byMs)
  }
}

async function expectEqual(organisation: ChatOrganisation) {
  const { ended, open } = await tellCalls(organisation)
  const seen = ended.map(({ day }) => day)
  const days = { first: Math.min(...seen, 40_000), last: Math.max(...seen, 0) }
  for (const [by, valueOf] of [
    ['all', () => null],
    ['model', ({ model }: (typeof ended)[number]) => model],
    ['key', ({ key }: (typeof ended)[number]) => key],
    ['use_case', ({ useCase }: (typeof ended)[number]) => useCase],
    ['outcome', ({ outcome }: (typeof ended)[number]) => outcome],
  ] as const) {
    const { rows, totals } =
      seen.length === 0 ? { rows: [], totals: { requests: 0 } } : await ask(organisation, { days, by, bucket: 'day' })
    expect(presentRows(rows.filter(({ requests }) => requests > 0))).toEqual(addUp(ended, valueOf))
    expect(totals.requests).toBe(ended.length)
  }
  const answer = await ask(organisation)
  expect(answer.inFlight).toBe(open)
  expect(await checkUsage(organisation)).toMatchObject({
    differences: [],
    unreadable: 0,
    daysByHash: 0,
  })
  return answer
}
