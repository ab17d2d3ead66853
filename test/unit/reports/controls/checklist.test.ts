// Each control of the checklist: facts in which it passes, facts in which it fails, and facts in which it does not apply.
import { describe, expect, it } from 'vitest'
import {
  CHECKLIST_VERSION,
  CONTROLS,
  judgeAgain,
  judgeControls,
  LAW_AS_OF,
  scoreOf,
} from '../../../../src/reports/controls/checklist.ts'
import type { Facts, SeenCall } from '../../../../src/reports/controls/control.ts'
import { ControlSchema } from '../../../../src/reports/report/report.schema.ts'
import { DAY_MS } from '../../../../src/platform/time.ts'
import { NOW, PERSON, policyInForce, seenCall, soundFacts } from './sound-facts.ts'

const SOUND = soundFacts()
/** All models that are offered. */
const MODELS = Array.from({ length: 9 }, (_, at) => `model-${at}`)

const stateOf = (id: string, facts: Facts) => {
  const control = judgeControls(facts).find((one) => one.id === id)
  if (control === undefined) throw new Error(`no control ${id}`)
  return control.state
}

const document = (change: Partial<Facts['policy']['document']>): Partial<Facts> => ({
  policy: policyInForce({ ...SOUND.policy.document, ...change }),
})
const calls = (change: Partial<Facts['calls']>): Partial<Facts> => ({ calls: { ...SOUND.calls, ...change } })
const sample = (change: Partial<Facts['sample']>): Partial<Facts> => ({ sample: { ...SOUND.sample, ...change } })
const signing = (change: Partial<Facts['signing']>): Partial<Facts> => ({ signing: { ...SOUND.signing, ...change } })
const approvals = (change: Partial<Facts['approvals']>): Partial<Facts> => ({
  approvals: { ...SOUND.approvals, ...change },
})
const monitoring = (change: Partial<Facts['monitoring']>): Partial<Facts> => ({
  monitoring: { ...SOUND.monitoring, ...change },
})
const data = (change: Partial<Facts['data']>): Partial<Facts> => ({ data: { ...SOUND.data, ...change } })
/** The calls came before the policy that is in force. */
const BEFORE_THE_POLICY: Partial<Facts> = sample({ calls: [seenCall({ policyVersion: 2 })] })
const ofKinds = (...kinds: SeenCall['kinds'][]) => sample({ calls: kinds.map((one) => seenCall({ kinds: one })) })
const key = (change: Partial<Facts['apiKeys'][number]>): Partial<Facts> => ({
  apiKeys: SOUND.apiKeys.map((one) => ({ ...one, ...change })),
})
const recorded = (change: Partial<NonNullable<Facts['recorded']>>): Partial<Facts> => ({
  recorded: SOUND.recorded && { ...SOUND.recorded, ...change },
})
const subjectsOf = (findings: readonly { subject: string }[]) => findings.map(({ subject }) => subject)

const [signedBy] = SOUND.sample.signedBy
const [signingKey] = SOUND.signing.history
if (signedBy === undefined || signingKey === undefined) throw new Error('the sound facts have a key')

const OTHER_KEY = 'B'.repeat(43)
const retired = { ...signingKey, status: 'retired', validUntil: NOW - DAY_MS } as const
const incident = `incident:tr_${'1'.repeat(32)}`
const found = [{ subject: 'anomaly:failed:gpt-4.1-mini:2026-11-01' }]
const disparities = [{ subject: 'disparity:cohort:blocked:group-b' }]
const statementsAbout = (...subjects: string[]): Partial<Facts> => ({
  statements: subjects.map((subject) => ({
    subject,
    text: 'x',
    lookedAt: 'The calls of that day.',
    cause: null,
    date: null,
    statedBy: PERSON,
    statedAt: NOW - DAY_MS,
  })),
})

