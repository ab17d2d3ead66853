// Bias detection over its route: who may ask, what is compared, and what no answer says.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { CANNOT_SHOW, NO_GROUND_TRUTH, type BiasDetection } from '../../../../src/management/bias/bias.schema.ts'
import { presentBias } from '../../../../src/management/bias/present-bias.ts'
import type { BiasReport } from '../../../../src/organisation/bias/bias.target.ts'
import { DAY_MS } from '../../../../src/platform/time.ts'
import { noon, type ChatKey } from '../../organisation/chat-organisation.ts'
import { morningOf, serve, type Calls } from '../../organisation/bias/served-calls.ts'
import { objectOf } from '../../notifications/receiver.ts'
import { actsOf, errorOf, manage, type Asker, type Managed } from '../managed.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

const PATH = '/api/compliance/bias-detection'
const DAYS = 8

let practice: Managed
let auditor: Asker

beforeEach(async () => {
  practice = await manage({ tier: 'healthcare', enabled_providers: ['openai', 'anthropic'] })
  auditor = await practice.signIn('auditor')
})

const ask = async (query: string, by: Asker = auditor): Promise<BiasDetection> => {
  const response = await by.ask('GET', `${PATH}?${query}`)
  expect(response.status).toBe(200)
  return response.json<BiasDetection>()
}

const putCohorts = async (...cohorts: string[]): Promise<void> => {
  const act = { actor: 'operator', act: 'policy.put', requestId: 'req_policy' } as const
  await objectOf(practice.organisation).policy.change({ document: { bias: { cohorts } }, ifVersion: null }, act)
}

/** On each of eight days up to today. */
async function serveDaily(callsOf: (day: number) => readonly Calls[]): Promise<void> {
  for (let day = 1 - DAYS; day <= 0; day += 1) await serve(practice.organisation, morningOf(noon, day), callsOf(day))
}

const inCohort = (key: ChatKey, cohort: string, answered: number, refused: number): Calls[] => [
  { key, count: answered, ending: 'completed', facts: { cohort } },
  { key, count: refused, ending: 'refused', facts: { cohort } },
]

