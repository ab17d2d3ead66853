// The score: how it is worked out, and shams, the acts of somebody who wants a high one without doing anything for it. None may reach
// a fifth, alone or all together.
import { describe, expect, it } from 'vitest'
import { CONTROLS, judgeControls, LEAST_SCORED_CALLS, scoreOf } from '../../../../src/reports/controls/checklist.ts'
import type { Facts } from '../../../../src/reports/controls/control.ts'
import type { Control } from '../../../../src/reports/report/report.schema.ts'
import { DAY_MS } from '../../../../src/platform/time.ts'
import { NOW, PERSON, policyInForce, seenCall, soundFacts } from './sound-facts.ts'

const SOUND = soundFacts()
const NONE = { requests: 0, passed: 0, completed: 0, interrupted: 0, estimated: 0, withUseCase: 0 }
const NO_APPROVALS = {
  decisions: 0,
  decided: 0,
  undecided: 0,
  byUseCase: [],
  ownApproved: [],
  executed: 0,
  recordsLooked: 0,
}

/** An organisation that calls models, and whose people have done nothing else. */
const IDLE: Facts = soundFacts({
  calls: {
    ...SOUND.calls,
    requests: 1000,
    passed: 1000,
    completed: 1000,
    withUseCase: 0,
    useCases: [],
    routed: { eu: 0, eea_ch: 0, any: 1000 },
  },
  lastExport: null,
  apiKeys: [{ id: 'key_1', scopes: ['chat'], createdAt: NOW - DAY_MS, expiresAt: null, lastUsedAt: NOW }],
  members: [{ id: 'usr_1', factor: 'none' }],
  policy: { version: 0, madeBy: null, modelsOffered: 11, document: {}, history: [] },
  sample: { ...SOUND.sample, calls: Array.from({ length: 100 }, () => seenCall({ useCase: null, isApproved: false })) },
  approvals: { ...SOUND.approvals, ...NO_APPROVALS },
  monitoring: { ...SOUND.monitoring, lastBiasReport: null, cohorts: [], compared: 0, disparities: [], incidents: [] },
  data: { ...SOUND.data, providers: ['openai'], europeanRoutes: [], contentDays: null },
})

/** The same before its first call. */
const NEW: Partial<Facts> = {
  calls: { ...NONE, useCases: [], models: [], costMicroeur: 0, routed: { eu: 0, eea_ch: 0, any: 0 } },
  recorded: null,
  sample: { ...SOUND.sample, read: 3, differing: [], missing: [], calls: [], signedBy: [] },
  publication: { lastReceipt: -1, waiting: null },
}

const OFFERED = Array.from({ length: 10 }, (_, at) => (at === 0 ? 'gpt-4.1-mini' : `model-${at}`))
const policyOf = (document: Facts['policy']['document']): Partial<Facts> => ({
  policy: { ...policyInForce(document), modelsOffered: 11 },
})

/** Ten of eleven models, one shape of many, a budget of a million, a use case that no call declares. */
const EMPTY_POLICY = policyOf({
  model_allowlist: { models: OFFERED },
  pii_scan: { default: 'ignore', shapes: { pps_number: 'block' } },
  loop_guard: {},
  budget_guard: { month_eur: 1_000_000 },
  use_case_guard: { required: true },
  high_risk_use_cases: ['never-declared'],
  human_approval: { when: [{ use_cases: ['never-declared'] }], expires_seconds: 3600, approvals_required: 1 },
  bias: { cohorts: ['group-a', 'group-b'] },
})
const EXPORTED: Partial<Facts> = { lastExport: { act: 'settings.export', at: NOW, position: 1 } }
const COMPARED: Partial<Facts> = {
  monitoring: {
    ...IDLE.monitoring,
    lastBiasReport: { act: 'compliance.bias_report', at: NOW, position: 2 },
    cohorts: ['group-a', 'group-b'],
    compared: 6,
    incidents: [{ subject: `incident:tr_${'0'.repeat(32)}`, isFound: true, position: 3 }],
  },
}
const STATED: Partial<Facts> = {
  statements: [...CONTROLS.map(({ id }) => id), 'anomaly:failed_rate:all:2026-11-01'].map((subject) => ({
    subject,
    text: 'x',
    lookedAt: 'x',
    cause: null,
    date: null,
    statedBy: PERSON,
    statedAt: NOW,
  })),
}
/** One constant header in every request. */
const SAME_USE_CASE: Partial<Facts> = {
  calls: { ...IDLE.calls, withUseCase: 1000, useCases: [{ name: 'x', requests: 1000 }] },
}
/** Ten of eleven models, each called once. */
const EACH_MODEL_ONCE: Partial<Facts> = { ...EMPTY_POLICY, calls: { ...IDLE.calls, models: OFFERED } }
/** All that a policy can have, put in force after the calls. */
const LATE_POLICY: Partial<Facts> = {
  policy: { ...SOUND.policy, version: 9, history: [] },
}
const BLOCKED_CALLS: Partial<Facts> = { calls: { ...IDLE.calls, passed: 0, models: [], costMicroeur: 0 } }
const ALL = { ...EMPTY_POLICY, ...EXPORTED, ...COMPARED, ...STATED }

