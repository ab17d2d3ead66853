import { groupedShapes, orderedSummary, wordsOfChanges } from '../../../../src/pages/app/policies/rule-words.ts'
import { describe, expect, it } from 'vitest'
import { findPolicyChanges } from '../../../../src/policies/document/policy-changes.ts'
import { editingOf, useCasesIn, wordsOfPath } from '../../../../src/pages/app/policies/policy-draft.ts'
import { reasonName } from '../../../../src/pages/text/rule-names.ts'
import { summaryOf } from '../../../../src/pages/text/rule-summaries.ts'
import { MEMBER_IDS, POLICY_IDS } from '../../../../src/policies/rules/index.ts'
import { RULE_WORDS, STOPPING_RULES, wordsOf } from '../../../../src/policies/rules/words.ts'
import { formatUnits, TIME_UNITS } from '../../../../src/pages/text/units.ts'

const faultAt = (path: string, of: readonly string[]): string | null =>
  editingOf({}, () => undefined, [{ path, rule: 'at most 100' }]).faultOf(of)

describe('the fault of a member', () => {
  it('is that of the member itself, or of what is in it, with where', () => {
    expect(faultAt('budget_guard.day_eur', ['budget_guard', 'day_eur'])).toBe('at most 100')
    expect(faultAt('rate_limit.keys.key_1', ['rate_limit', 'keys'])).toBe('key_1: at most 100')
    expect(faultAt('budget_guard.day_eur', ['budget_guard', 'day'])).toBeNull()
  })

  it('is found in lists, whose places the service writes in brackets', () => {
    expect(faultAt('human_approval.when[1].models[0]', ['human_approval', 'when', '1', 'models'])).toBe(
      '0: at most 100',
    )
    expect(faultAt('human_approval.when[1].models[0]', ['human_approval', 'when', '0', 'models'])).toBeNull()
  })
})

describe('a place in a policy', () => {
  it('is told by names, as they are written in the document', () => {
    expect(wordsOfPath('/model_allowlist/by_use_case/a~1b~0c')).toBe('model_allowlist › by_use_case › a/b~c')
  })
})

describe('a time', () => {
  it.each([
    [14_400, '4 hours'],
    [86_400, '1 day'],
    [5400, '90 minutes'],
    [75, '75 seconds'],
    [0, '0 seconds'],
  ])('of %i seconds is told in its largest whole unit', (seconds, words) => {
    expect(formatUnits(seconds, TIME_UNITS)).toBe(words)
  })
})

const summary = (id: string, value: unknown): string =>
  RULE_WORDS.flatMap((rule) => (rule.id === id ? [summaryOf(rule, value)] : [])).join('')

describe('what a rule does', () => {
  it('is told of every rule once it is switched on, in the order of the document', () => {
    expect(RULE_WORDS.map(({ id }) => id)).toEqual(MEMBER_IDS)
    expect(STOPPING_RULES).toEqual(POLICY_IDS)
    expect(RULE_WORDS.filter((rule) => summaryOf(rule, rule.start) === '')).toEqual([])
  })

  it('is told in words, and a list that is empty is no missing one', () => {
    expect(summary('model_allowlist', { models: ['a', 'b'] })).toBe('a, b; everything else is blocked')
    expect(summary('model_allowlist', { models: [] })).toBe('No model: every call is blocked')
    expect(summary('model_allowlist', {})).toBe('Every model')
    const models = ['of_mine', 'sonar', 'gpt-4.1-mini']
    expect(orderedSummary(wordsOf('model_allowlist'), { models })).toMatch(/^gpt-4.1-mini, sonar, of_mine;/)
    expect(summary('data_region', { within: 'eea_ch' })).toBe('Only within the European Economic Area and Switzerland')
    expect(summary('budget_guard', { month_eur: 12, key_day_eur: 0.5 })).toBe(
      '€12.00 a month for all keys; €0.50 a day per key',
    )
    expect(summary('pii_scan', { default: 'report', shapes: { iban: 'block', date: 'ignore' } })).toBe(
      'Counted where found; blocked: IBAN; ignored: date; answers are not searched',
    )
    const answers = { default: 'redact', shapes: { iban: 'block', date: 'report' } }
    expect(summary('pii_scan', { default: 'block', answers })).toBe(
      'Blocked where found; in answers: taken out where found; answer stopped: IBAN; counted: date',
    )
    expect(summary('human_approval', { when: [{}, { use_cases: ['letters'] }], approvals_required: 2 })).toBe(
      'Holds every call; letters; 2 people approve',
    )
  })

  it('is not guessed where the form cannot show it', () => {
    expect(summary('cache', 'soon')).toBe('Not what this form can show: see the JSON')
    expect(summary('human_approval', { when: 7 })).toBe('Holds no call')
  })
})

const KEY = 'key_1'
const ruling = {
  id: KEY,
  region: 'any' as const,
  models: ['a', 'b', 'c', 'd'],
  settings: { loop_repeats: 5, loop_window_seconds: 3600, monthly_budget_eur: 40 },
}

