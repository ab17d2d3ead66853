// Tests which changes of a policy are named as looser, rule by rule.
import { describe, expect, it } from 'vitest'
import { findLoosenedRules } from '../../../../src/policies/document/loosened-rules.ts'
import { PolicyDocumentSchema } from '../../../../src/policies/document/policy-document.ts'
import { DEFAULT_SETTINGS } from '../../../../src/policies/organisation-settings.ts'

const K1 = 'key_00000000-0000-4000-8000-000000000001'
const RULES = Object.keys(PolicyDocumentSchema().shape)

type Rule = object
type Case = [before: Rule | undefined, after: Rule, message: string]

const approval = (more: object, case_: object = { use_cases: ['triage'], min_cost_eur: 1 }) => ({
  when: [case_],
  expires_seconds: 600,
  approvals_required: 2,
  ...more,
})

/** The changes that loosen each rule, with what is said about them. The same change the other way around loosens nothing. */
const CASES: Readonly<Record<string, readonly Case[]>> = {
  model_allowlist: [
    [{ models: ['a'] }, { models: ['a', 'b'] }, 'models now has b'],
    [{ models: [] }, {}, 'models is no longer set'],
    [{ by_use_case: { triage: ['a'] } }, { by_use_case: {} }, 'by_use_case.triage is no longer set'],
    [{ by_key: { [K1]: [] } }, { by_key: { [K1]: ['a'] } }, `by_key.${K1} now has a`],
  ],
  data_region: [
    [{ within: 'eu' }, { within: 'any' }, 'within went from eu to any'],
    [{ within: 'eea_ch' }, { within: 'any' }, 'within went from eea_ch to any'],
  ],
  content_type_guard: [
    [{ allow: ['text'] }, {}, 'allow is no longer set'],
    [
      { allow: ['text'], max_tools: 1 },
      { allow: ['text', 'image'], max_tools: 2 },
      'allow now has image; max_tools went from 1 to 2',
    ],
    [{ max_body_bytes: 0 }, {}, 'max_body_bytes is no longer set'],
  ],
  use_case_guard: [
    [{ required: true }, {}, 'required went from true to false'],
    [{ allow: ['triage'] }, { allow: ['triage', 'letters'] }, 'allow now has letters'],
  ],
  pii_scan: [
    [{ default: 'block' }, { default: 'redact' }, 'all shapes went from block to redact'],
    [{ default: 'redact', shapes: { iban: 'block' } }, { default: 'redact' }, 'iban went from block to redact'],
    [{ default: 'report' }, { default: 'report', shapes: { iban: 'ignore' } }, 'iban went from report to ignore'],
    [{ default: 'block', answers: { default: 'report' } }, { default: 'block' }, 'answers is no longer set'],
    [
      { default: 'block', answers: { default: 'block' } },
      { default: 'block', answers: { default: 'report' } },
      'in answers, all shapes went from block to report',
    ],
    [
      { default: 'block', answers: { default: 'report', shapes: { iban: 'block', date: 'redact' } } },
      { default: 'redact', answers: { default: 'report', shapes: { date: 'redact' } } },
      'all shapes went from block to redact; in answers, iban went from block to report',
    ],
  ],
  prompt_injection_guard: [
    [{ action: 'block' }, { action: 'report' }, 'all rules went from block to report'],
    [
      { action: 'block' },
      { action: 'block', rules: { hidden_text: 'ignore' } },
      'hidden_text went from block to ignore',
    ],
    [{ action: 'block' }, { action: 'block', roles: ['user'] }, 'roles no longer has tool'],
  ],
  loop_guard: [
    [
      { repeats: 3, window_seconds: 60 },
      { repeats: 4, window_seconds: 30 },
      'repeats went from 3 to 4; window_seconds went from 60 to 30',
    ],
    [{ cycle_rounds: 3 }, {}, `cycle_rounds went from 3 to ${DEFAULT_SETTINGS.loopCycleRounds}`],
    [
      { cycle_window_seconds: 400 },
      {},
      `cycle_window_seconds went from 400 to ${DEFAULT_SETTINGS.loopCycleWindowSeconds}`,
    ],
  ],
  budget_guard: [
    [{ day_eur: 50, month_eur: 100 }, { day_eur: 80, month_eur: 100 }, 'day_eur went from 50 to 80'],
    [
      { keys: { [K1]: { day_eur: 1, month_eur: 2 } } },
      { keys: { [K1]: { month_eur: 2 } } },
      `keys.${K1}.day_eur is no longer set`,
    ],
    [{ keys: { [K1]: { day_eur: 1 } } }, {}, `keys.${K1}.day_eur is no longer set`],
    [{ alert_percent: [50, 80] }, { alert_percent: [80] }, 'alert_percent no longer has 50'],
    [{}, { alert_percent: [80] }, 'alert_percent no longer has 50, 100'],
  ],
  rate_limit: [
    [{ requests_per_minute: 0 }, { requests_per_minute: 1 }, 'requests_per_minute went from 0 to 1'],
    [
      { key_requests_per_minute: 6, keys: { [K1]: { requests_per_minute: 5 } } },
      { key_requests_per_minute: 6 },
      `keys.${K1}.requests_per_minute went from 5 to 6`,
    ],
    [
      { key_requests_per_day: 5, keys: { [K1]: { requests_per_day: 9 } } },
      { key_requests_per_day: 7 },
      'key_requests_per_day went from 5 to 7',
    ],
  ],
  human_approval: [
    [
      approval({}, { models: ['gemini-3.7-flash', 'a'] }),
      approval({}, { models: ['gemini-3.8-flash'] }),
      'requests of case 1 may pass without approval',
    ],
    // A request whose only text is empty has content of no kind.
    [
      approval({}, {}),
      approval({}, { content_kinds: ['text', 'image', 'file', 'tools'] }),
      'requests of case 1 may pass without approval',
    ],
    [approval({}), approval({ approvals_required: 1 }), 'approvals_required went from 2 to 1'],
    [approval({}), approval({ expires_seconds: 900 }), 'expires_seconds went from 600 to 900'],
    [approval({}, {}), approval({}), 'requests of case 1 may pass without approval'],
    [
      approval({}),
      approval({}, { use_cases: ['triage'], min_cost_eur: 2 }),
      'requests of case 1 may pass without approval',
    ],
    [
      approval({}, { models: ['a', 'b'] }),
      approval({}, { models: ['a'] }),
      'requests of case 1 may pass without approval',
    ],
    [
      approval({ when: [{ keys: [K1] }, {}] }),
      approval({ when: [{ keys: [K1] }] }),
      'requests of case 2 may pass without approval',
    ],
    [
      approval({}, { content_kinds: ['text', 'image'] }),
      approval({}, { content_kinds: ['image'] }),
      'requests of case 1 may pass without approval',
    ],
  ],
  cache: [],
  medical_use_cases: [
    [['triage', 'letters'], ['triage'], 'the list no longer has letters'],
    [undefined, ['triage', 'letters'], 'only calls of triage, letters are medical now'],
    [undefined, [], 'no call is medical any more'],
  ],
  high_risk_use_cases: [[['triage', 'letters'], ['triage'], 'the list no longer has letters']],
  bias: [[{ cohorts: ['a'] }, { cohorts: ['a', 'b'] }, 'cohorts now has b']],
}