/** By control: changes of sound facts with which it fails, and passes all the same. */
const FAILING: Readonly<Record<string, readonly Partial<Facts>[]>> = {
  L1: [recorded({ receipts: 41 }), recorded({ receipts: 39 }), recorded({ inFlight: 0 })],
  L2: [
    sample({ differing: [12] }),
    sample({ read: 0, differing: [12] }),
    { tree: { size: 400, rootMatches: false } },
    { ...sample({ read: 0 }), tree: { size: 400, rootMatches: false } },
  ],
  L3: [{ publication: { lastReceipt: 398, waiting: { position: 399, at: NOW - 61_000 } } }],
  L4: [{ lastExport: null }, { lastExport: { act: 'settings.export', at: NOW - 31 * DAY_MS, position: 1 } }],
  L5: [data({ retentionDays: 184 }), data({ retentionDays: 90 }), sample({ calls: [seenCall({ retentionDays: 7 })] })],
  L6: [sample({ missing: [7] }), sample({ read: 0, missing: [7] })],
  L7: [calls({ passed: 100, interrupted: 1 })],
  L8: [calls({ completed: 100, estimated: 5 })],
  K1: [
    signing({ current: null }),
    signing({ isThrowAway: true }),
    signing({ history: [] }),
    signing({ history: [retired] }),
    signing({ history: [{ ...signingKey, status: 'retired' }] }),
    {
      ...signing({ history: [{ ...signingKey, validFrom: NOW + 1 }] }),
      ...sample({ signedBy: [{ ...signedBy, first: NOW + 1, last: NOW + 1 }] }),
    },
    {
      ...signing({ history: [signingKey, { ...retired, publicKey: OTHER_KEY }] }),
      ...sample({ signedBy: [signedBy, { ...signedBy, publicKey: OTHER_KEY }] }),
    },
    sample({ signedBy: [{ ...signedBy, first: signingKey.validFrom - 1 }] }),
    sample({ signedBy: [signedBy, { ...signedBy, publicKey: OTHER_KEY }] }),
  ],
  K2: [
    key({ lastUsedAt: NOW - 91 * DAY_MS }),
    key({ expiresAt: NOW + 66 * DAY_MS }),
    key({ expiresAt: null }),
    key({ lastUsedAt: null }),
  ],
  K3: [key({ scopes: ['chat', 'manage'] })],
  K4: [
    { members: [...SOUND.members, { id: 'usr_3', factor: 'none' }] },
    { requirement: { secondFactor: 'off', secondFactorFrom: null } },
    { requirement: { secondFactor: 'any', secondFactorFrom: new Date(NOW + 1).toISOString() } },
  ],
  P1: [
    { policy: { ...SOUND.policy, version: 0, madeBy: null } },
    { policy: { ...SOUND.policy, version: 0 } },
    { policy: policyInForce(SOUND.policy.document, { madeBy: 'key_1' }) },
    BEFORE_THE_POLICY,
    { policy: policyInForce({}) },
    { policy: policyInForce({ use_case_guard: { required: true }, rate_limit: {} }) },
  ],
  P2: [
    document({ model_allowlist: {} }),
    document({ model_allowlist: { models: ['gpt-4.1-mini', 'model-1', 'model-2'] } }),
    document({ model_allowlist: { models: [] } }),
    { ...document({ model_allowlist: { models: MODELS.slice(0, 5) } }), ...calls({ models: MODELS }) },
    BEFORE_THE_POLICY,
  ],
  P3: [calls({ withUseCase: 94 })],
  P4: [
    { policy: policyInForce({}) },
    document({ pii_scan: { default: 'ignore' } }),
    document({ pii_scan: { default: 'ignore', shapes: { payment_card: 'report' } } }),
    document({ pii_scan: { default: 'redact', shapes: { date: 'ignore' } } }),
    document({ pii_scan: { default: 'report' } }),
    document({ pii_scan: { default: 'report', shapes: { pps_number: 'block' } } }),
    document({ pii_scan: { default: 'redact', shapes: { date: 'report', pps_number: 'report' } } }),
    ofKinds(['text'], ['image']),
    ofKinds(['file']),
    BEFORE_THE_POLICY,
    { ...document({ content_type_guard: { allow: ['text', 'image'] } }), ...ofKinds(['text'], ['image']) },
  ],
  P5: [
    document({ budget_guard: { alert_percent: [80] } }),
    { policy: policyInForce({}) },
    document({ budget_guard: { month_eur: 201 } }),
    document({ budget_guard: { day_eur: 7 } }),
    { ...document({ budget_guard: { key_month_eur: 101 } }), apiKeys: [...SOUND.apiKeys, ...SOUND.apiKeys] },
    { ...document({ budget_guard: {} }), monthlyBudgetMicroeur: 1_000_000_000_000 },
    { ...document({ budget_guard: { month_eur: 11 } }), ...calls({ costMicroeur: 1 }) },
    { ...document({ budget_guard: { month_eur: 201 } }), start: '2026-11-20' },
    { budgetDays: { withCalls: 20, shutOut: 11 } },
    { ...document({ budget_guard: { key_month_eur: 201 } }), apiKeys: [] },
    BEFORE_THE_POLICY,
  ],
  P6: [
    { policy: policyInForce({}) },
    document({ pii_scan: { default: 'block' } }),
    document({ pii_scan: { default: 'block', answers: { default: 'ignore', shapes: { iban: 'block' } } } }),
    document({ pii_scan: { default: 'block', answers: { default: 'block', shapes: { date: 'ignore' } } } }),
    BEFORE_THE_POLICY,
  ],
  H1: [
    sample({ calls: [...SOUND.sample.calls, seenCall({ isApproved: false })] }),
    // It was taken out of the policy after the call.
    {
      policy: {
        ...policyInForce({ ...SOUND.policy.document, high_risk_use_cases: [] }),
        history: SOUND.policy.history,
      },
      ...sample({ calls: [seenCall({ isApproved: false })] }),
    },
    approvals({ byUseCase: [{ useCase: 'triage-notes', decided: 4, undecided: 5 }] }),
    approvals({ byUseCase: [{ useCase: 'discharge', decided: 12, undecided: 0 }] }),
  ],
  H2: [approvals({ ownApproved: ['apr_1'] })],
  H3: [approvals({ withoutRecord: [9] })],
  H4: [approvals({ decided: 10, undecided: 1 }), approvals({ decided: 0, undecided: 10 })],
  M1: [
    monitoring({ lastBiasReport: null }),
    monitoring({ lastBiasReport: { act: 'compliance.bias_report', at: NOW - 32 * DAY_MS, position: 1 } }),
    monitoring({ anomalies: found }),
    monitoring({ anomalies: null }),
    { ...monitoring({ anomalies: found, lastBiasReport: null }), ...statementsAbout(...subjectsOf(found)) },
  ],
  M2: [
    monitoring({ disparities }),
    monitoring({ disparities: null }),
    { ...monitoring({ disparities }), ...statementsAbout('disparity:cohort:failed:group-b') },
  ],
  M3: [monitoring({ incidents: [{ subject: incident, isFound: false, position: null }] })],
  D1: [
    data({ jurisdiction: 'global' }),
    calls({ routed: { eu: 89, eea_ch: 0, any: 1 } }),
    calls({ routed: { eu: 89, eea_ch: 1, any: 0 } }),
    document({ data_region: { within: 'any' } }),
    document({ data_region: undefined }),
  ],
  D2: [data({ contentDays: 366 })],
  D3: [data({ sealed: { ...SOUND.data.sealed, withoutKey: 1 } })],
  D4: [data({ erasures: { asked: 1, overdue: 1 } })],
  D5: [calls({ useCases: [] }), data({ providers: [] })],
}

