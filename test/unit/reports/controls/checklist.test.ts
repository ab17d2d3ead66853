// Each control of the checklist: facts in which it passes, facts in which it fails, and facts in which it does not apply.
import { describe, expect, it } from 'vitest'
import {
  CHECKLIST_VERSION,
  CONTROLS,
  judgeControls,
  LAW_AS_OF,
  scoreOf,
} from '../../../../src/reports/controls/checklist.ts'
import type { Facts } from '../../../../src/reports/controls/control.ts'
import { ControlSchema } from '../../../../src/reports/report/report.schema.ts'
import { DAY_MS } from '../../../../src/platform/time.ts'
import { NOW, soundFacts } from './sound-facts.ts'

const SOUND = soundFacts()

const stateOf = (id: string, facts: Facts) => {
  const control = judgeControls(facts).find((one) => one.id === id)
  if (control === undefined) throw new Error(`no control ${id}`)
  return control.state
}

const document = (change: Partial<Facts['policy']['document']>): Partial<Facts> => ({
  policy: { ...SOUND.policy, document: { ...SOUND.policy.document, ...change } },
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
const members = (change: Partial<Facts['members']>): Partial<Facts> => ({ members: { ...SOUND.members, ...change } })
const key = (change: Partial<Facts['apiKeys'][number]>): Partial<Facts> => ({
  apiKeys: SOUND.apiKeys.map((one) => ({ ...one, ...change })),
})
const recorded = (change: Partial<NonNullable<Facts['recorded']>>): Partial<Facts> => ({
  recorded: SOUND.recorded && { ...SOUND.recorded, ...change },
})
const [signedBy] = SOUND.sample.signedBy
const [signingKey] = SOUND.signing.history
if (signedBy === undefined || signingKey === undefined) throw new Error('the sound facts have a key')

const OTHER_KEY = 'B'.repeat(43)
const retired = { ...signingKey, status: 'retired', validUntil: NOW - DAY_MS } as const
const incident = `incident:tr_${'1'.repeat(32)}`
const lost = [{ subject: 'anomaly:failed:gpt-4.1-mini:2026-11-01' }]

/** By control: changes of sound facts with which it fails, and passes all the same. */
const FAILING: Readonly<Record<string, readonly Partial<Facts>[]>> = {
  L1: [recorded({ receipts: 41 }), recorded({ receipts: 39 }), recorded({ inFlight: 0 })],
  L2: [
    sample({ differing: [12] }),
    sample({ read: 0, differing: [12] }),
    { tree: { size: 400, rootMatches: false } },
    { ...sample({ read: 0 }), tree: { size: 400, rootMatches: false } },
  ],
  L3: [{ publication: { lastReceipt: 398, waiting: { position: 399, at: NOW - 60_001 } } }],
  L4: [{ lastExport: null }, { lastExport: { act: 'settings.export', at: NOW - 31 * DAY_MS, position: 1 } }],
  L5: [data({ retentionDays: 182 }), data({ retentionDays: 90 })],
  L6: [sample({ missing: [7] }), sample({ read: 0, missing: [7] })],
  L7: [calls({ passed: 100, interrupted: 1 })],
  L8: [calls({ completed: 100, estimated: 5 })],
  K1: [
    signing({ current: null }),
    signing({ isThrowAway: true }),
    signing({ history: [] }),
    signing({ history: [retired] }),
    signing({ history: [{ ...signingKey, status: 'retired' }] }),
    { ...signing({ history: [{ ...signingKey, validFrom: NOW + 1 }] }), ...sample({ signedBy: [] }) },
    {
      ...signing({ history: [signingKey, { ...retired, publicKey: OTHER_KEY }] }),
      ...sample({ signedBy: [signedBy, { ...signedBy, publicKey: OTHER_KEY }] }),
    },
    sample({ signedBy: [{ ...signedBy, first: signingKey.validFrom - 1 }] }),
    sample({ signedBy: [signedBy, { ...signedBy, publicKey: OTHER_KEY }] }),
  ],
  K2: [
    key({ lastUsedAt: NOW - 91 * DAY_MS }),
    key({ lastUsedAt: null, expiresAt: NOW + 66 * DAY_MS }),
    key({ lastUsedAt: null }),
  ],
  K3: [key({ scopes: ['chat', 'manage'] })],
  K4: [members({ withIdentity: 1 })],
  P1: [
    { policy: { ...SOUND.policy, version: 0, madeBy: null } },
    { policy: { ...SOUND.policy, version: 0 } },
    { policy: { ...SOUND.policy, madeBy: 'key_1' } },
  ],
  P2: [
    document({ model_allowlist: {} }),
    document({ model_allowlist: { models: Array.from({ length: 9 }, (_, at) => `model-${at}`) } }),
  ],
  P3: [calls({ withUseCase: 94 })],
  P4: [
    { policy: { ...SOUND.policy, document: {} } },
    document({ pii_scan: { default: 'ignore' } }),
    sample({ kinds: { text: 1, image: 1 } }),
    sample({ kinds: { file: 1 } }),
    { ...document({ content_type_guard: { allow: ['text', 'image'] } }), ...sample({ kinds: { text: 1, image: 1 } }) },
  ],
  P5: [document({ budget_guard: { alert_percent: [80] } }), { policy: { ...SOUND.policy, document: {} } }],
  H1: [
    document({ high_risk_use_cases: ['triage-notes', 'discharge'] }),
    document({
      human_approval: {
        when: [{ use_cases: ['triage-notes'], min_cost_eur: 1 }],
        expires_seconds: 3600,
        approvals_required: 1,
      },
    }),
  ],
  H2: [approvals({ ownApproved: ['apr_1'] })],
  H3: [approvals({ withoutRecord: [9] })],
  H4: [approvals({ decided: 10, expired: 1 }), approvals({ decided: 0, expired: 1 })],
  M1: [
    monitoring({ lastBiasReport: null }),
    monitoring({ lastBiasReport: { act: 'compliance.bias_report', at: NOW - 32 * DAY_MS, position: 1 } }),
    monitoring({ anomalies: lost }),
    monitoring({ anomalies: null }),
  ],
  M2: [
    monitoring({ disparities: [{ subject: 'disparity:cohort:blocked:group-b' }] }),
    monitoring({ disparities: null }),
  ],
  M3: [monitoring({ incidents: [{ subject: incident, isFound: false, position: null }] })],
  D1: [
    data({ jurisdiction: 'global' }),
    data({ providers: [{ id: 'openai', regions: ['us'] }] }),
    data({ providers: [{ id: 'google', regions: ['eu', 'global'] }] }),
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
  L5: [data({ retentionDays: 183 })],
  L6: [sample({ read: 0, differing: [7] })],
  L7: [calls({ passed: 101, interrupted: 1 })],
  L8: [calls({ completed: 101, estimated: 5 })],
  K1: [
    signing({ history: [signingKey, { ...retired, publicKey: OTHER_KEY }] }),
    sample({ signedBy: [] }),
    signing({ history: [{ ...signingKey, validFrom: signedBy.first, validUntil: signedBy.last }] }),
  ],
  K2: [
    key({ lastUsedAt: null, expiresAt: NOW + 65 * DAY_MS }),
    key({ lastUsedAt: null, createdAt: NOW - DAY_MS }),
    key({ lastUsedAt: NOW - 90 * DAY_MS }),
  ],
  K3: [key({ scopes: ['manage'] })],
  P2: [document({ model_allowlist: { models: Array.from({ length: 9 }, () => 'model-1') } })],
  P3: [calls({ withUseCase: 95 })],
  P4: [
    {
      ...document({ content_type_guard: { allow: ['text'] } }),
      ...sample({ kinds: { text: 1, image: 1 } }),
    },
    document({ pii_scan: { default: 'ignore', shapes: { payment_card: 'report' } } }),
  ],
  P5: [
    { ...document({ budget_guard: { alert_percent: [80] } }), hasMonthlyBudget: true },
    ...['month_eur', 'day_eur', 'key_month_eur', 'key_day_eur'].map((limit) =>
      document({ budget_guard: { [limit]: 5 } }),
    ),
  ],
  H1: [document({ human_approval: { when: [{}], expires_seconds: 3600, approvals_required: 1 } })],
  H4: [approvals({ decided: 11, expired: 1 })],
  M1: [
    monitoring({ anomalies: lost, stated: new Set(lost.map(({ subject }) => subject)) }),
    monitoring({ lastBiasReport: { act: 'compliance.bias_report', at: NOW - 31 * DAY_MS, position: 1 } }),
  ],
  M2: [
    monitoring({
      disparities: [{ subject: 'disparity:cohort:blocked:group-b' }],
      stated: new Set(['disparity:cohort:blocked:group-b']),
    }),
  ],
  M3: [monitoring({ incidents: [{ subject: incident, isFound: true, position: null }] })],
  D1: [data({ providers: [] })],
  D2: [data({ contentDays: null }), data({ contentDays: 365 })],
  D3: [
    data({ sealed: { objects: 0, withoutKey: 0, hasContentKey: true } }),
    data({ sealed: { objects: 3, withoutKey: 0, hasContentKey: false } }),
  ],
}

const NOT_APPLICABLE: Readonly<Record<string, Partial<Facts> | readonly Partial<Facts>[]>> = {
  L1: { recorded: null },
  L2: [{ tree: { size: 0, rootMatches: null } }, sample({ read: 0 })],
  L3: { publication: { lastReceipt: -1, waiting: null } },
  L6: sample({ read: 0 }),
  L7: calls({ passed: 0 }),
  L8: calls({ completed: 0, estimated: 0 }),
  K2: { apiKeys: [] },
  K3: { apiKeys: [] },
  K4: members({ members: 0, withIdentity: 0 }),
  P3: calls({ requests: 0, withUseCase: 0 }),
  H1: document({ high_risk_use_cases: [] }),
  H2: approvals({ decisions: 0 }),
  H3: [approvals({ executed: 0 }), approvals({ recordsLooked: 0 })],
  H4: approvals({ decided: 0, expired: 0 }),
  M2: [monitoring({ cohorts: [] }), monitoring({ compared: 0 })],
  M3: monitoring({ incidents: [] }),
  D3: data({ sealed: { objects: 0, withoutKey: 0, hasContentKey: false } }),
  D4: data({ erasures: { asked: 0, overdue: 0 } }),
  D5: calls({ requests: 0 }),
}

const SCORED = CONTROLS.filter(({ weight }) => weight > 0)

describe('the checklist', () => {
  it('has 29 controls that are scored and four that need a person', () => {
    const groups = Map.groupBy(CONTROLS, ({ id }) => id.slice(0, 1))
    const sizes = Object.fromEntries([...groups].map(([group, controls]) => [group, controls.length]))
    expect(sizes).toEqual({ L: 8, K: 4, P: 5, H: 4, M: 3, D: 5, X: 4 })
    expect(new Set(CONTROLS.map(({ id }) => id)).size).toBe(CONTROLS.length)
    expect(SCORED).toHaveLength(29)
  })

  it('has a test for each control in which it fails', () => {
    expect(Object.keys(FAILING)).toEqual(SCORED.map(({ id }) => id))
  })

  it('says of a version of its own and of which day’s law it is', () => {
    expect({ CHECKLIST_VERSION, LAW_AS_OF }).toEqual({ CHECKLIST_VERSION: '2026-11', LAW_AS_OF: '2026-11-20' })
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
    const percentOf = (decided: number) => valuesOf('H4', soundFacts(approvals({ decided, expired: 1 })))
    expect(percentOf(3)).toMatchObject({ percent: 33.33 })
    expect(percentOf(0)).toMatchObject({ percent: null })
  })

  it('has twenty names at most, and how many more there are', () => {
    const names = Array.from({ length: 23 }, (_, at) => `apr_${at}`)
    const idsOf = (ownApproved: string[]) => valuesOf('H2', soundFacts(approvals({ ownApproved })))
    expect(idsOf(names.slice(0, 20))).toMatchObject({ ids: names.slice(0, 20) })
    expect(idsOf(names)).toMatchObject({ ids: [...names.slice(0, 20), 'and 3 more'], own_approved: 23 })
  })
})

describe('the score', () => {
  it('is the weight of what passes, of the weight of what passes or fails', () => {
    const controls = [
      { state: 'pass', weight: 3 },
      { state: 'pass', weight: 2 },
      { state: 'fail', weight: 1 },
      { state: 'not_applicable', weight: 3 },
      { state: 'needs_a_person', weight: 0 },
    ] as const
    expect(scoreOf(controls)).toEqual({ passed: 2, applicable: 3, weight_passed: 5, weight_applicable: 6, percent: 83 })
  })

  it('is rounded down: one light control that fails takes the hundred away', () => {
    const controls = Array.from({ length: 200 }, () => ({ state: 'pass', weight: 3 }) as const)
    expect(scoreOf([...controls, { state: 'fail', weight: 1 }]).percent).toBe(99)
  })

  it('is null where nothing passes or fails', () => {
    expect(scoreOf([{ state: 'not_applicable', weight: 3 }]).percent).toBeNull()
  })

  it('counts what needs a person never', () => {
    const people = judgeControls(SOUND).filter(({ state }) => state === 'needs_a_person')
    expect(people.map(({ id, weight }) => [id, weight])).toEqual([
      ['X1', 0],
      ['X2', 0],
      ['X3', 0],
      ['X4', 0],
    ])
    expect(scoreOf(judgeControls(SOUND))).toMatchObject({ passed: 29, applicable: 29, percent: 100 })
  })

  it('is less for the tiers that cannot keep logs for six months', () => {
    expect(stateOf('L5', soundFacts({ tier: 'starter', ...data({ retentionDays: 90 }) }))).toBe('fail')
    expect(stateOf('L5', soundFacts({ tier: 'free', ...data({ retentionDays: 7 }) }))).toBe('fail')
  })
})
