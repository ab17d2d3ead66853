// Whatever comes, what was counted is what the entries come to: calls that are refused, settled late or never, a clock that steps, an
// object that starts again between any two of them, days that are closed.
import fc from 'fast-check'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { runs } from '../../../support/runs.ts'
import type { Decision } from '../../../../src/organisation/approvals/approvals.target.ts'
import type { ApprovalId } from '../../../../src/platform/ids.ts'
import {
  foundOrganisation,
  hashOf,
  noon,
  PUBLIC_KEY,
  type ChatKey,
  type ChatOrganisation,
} from '../chat-organisation.ts'
import { addUp, ask, checkUsage, DAY_MS, objectOf, presentRows, tellCalls } from './counted-organisation.ts'

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

const held = fc.record({
  step: fc.constantFrom(...(['ask', 'ask', 'approve', 'deny', 'run', 'run_unreached', 'change_policy'] as const)),
  request: fc.nat({ max: 2 }),
})

const anything = fc.oneof(
  { weight: 8, arbitrary: call },
  { weight: 6, arbitrary: held },
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
      await putPolicy(organisation, 1)
      const keys = [await organisation.issueKey(), await organisation.issueKey()]
      const late: number[] = []
      const approvals = new Map<number, ApprovalId>()
      let latest = noon
      for (const step of steps) {
        await take(organisation, keys, { late, approvals }, step)
        latest = Math.max(latest, Date.now())
      }
      await expectEqual(organisation)
      // All of the latest day is closed when it is over, calls that were never settled included.
      vi.setSystemTime(latest + 8 * DAY_MS)
      for (let alarms = 0; alarms < 30; alarms += 1) await organisation.runAlarm()
      const { inFlight } = await expectEqual(organisation)
      expect(inFlight).toBe(0)
      expect(await organisation.query('SELECT day FROM counted_days WHERE closed_at IS NULL')).toEqual([])
    }),
    { numRuns: runs(8) },
  )
})

/** Declares the cohort `a`, and lets a person decide about requests of the use case `held`. */
async function putPolicy({ id }: ChatOrganisation, version: number): Promise<void> {
  const human_approval = {
    when: [{ use_cases: ['held'] }],
    expires_seconds: 3 * 86_400,
    approvals_required: 1 as const,
  }
  const document = { bias: { cohorts: ['a', ...(version % 2 === 0 ? ['b'] : [])] }, human_approval }
  const act = { actor: 'operator', act: 'policy.put', requestId: 'req_policy' } as const
  await objectOf({ id }).policy.change({ document, ifVersion: null, mayWithdraw: true }, act)
}

type Pending = { late: number[]; approvals: Map<number, ApprovalId> }

let decisions = 0

async function decide({ id }: ChatOrganisation, approvalId: ApprovalId | undefined, decision: Decision): Promise<void> {
  if (approvalId === undefined) return
  const by = { actor: `usr_${(decisions += 1)}`, authority: 'role:admin', organisationId: id } as const
  const record = { requestId: 'req_decision', acceptanceId: crypto.randomUUID(), reasonHash: '', publicKey: PUBLIC_KEY }
  await objectOf({ id }).approvals.decide({ approvalId, decision, ...by, ...record })
}

async function take(organisation: ChatOrganisation, keys: readonly ChatKey[], pending: Pending, step: Step) {
  const { late, approvals } = pending
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
    case 'ask':
    case 'run':
    case 'run_unreached': {
      const approval = step.step === 'ask' ? null : (approvals.get(step.request) ?? null)
      const facts = { useCase: 'held', requestHash: hashOf(`held ${step.request}`), inputMicroeur: 41, approval }
      const admitted = await organisation.admit(key, facts)
      if (admitted.outcome === 'approval_required' && admitted.approval !== null) {
        approvals.set(step.request, admitted.approval.id)
      }
      if (admitted.outcome !== 'admitted') return
      const isUnreached = step.step === 'run_unreached'
      await organisation.settle(admitted.position, 9, { isUnreached, ended: isUnreached ? 'failed' : 'completed' })
      return
    }
    case 'approve':
    case 'deny':
      await decide(organisation, approvals.get(step.request), step.step)
      return
    case 'change_policy':
      await putPolicy(organisation, (await organisation.state()).policy.version + 1)
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
  // Approvals that are over end with the first read.
  await ask(organisation)
  const { ended, open } = await tellCalls(organisation)
  const seen = ended.map(({ day }) => day)
  const days = { first: Math.min(...seen), last: Math.max(...seen) }
  for (const [by, valueOf] of [
    ['all', () => null],
    ['model', ({ model }: (typeof ended)[number]) => model],
    ['key', ({ key }: (typeof ended)[number]) => key],
    ['use_case', ({ useCase }: (typeof ended)[number]) => useCase],
    ['ending', ({ ending }: (typeof ended)[number]) => ending],
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