const PASSING: Readonly<Record<string, readonly Partial<Facts>[]>> = {
  L3: [
    { publication: { lastReceipt: -1, waiting: { position: 0, at: NOW - 60_000 } } },
    { publication: { lastReceipt: 0, waiting: null } },
  ],
  L4: [{ lastExport: { act: 'settings.export', at: NOW - 30 * DAY_MS, position: 1 } }],
  L5: [data({ retentionDays: 185 })],
  L6: [sample({ read: 0, differing: [7] })],
  L7: [calls({ passed: 101, interrupted: 1 })],
  L8: [calls({ completed: 101, estimated: 5 })],
  K1: [
    signing({ history: [signingKey, { ...retired, publicKey: OTHER_KEY }] }),
    signing({ history: [{ ...signingKey, validFrom: signedBy.first, validUntil: signedBy.last }] }),
  ],
  K2: [key({ lastUsedAt: null, createdAt: NOW - DAY_MS }), key({ lastUsedAt: NOW - 90 * DAY_MS })],
  K3: [key({ scopes: ['manage'] })],
  P2: [document({ model_allowlist: { models: ['gpt-4.1-mini', 'model-1', 'model-1'] } })],
  P3: [calls({ withUseCase: 95 })],
  P4: [
    {
      ...document({ content_type_guard: { allow: ['text'] } }),
      ...ofKinds(['text'], ['image']),
    },
    document({ pii_scan: { default: 'block', shapes: { date: 'report' } } }),
  ],
  P5: [
    { budgetDays: { withCalls: 20, shutOut: 10 } },
    { ...document({ budget_guard: { alert_percent: [80] } }), monthlyBudgetMicroeur: 200_000_000 },
    document({ budget_guard: { month_eur: 200 } }),
    ...['month_eur', 'day_eur', 'key_month_eur', 'key_day_eur'].map((limit) =>
      document({ budget_guard: { [limit]: 5 } }),
    ),
    { ...document({ budget_guard: { month_eur: 10 } }), ...calls({ costMicroeur: 1 }) },
  ],
  P6: [document({ pii_scan: { default: 'ignore', answers: { default: 'report', shapes: { iban: 'block' } } } })],
  H1: [
    sample({ calls: [...SOUND.sample.calls, seenCall({ useCase: 'discharge', isApproved: false })] }),
    sample({ calls: Array.from({ length: 10 }, () => seenCall({ isAllowed: false, isApproved: false })) }),
    approvals({ byUseCase: [{ useCase: 'triage-notes', decided: 5, undecided: 5 }] }),
  ],
  H4: [approvals({ decided: 11, undecided: 1 })],
  M1: [monitoring({ lastBiasReport: { act: 'compliance.bias_report', at: NOW - 31 * DAY_MS, position: 1 } })],
  M3: [monitoring({ incidents: [{ subject: incident, isFound: true, position: null }] })],
  D2: [data({ contentDays: null }), data({ contentDays: 365 })],
  D3: [
    data({ sealed: { objects: 0, withoutKey: 0, hasContentKey: true } }),
    data({ sealed: { objects: 3, withoutKey: 0, hasContentKey: false } }),
  ],
}