const loosened = (before: object, after: object) => findLoosenedRules(before, after, DEFAULT_SETTINGS)

describe.each(RULES)('%s', (rule) => {
  const cases = CASES[rule]
  it('is named if it is removed, and not if it is added or stays', () => {
    if (cases === undefined) throw new Error(`${rule} has no row`)
    const document = { [rule]: cases[0]?.[0] ?? { ttl_seconds: 5 } }
    const removed = { rule, isRemoved: true, message: `${rule} is no longer in force.` }
    expect(loosened(document, {})).toEqual(rule === 'medical_use_cases' ? [] : [removed])
    expect(loosened(document, document)).toEqual([])
    expect(
      loosened(rule === 'loop_guard' ? { loop_guard: {} } : {}, document).filter(({ isRemoved }) => isRemoved),
    ).toEqual([])
  })

  it.each([...(cases ?? [])])('from %j to %j is looser, and not the other way around', (before, after, message) => {
    expect(loosened({ [rule]: before }, { [rule]: after })).toEqual([
      { rule, isRemoved: false, message: `${rule}: ${message}.` },
    ])
    expect(loosened({ [rule]: after }, { [rule]: before })).toEqual([])
  })
})

it('a loop_guard that is added loosens the thresholds of the settings', () => {
  expect(loosened({}, { loop_guard: { repeats: 20 } })).toMatchObject([
    { rule: 'loop_guard', message: `loop_guard: repeats went from ${DEFAULT_SETTINGS.loopRepeats} to 20.` },
  ])
  expect(loosened({}, { loop_guard: { repeats: 2 } })).toEqual([])
})

it('a first list of cohorts accepts labels that were refused', () => {
  expect(loosened({}, { bias: { cohorts: ['a'] } })).toMatchObject([{ message: 'bias: cohorts now has a.' }])
})

it('a first budget_guard ends alerts of the settings’ budget, if they have one', () => {
  const after = { budget_guard: { alert_percent: [100] } }
  expect(loosened({}, after)).toEqual([])
  expect(findLoosenedRules({}, after, { ...DEFAULT_SETTINGS, monthlyBudgetMicroeur: 1 })).toMatchObject([
    { isRemoved: false, message: 'budget_guard: alert_percent no longer has 50, 80.' },
  ])
})

it.each<[rule: string, before: object, after: object]>([
  ['human_approval', { when: [{ use_cases: ['a', 'b'] }] }, { when: [{ use_cases: ['a'] }, { use_cases: ['b'] }] }],
  ['human_approval', { when: [{ models: ['gemini-3.7-flash'] }] }, { when: [{ models: ['gemini-3.8-flash'] }] }],
  [
    'human_approval',
    { when: [{ use_cases: ['a', 'b'], content_kinds: ['text', 'image'] }] },
    { when: [{ content_kinds: ['text'] }, { use_cases: ['a'] }, { use_cases: ['b'], content_kinds: ['image'] }] },
  ],
  ['pii_scan', { default: 'report', answers: { default: 'ignore' } }, { default: 'report' }],
  ['rate_limit', { keys: { [K1]: { requests_per_minute: 5 } } }, { key_requests_per_minute: 4 }],
  ['budget_guard', { key_day_eur: 1, keys: { [K1]: { day_eur: 2 } } }, { key_day_eur: 1 }],
])('%s: from %j to %j is not looser', (rule, before, after) => {
  expect(loosened({ [rule]: before }, { [rule]: after })).toEqual([])
})

it('a long list is cut', () => {
  const models = Array.from({ length: 100 }, (_, n) => `m${n}`)
  expect(loosened({ model_allowlist: { models: [] } }, { model_allowlist: { models } })[0]?.message).toMatch(
    /now has m0, .*, m7, and 92 more\.$/,
  )
})