describe('GET /api/compliance/bias-detection', () => {
  it('compares declared cohorts, says what it cannot show, and leaves an act in the ledger', async () => {
    await putCohorts('group-a', 'group-b', 'group-c')
    const key = await practice.organisation.issueKey()
    await serveDaily((day) => [
      ...inCohort(key, 'group-a', 28, 2),
      ...inCohort(key, 'group-b', 11, 11),
      ...(day === 0 ? inCohort(key, 'group-c', 9, 0) : []),
      { key, count: 1, ending: 'completed' },
    ])

    const found = await ask('by=cohort&outcome=answered')
    expect(found).toMatchObject({
      object: 'bias_detection',
      by: 'cohort',
      outcome: 'answered',
      method: 'parity-2',
      unit: 'call',
      reference: 'group-a',
      groups: [
        { group: 'group-a', n: 240, k: 224, dispersion: 1 },
        { group: 'group-b', n: 176, k: 88, rate: 0.5 },
        { group: 'group-c', n: null, k: null, rate: null, interval: null },
      ],
      comparisons: [
        { group: 'group-b', reference: 'group-a', verdict: 'disparity' },
        { group: 'group-c', difference: null, p: null, verdict: 'not_enough_data' },
      ],
      parity: { verdict: 'disparity' },
    })
    expect(found.comparisons[0]?.difference).toBeCloseTo(0.5 - 224 / 240, 12)
    expect(found.comparisons[0]?.ratio).toBeCloseTo(0.5 / (224 / 240), 12)
    expect(found.comparisons[0]?.unfavourable_ratio).toBeCloseTo(0.5 / (16 / 240), 12)
    expect(found.cannot_show[0]).toBe(CANNOT_SHOW)
    expect(await actsOf(practice, 'compliance.bias_report')).toMatchObject([
      {
        actor: auditor.id,
        by: 'cohort',
        outcome: 'answered',
        reference: 'group-a',
        verdict: 'disparity',
        disparities: ['group-b'],
      },
    ])

    const refused = await ask('by=cohort&outcome=refused&reference=group-b')
    expect(refused.groups.map(({ k }) => k)).toEqual([16, 88, null])
    expect(refused.comparisons[0]).toMatchObject({ group: 'group-a', reference: 'group-b', verdict: 'disparity' })
    expect(refused.comparisons[0]?.difference).toBeCloseTo(16 / 240 - 0.5, 12)
    expect(refused.comparisons[0]?.ratio).toBeCloseTo(224 / 240 / 0.5, 12)
  })

  it.each([
    ['key', 'failed'],
    ['model', 'blocked'],
    ['use_case', 'failed'],
  ] as const)('counts by %s, on days that are closed and on those that are not: %s', async (by, outcome) => {
    const key = await practice.organisation.issueKey()
    const facts = { useCase: 'triage', model: 'gpt-4.1' }
    await serveDaily(() => [
      { key, count: 5, ending: 'completed', facts },
      { key, count: 2, ending: 'failed', facts },
      { key, count: 1, ending: 'blocked', facts },
    ])
    // Calls are counted, and then a day is closed at each wake.
    for (let wake = 0; wake < 3; wake += 1) await practice.organisation.runAlarm()
    const closed = await practice.organisation.query<{ n: number }>(
      'SELECT count(*) AS n FROM usage_margins WHERE dimension = 0',
    )
    expect(closed[0]?.n).toBeGreaterThan(0)
    const group = { key: key.id, model: 'gpt-4.1', use_case: 'triage' }[by]
    const found = await ask(`by=${by}&outcome=${outcome}`)
    expect(found.groups).toMatchObject([{ group, n: 8 * DAYS, k: (outcome === 'failed' ? 2 : 1) * DAYS }])
    expect(found.parity.verdict).toBe('not_enough_data')
  })

  it('explains a difference of cohorts by the use case, on closed days too', async () => {
    await putCohorts('group-a', 'group-b')
    const key = await practice.organisation.issueKey()
    const inUse = (cohort: string, useCase: string, completed: number, failed: number): Calls[] => [
      { key, count: completed, ending: 'completed', facts: { cohort, useCase } },
      { key, count: failed, ending: 'failed', facts: { cohort, useCase } },
    ]
    await serveDaily(() => [
      ...inUse('group-a', 'letters', 3, 3),
      ...inUse('group-a', 'notes', 24, 0),
      ...inUse('group-b', 'letters', 11, 11),
      ...inUse('group-b', 'notes', 4, 0),
    ])
    for (let wake = 0; wake < 3; wake += 1) await practice.organisation.runAlarm()
    const explained = { verdict: 'explained', explained_by: ['use_case'], not_adjusted: null }
    expect((await ask('by=cohort')).comparisons).toMatchObject([
      { group: 'group-b', ...explained, adjusted: { ratio: 1, strata: 2 } },
    ])
    expect(await actsOf(practice, 'compliance.bias_report')).toMatchObject([
      { verdict: 'explained', disparities: [], explained: ['group-b'] },
    ])
    expect((await ask('by=use_case')).comparisons[0]).toMatchObject({ adjusted: { by: ['model'], strata: 1 } })
  })

  it('counts on the days that are asked for, both included', async () => {
    const key = await practice.organisation.issueKey()
    await serveDaily(() => [{ key, count: 10, ending: 'completed' }])
    const dateOf = (day: number) => new Date(noon + day * DAY_MS).toISOString().slice(0, 10)
    const found = await ask(`by=model&start=${dateOf(-3)}&end=${dateOf(-2)}`)
    expect(found).toMatchObject({ start: dateOf(-3), end: dateOf(-2), groups: [{ n: 20 }] })
  })

  it('answers where nothing was called at all', async () => {
    expect(await ask('')).toMatchObject({
      reference: null,
      groups: [],
      comparisons: [],
      parity: { difference: null, ratio: null, verdict: 'not_enough_data' },
      anomalies: [],
    })
  })
})