const SHAMS: Readonly<Record<string, Partial<Facts>>> = {
  nothing: {},
  'an export': EXPORTED,
  'a comparison of random groups, and a call marked as an incident': COMPARED,
  'statements about everything': STATED,
  'a policy that limits nothing': EMPTY_POLICY,
  'an empty policy': policyOf({}),
  'ten of eleven models, each called once': EACH_MODEL_ONCE,
  'a policy that came after the calls': LATE_POLICY,
  'the same use case in every call': SAME_USE_CASE,
  'no provider where anything could be sent': { data: { ...IDLE.data, providers: [] } },
  'all of these': { ...ALL, ...SAME_USE_CASE },
}

const percentOf = (facts: Facts): number | null => scoreOf(judgeControls(facts), facts.calls.passed).percent

describe('the score', () => {
  const score = (...controls: [state: Control['state'], weight: Control['weight'], earns: boolean][]) =>
    scoreOf(
      controls.map(([state, weight, earns]) => ({ state, weight, earns })),
      LEAST_SCORED_CALLS,
    )

  it('is the weight that passing earns, of that and of all that does not pass', () => {
    const counted = score(
      ['pass', 3, true],
      ['pass', 2, true],
      ['fail', 1, true],
      ['stated', 2, true],
      ['not_applicable', 3, true],
      ['needs_a_person', 0, false],
      ['stated', 0, false],
    )
    expect(counted).toEqual({
      percent: 62,
      reason: null,
      weight_passed: 5,
      weight_applicable: 8,
      passed: 2,
      failed: 1,
      stated: 1,
      coverage: { with_data: 4, controls: 5 },
      calls: 100,
      calls_needed: 100,
    })
  })

  it('gets nothing for what earns nothing, and loses its weight where that fails', () => {
    expect(score(['pass', 3, false], ['pass', 1, true], ['fail', 1, true]).percent).toBe(50)
    expect(score(['fail', 3, false], ['pass', 1, true]).percent).toBe(25)
  })

  it('is rounded down: one light control that fails takes the hundred away', () => {
    const passing = Array.from({ length: 200 }, (): Parameters<typeof score>[0] => ['pass', 3, true])
    expect(score(...passing, ['fail', 1, true]).percent).toBe(99)
  })

  it('is null, with the reason, below a number of calls, and where nothing passes or fails', () => {
    expect(scoreOf(judgeControls(SOUND), LEAST_SCORED_CALLS - 1)).toMatchObject({
      percent: null,
      reason: 'Nothing to judge yet: 99 of the 100 calls that a percentage needs.',
    })
    expect(score(['not_applicable', 3, true]).percent).toBeNull()
  })

  it('can be a hundred, and has all controls of weight in its coverage', () => {
    expect(scoreOf(judgeControls(SOUND), 100)).toMatchObject({
      percent: 100,
      passed: 30,
      coverage: { with_data: 30, controls: 30 },
    })
  })
})

describe.each(Object.entries(SHAMS))('%s', (_, sham) => {
  it('is under a fifth where calls are made', () => {
    const percent = percentOf({ ...IDLE, ...sham })
    expect(percent).toBeLessThan(20)
  })

  it('is no percentage where no call is made, or too few', () => {
    expect(percentOf({ ...IDLE, ...sham, ...NEW })).toBeNull()
    expect(percentOf({ ...IDLE, ...sham, ...BLOCKED_CALLS })).toBeNull()
    const few = { ...IDLE, ...sham }
    expect(percentOf({ ...few, calls: { ...few.calls, passed: 99 } })).toBeNull()
  })
})

it('a statement raises no score that measures have lowered', () => {
  const anomalies = [{ subject: 'anomaly:failed_rate:all:2026-11-01' }]
  const found = soundFacts({
    calls: { ...SOUND.calls, passed: LEAST_SCORED_CALLS },
    monitoring: { ...SOUND.monitoring, anomalies },
  })
  expect(percentOf({ ...found, ...STATED })).toBe(percentOf(found))
  expect(percentOf(found)).toBeLessThan(100)
})