const NO_RECEIPTS: Partial<Facts> = { publication: { lastReceipt: -1, waiting: null } }
const NO_CALLS = calls({ requests: 0 })

const NOT_APPLICABLE: Readonly<Record<string, Partial<Facts> | readonly Partial<Facts>[]>> = {
  L1: { recorded: null },
  L2: [{ tree: { size: 0, rootMatches: null } }, sample({ read: 0 })],
  L3: NO_RECEIPTS,
  L4: [NO_RECEIPTS, { ...NO_RECEIPTS, lastExport: null }],
  L5: NO_CALLS,
  L6: sample({ read: 0 }),
  L7: calls({ passed: 0 }),
  L8: calls({ completed: 0, estimated: 0 }),
  K1: sample({ signedBy: [] }),
  K2: { apiKeys: [] },
  K3: { apiKeys: [] },
  K4: { members: [] },
  P1: NO_CALLS,
  P2: calls({ models: [] }),
  P3: calls({ requests: 0, withUseCase: 0 }),
  P4: sample({ calls: [] }),
  P5: calls({ costMicroeur: 0 }),
  P6: calls({ models: [] }),
  H1: [
    document({ high_risk_use_cases: [] }),
    document({ high_risk_use_cases: ['discharge'] }),
    sample({ calls: Array.from({ length: 9 }, () => seenCall()) }),
  ],
  H2: approvals({ decisions: 0 }),
  H3: [approvals({ executed: 0 }), approvals({ recordsLooked: 0 })],
  H4: approvals({ decided: 9, undecided: 0 }),
  M1: NO_CALLS,
  M2: [monitoring({ cohorts: [] }), monitoring({ compared: 0 })],
  M3: monitoring({ incidents: [] }),
  D1: calls({ routed: { eu: 0, eea_ch: 0, any: 0 } }),
  D2: NO_CALLS,
  D3: data({ sealed: { objects: 0, withoutKey: 0, hasContentKey: false } }),
  D4: data({ erasures: { asked: 0, overdue: 0 } }),
  D5: NO_CALLS,
}

const SCORED = CONTROLS.filter(({ weight }) => weight > 0)

describe('the checklist', () => {
  it('has 30 controls that are scored and four that need a person', () => {
    const groups = Map.groupBy(CONTROLS, ({ id }) => id.slice(0, 1))
    const sizes = Object.fromEntries([...groups].map(([group, controls]) => [group, controls.length]))
    expect(sizes).toEqual({ L: 8, K: 4, P: 6, H: 4, M: 3, D: 5, X: 4 })
    expect(new Set(CONTROLS.map(({ id }) => id)).size).toBe(CONTROLS.length)
    expect(SCORED).toHaveLength(30)
  })

  it('has a test for each control in which it fails', () => {
    expect(Object.keys(FAILING)).toEqual(SCORED.map(({ id }) => id))
  })

  it('says of a version of its own and of which day’s law it is', () => {
    expect({ CHECKLIST_VERSION, LAW_AS_OF }).toEqual({ CHECKLIST_VERSION: '2026-11-30.2', LAW_AS_OF: '2026-11-26' })
  })

  it('is answered in the shape that is documented, whatever the facts', () => {
    const facts = [
      SOUND,
      ...Object.values(NOT_APPLICABLE)
        .flat()
        .map((change) => soundFacts(change)),
    ]
    for (const control of facts.flatMap(judgeControls)) expect(ControlSchema().safeParse(control).error).toBeUndefined()
  })
})