describe('what is shown', () => {
  it('has each figure under its own name, and says what was left out', () => {
    const interval = (lower: number) => ({ lower, upper: lower + 1 })
    const shown = {
      difference: 1,
      differenceInterval: interval(2),
      favourable: { ratio: 4, interval: interval(5) },
      unfavourable: { ratio: 7, interval: interval(8) },
      p: 10,
      adjustedP: 11,
    }
    const adjustment = {
      by: ['use_case'],
      strata: 12,
      favourable: { ratio: 13, interval: interval(14) },
      unfavourable: { ratio: 16, interval: interval(17) },
      p: 19,
      adjustedP: 20,
      verdict: 'within',
    } as const
    const report: BiasReport = {
      reference: 'a',
      groups: [],
      comparisons: [{ group: 'b', shown, adjustment, explainedBy: [], verdict: 'uncertain' }],
      parity: { difference: null, ratio: null, verdict: 'uncertain' },
      anomalies: [],
      omitted: 1,
      isCut: true,
    }
    const ofApprovals = presentBias({ first: 0, last: 1, by: 'key', outcome: 'approved', reference: null }, report)
    expect(ofApprovals.unit).toBe('approval')
    expect(ofApprovals.comparisons).toEqual([
      {
        group: 'b',
        reference: 'a',
        difference: 1,
        difference_interval: [2, 3],
        ratio: 4,
        ratio_interval: [5, 6],
        unfavourable_ratio: 7,
        unfavourable_ratio_interval: [8, 9],
        p: 10,
        p_adjusted: 11,
        adjusted: {
          by: ['use_case'],
          strata: 12,
          ratio: 13,
          ratio_interval: [14, 15],
          unfavourable_ratio: 16,
          unfavourable_ratio_interval: [17, 18],
          p: 19,
          p_adjusted: 20,
          verdict: 'within',
        },
        not_adjusted: null,
        verdict: 'uncertain',
        explained_by: [],
      },
    ])
    expect(ofApprovals.cannot_show).toEqual([
      CANNOT_SHOW,
      NO_GROUND_TRUTH,
      'Approvals that nobody decided, or not in time, are not counted.',
      '1 groups are left out: the 100 with the most calls are compared.',
      'Only the newest 5000 approvals that have ended were looked at.',
    ])
    const whole = { ...report, omitted: 0, isCut: false }
    const ofCalls = presentBias({ first: 0, last: 1, by: 'cohort', outcome: 'answered', reference: null }, whole)
    expect(ofCalls.cannot_show).toEqual([CANNOT_SHOW, NO_GROUND_TRUTH, 'Calls that declare no cohort are in no group.'])
  })
})

describe('it is refused', () => {
  it('to who may not ask first, then to a tier that does not have it, then for what is asked', async () => {
    const pro = await manage({ tier: 'pro' })
    const wrong = `${PATH}?by=nothing&invented=1`
    expect(await errorOf(await (await pro.signIn('developer')).ask('GET', wrong))).toMatchObject({
      code: 'role_required',
    })
    expect(await errorOf(await (await pro.signIn('auditor')).ask('GET', wrong))).toMatchObject({
      status: 403,
      code: 'tier_required',
    })
    expect(await errorOf(await auditor.ask('GET', wrong))).toMatchObject({
      status: 400,
      code: 'invalid_request',
      param: 'invented',
    })
  })

  it.each([
    ['by=nothing', 'by'],
    ['outcome=nothing', 'outcome'],
    ['outcome=approved', 'by'],
    ['by=model&reference=gpt-9', 'reference'],
    ['start=2090-01-01&end=2091-01-01', 'start'],
    ['start=2091-02-30', 'start'],
  ])('for %s, and the ledger does not say that it was answered', async (query, param) => {
    const refused = await errorOf(await auditor.ask('GET', `${PATH}?${query}`))
    expect(refused).toMatchObject({ status: 400, code: 'invalid_request', param })
    expect(await actsOf(practice, 'compliance.bias_report')).toEqual([])
  })

  it('nothing of who looks at the headers only, which is no act', async () => {
    const response = await auditor.ask('HEAD', PATH)
    expect([response.status, await response.text()]).toEqual([200, ''])
    expect(await actsOf(practice, 'compliance.bias_report')).toEqual([])
  })
})