describe('what a rule does for a key', () => {
  it.each([
    ['model_allowlist', undefined, 'a, b, c and 1 more; everything else is blocked'],
    ['model_allowlist', { by_key: { [KEY]: ['b'] } }, 'b; everything else is blocked'],
    ['model_allowlist', { by_key: { key_2: ['b'] }, models: [] }, 'No model: every call is blocked'],
    ['loop_guard', undefined, 'Same request 5 times in 1 hour'],
    [
      'budget_guard',
      { keys: { [KEY]: { month_eur: 2 } }, key_month_eur: 3 },
      '€40.00 a month for all keys; €2.00 a month per key',
    ],
    ['rate_limit', { keys: { key_2: { requests_per_day: 2 } } }, null],
    ['human_approval', { when: [{ keys: ['key_2'] }] }, null],
    ['human_approval', { when: [{ keys: [KEY] }] }, 'Holds every call'],
    ['data_region', { within: 'any' }, null],
  ] as const)('%s %j: %s', (id, rule, words) => {
    const own: unknown = wordsOf(id).forKey?.(rule, ruling)
    expect(own === undefined ? null : summaryOf(wordsOf(id), own)).toBe(words)
  })
})

const changes = (before: object, after: object) => wordsOfChanges(findPolicyChanges(before, after))

describe('a change', () => {
  it('is told by what came and went, with the unit of each number', () => {
    expect(
      changes(
        { model_allowlist: { models: ['a', 'b', 'c'] }, human_approval: { when: [{}], expires_seconds: 86_400 } },
        { model_allowlist: { models: ['c', 'd'] }, human_approval: { when: [{}], expires_seconds: 14_400 } },
      ),
    ).toEqual([
      { title: 'Approval by people', sentences: ['A request expires after: 4 hours, 1 day before'] },
      { title: 'Models allowed', sentences: ['Models for every call: a and b are removed; d is added'] },
    ])
  })

  it('of a whole rule says what holds then', () => {
    expect(changes({ cache: { ttl_seconds: 60 } }, { budget_guard: { day_eur: 2 } })).toEqual([
      { title: 'Budgets', sentences: ['Now enforced: €2.00 a day for all keys'] },
      { title: 'Stored answers', sentences: ['Not enforced any more (no answer is kept)'] },
    ])
  })

  it('of what is done with answers is told in the words for answers', () => {
    const searched = (answers: object) => ({ pii_scan: { default: 'report', answers } })
    const not = { pii_scan: { default: 'report' } }
    expect(changes(not, searched({ default: 'redact' }))[0]?.sentences).toEqual([
      'Answers: Taken out where found, not set before',
    ])
    expect(changes(searched({ default: 'report' }), not)[0]?.sentences).toEqual([
      'Answers: not set any more, Counted where found before',
    ])
    expect(
      changes(
        searched({ default: 'report', shapes: { iban: 'report' } }),
        searched({ default: 'block', shapes: { iban: 'block' } }),
      )[0]?.sentences,
    ).toEqual([
      'Every identifier in answers but the exceptions: Stop the answer: it ends there, Count: the answer is not changed before',
      'Exceptions in answers, IBAN: Stop the answer, Count before',
    ])
  })

  it('of a member that the form does not know is told as it is written', () => {
    expect(changes({}, { of_mine: 1 })).toEqual([{ title: 'of_mine', sentences: ['Set to 1'] }])
  })
})

describe('the use cases of a policy', () => {
  it('are those that any rule names, each once', () => {
    const document = {
      use_case_guard: { allow: ['b', 'a'] },
      model_allowlist: { by_use_case: { c: [] } },
      human_approval: { when: [{ use_cases: ['a', 'd'] }, 7] },
      high_risk_use_cases: 'e',
    }
    expect(useCasesIn(document)).toEqual(['a', 'b', 'c', 'd'])
  })
})

describe('a reason in words', () => {
  it('names the shapes that were found as people write them', () => {
    expect(reasonName('found: pps_number')).toBe('PPS number found')
    expect(reasonName('found: email_address, iban')).toBe('E-mail address and IBAN found')
  })

  it('says of a model that it is not allowed, and takes the words of a reason that it does not know', () => {
    expect(reasonName('model_not_in_policy')).toBe('Model not allowed')
    expect(reasonName('approval_required')).toBe('Approval required')
    expect(reasonName('found: role_change')).toBe('Role change found')
  })
})

describe('shapes in groups', () => {
  it('are in the order in which people read them, and wordings have no heading', () => {
    expect(groupedShapes(['role_change', 'iban', 'stripe_key', 'uk_postcode', 'date', 'pps_number'])).toEqual([
      ['Patient and person', ['pps_number', 'date']],
      ['Contact and address', ['uk_postcode']],
      ['Money', ['iban']],
      ['Secrets', ['stripe_key']],
      ['', ['role_change']],
    ])
  })
})