describe.each(SCORED.map(({ id }) => id))('control %s', (id) => {
  it('passes in an organisation that is in order', () => {
    expect(stateOf(id, SOUND)).toBe('pass')
    for (const change of PASSING[id] ?? []) expect(stateOf(id, soundFacts(change))).toBe('pass')
  })

  it('fails where what it asks for is missing', () => {
    for (const change of FAILING[id] ?? []) expect(stateOf(id, soundFacts(change))).toBe('fail')
  })

  it('does not apply, with a reason, where there is nothing to judge', () => {
    for (const change of [NOT_APPLICABLE[id] ?? []].flat()) {
      const control = judgeControls(soundFacts(change)).find((one) => one.id === id)
      expect(control?.state).toBe('not_applicable')
      expect(control?.reason).toMatch(/\.$/)
    }
  })
})

describe('what is told beside a state', () => {
  const valuesOf = (id: string, facts: Facts) => judgeControls(facts).find((one) => one.id === id)?.evidence.values

  it('has a percentage with two decimals, and none of nothing', () => {
    const percentOf = (decided: number) => valuesOf('H4', soundFacts(approvals({ decided, undecided: 10 })))
    expect(percentOf(30)).toMatchObject({ percent: 33.33 })
    expect(percentOf(0)).toMatchObject({ percent: null })
  })

  it('has twenty names at most, and how many more there are', () => {
    const names = Array.from({ length: 23 }, (_, at) => `apr_${at}`)
    const idsOf = (ownApproved: string[]) => valuesOf('H2', soundFacts(approvals({ ownApproved })))
    expect(idsOf(names.slice(0, 20))).toMatchObject({ ids: names.slice(0, 20) })
    expect(idsOf(names)).toMatchObject({ ids: [...names.slice(0, 20), 'and 3 more'], own_approved: 23 })
  })
})

describe('a control that a person has made a statement about', () => {
  it('is “stated”, with who, when and what was looked at, and does not pass', () => {
    const stated = [{ subject: found[0]?.subject, looked_at: 'The calls of that day.', stated_by: PERSON }]
    const controls = judgeControls(
      soundFacts({ ...monitoring({ anomalies: found }), ...statementsAbout(...subjectsOf(found), 'X2') }),
    )
    expect(controls.find(({ id }) => id === 'M1')).toMatchObject({ state: 'stated', stated })
    expect(controls.find(({ id }) => id === 'X2')).toMatchObject({ state: 'stated', stated: [{ subject: 'X2' }] })
    expect(controls.find(({ id }) => id === 'X1')).toMatchObject({ state: 'needs_a_person', stated: [] })
  })

  it('changes no number of the score, whatever is stated', () => {
    const subjects = [...CONTROLS.map(({ id }) => id), ...subjectsOf(found), ...subjectsOf(disparities), incident]
    const measured = [
      SOUND,
      soundFacts(monitoring({ anomalies: found, disparities })),
      soundFacts(calls({ withUseCase: 1 })),
    ]
    for (const facts of measured) {
      const [silent, stated] = [facts, { ...facts, ...statementsAbout(...subjects) }].map((one) =>
        scoreOf(judgeControls(one), 100),
      )
      expect(stated?.percent).toBe(silent?.percent)
      expect(stated?.weight_passed).toBe(silent?.weight_passed)
      expect(stated?.weight_applicable).toBe(silent?.weight_applicable)
    }
  })
})

describe('evidence', () => {
  it('is enough to judge again, by the values alone', () => {
    const changes = [...Object.values(FAILING), ...Object.values(PASSING)].flat()
    for (const facts of [SOUND, ...changes.map((change) => soundFacts(change))]) {
      for (const { id, state, evidence, weight } of judgeControls(facts)) {
        if (weight === 0 || state === 'not_applicable') continue
        expect([id, judgeAgain(id, evidence.values ?? {})]).toEqual([id, state])
      }
    }
  })

  it('has no link that the tier cannot open', () => {
    const linkOf = (tier: Facts['tier']) =>
      judgeControls(soundFacts({ tier })).find(({ id }) => id === 'M1')?.evidence.link
    expect([linkOf('pro'), linkOf('healthcare')]).toEqual([undefined, '/api/compliance/bias-detection'])
  })

  it('of another shape is not judged', () => {
    for (const { id } of CONTROLS) expect([id, judgeAgain(id, {})]).not.toEqual([id, 'pass'])
    expect(judgeAgain('Z9', {})).toBeNull()
  })
})
