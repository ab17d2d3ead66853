// Each rule: what it lets pass, what it refuses, and its boundary.
import { describe, expect, it } from 'vitest'
import { budgetsOf } from '../../../../src/policies/rules/budget-guard.rule.ts'
import { loopSettingsOf } from '../../../../src/policies/rules/loop-guard.rule.ts'
import { rateLimitOfKey } from '../../../../src/policies/rules/rate-limit.rule.ts'
import {
  findPolicyRefusal,
  findUnknownModel,
  NO_POLICY,
  PolicyDocumentSchema,
  rulesApplied,
  versionPolicy,
  type PolicyDocument,
} from '../../../../src/policies/document/policy-document.ts'
import {
  refuseInjection,
  type PromptInjectionGuard,
} from '../../../../src/policies/rules/prompt-injection-guard.rule.ts'
import type { RuleFacts } from '../../../../src/policies/facts.ts'
import { DEFAULT_SETTINGS } from '../../../../src/policies/organisation-settings.ts'
import { PLAIN_TEXT } from '../../../fixtures/plain-text.ts'

const KEY = 'key_0198f3a0-5b7e-7c41-9d1e-2f6a8c0b4d11'

const facts = (more: Partial<RuleFacts> = {}): RuleFacts => ({
  keyId: KEY,
  model: 'gpt-4.1-mini',
  useCase: null,
  content: PLAIN_TEXT,
  findings: {},
  regions: ['any'],
  regionLimit: 'any',
  ...more,
})

const refuse = (document: PolicyDocument, more: Partial<RuleFacts> = {}) => findPolicyRefusal(document, facts(more))

it('the five rules about the request alone are applied, and named, in one order', () => {
  const all: PolicyDocument = {
    prompt_injection_guard: { action: 'block' },
    pii_scan: { default: 'block' },
    use_case_guard: { required: true },
    content_type_guard: { allow: [] },
    model_allowlist: { models: [] },
  }
  const order = ['model_allowlist', 'content_type_guard', 'use_case_guard', 'pii_scan', 'prompt_injection_guard']
  expect(rulesApplied(all)).toEqual(order)
})

describe('no policy', () => {
  it('refuses nothing and applies nothing', () => {
    expect(refuse(NO_POLICY.document)).toBeNull()
    expect(rulesApplied(NO_POLICY.document)).toEqual([])
  })
})

describe('model_allowlist', () => {
  const policy = 'model_allowlist'

  it('lets its models pass and no other; an empty list lets none', () => {
    expect(refuse({ model_allowlist: { models: ['gpt-4.1-mini'] } })).toBeNull()
    expect(refuse({ model_allowlist: { models: ['sonar'] } })).toEqual({ policy, reason: 'model_not_in_policy' })
    expect(refuse({ model_allowlist: { models: [] } })).toEqual({ policy, reason: 'model_not_in_policy' })
    expect(refuse({ model_allowlist: {} })).toBeNull()
  })

  it('narrows by use case, where it is declared', () => {
    const document = { model_allowlist: { by_use_case: { triage: ['sonar'] } } }
    expect(refuse(document, { useCase: 'triage' })).toEqual({ policy, reason: 'model_not_for_use_case' })
    expect(refuse(document, { useCase: 'triage', model: 'sonar' })).toBeNull()
    expect(refuse(document, { useCase: 'letters' })).toBeNull()
    expect(refuse(document)).toBeNull()
  })

  it('narrows by key, and every list that applies must have the model', () => {
    const document = { model_allowlist: { models: ['gpt-4.1-mini', 'sonar'], by_key: { [KEY]: ['sonar'] } } }
    expect(refuse(document)).toEqual({ policy, reason: 'model_not_for_key' })
    expect(refuse(document, { model: 'sonar' })).toBeNull()
    expect(refuse(document, { keyId: `${KEY.slice(0, -1)}2` })).toBeNull()
  })

  it('knows no use case by the name of a member that every object has', () => {
    const document = PolicyDocumentSchema().parse({ model_allowlist: { by_use_case: { triage: [] } } })
    expect(refuse(document, { useCase: 'constructor' })).toBeNull()
  })

  it('names a model that the catalogue does not have', () => {
    expect(findUnknownModel({ model_allowlist: { models: ['gpt-4.1-mini'] } })).toBeNull()
    expect(findUnknownModel({ model_allowlist: { by_use_case: { triage: ['invented'] } } })).toEqual({
      path: 'model_allowlist.by_use_case.triage',
      model: 'invented',
    })
  })
})

describe('content_type_guard', () => {
  const policy = 'content_type_guard'

  it.each([
    ['text_not_allowed', PLAIN_TEXT],
    ['image_not_allowed', { ...PLAIN_TEXT, texts: 0, images: 1 }],
    ['file_not_allowed', { ...PLAIN_TEXT, texts: 0, files: 1 }],
    ['tools_not_allowed', { ...PLAIN_TEXT, texts: 0, tools: 1 }],
  ])('refuses a kind that it does not name: %s', (reason, content) => {
    expect(refuse({ content_type_guard: { allow: [] } }, { content })).toEqual({ policy, reason })
  })

  it('lets the kinds pass that it names', () => {
    const document: PolicyDocument = { content_type_guard: { allow: ['text', 'tools'] } }
    expect(refuse(document, { content: { ...PLAIN_TEXT, tools: 3 } })).toBeNull()
    expect(refuse(document, { content: { ...PLAIN_TEXT, images: 1 } })).toEqual({ policy, reason: 'image_not_allowed' })
  })

  it.each([
    ['max_body_bytes', { bytes: 10 }, { bytes: 11 }],
    ['max_text_characters', { characters: 10 }, { characters: 11 }],
    ['max_images', { images: 10 }, { images: 11 }],
    ['max_files', { files: 10 }, { files: 11 }],
    ['max_tools', { tools: 10 }, { tools: 11 }],
  ])('holds %s to the last one', (member, at, over) => {
    const document = { content_type_guard: { [member]: 10 } }
    expect(refuse(document, { content: { ...PLAIN_TEXT, ...at } })).toBeNull()
    expect(refuse(document, { content: { ...PLAIN_TEXT, ...over } })).toEqual({ policy, reason: member })
  })
})

describe('use_case_guard', () => {
  const policy = 'use_case_guard'

  it('asks for a use case where it is required', () => {
    expect(refuse({ use_case_guard: { required: true } })).toEqual({ policy, reason: 'use_case_required' })
    expect(refuse({ use_case_guard: { required: true } }, { useCase: 'triage' })).toBeNull()
    expect(refuse({ use_case_guard: { required: false, allow: [] } })).toBeNull()
  })

  it('refuses what it does not name', () => {
    const document = { use_case_guard: { allow: ['triage'] } }
    expect(refuse(document, { useCase: 'triage' })).toBeNull()
    expect(refuse(document, { useCase: 'letters' })).toEqual({ policy, reason: 'use_case_not_allowed' })
  })
})

describe('several rules', () => {
  it('are applied in their order, and the first that refuses is named', () => {
    const document: PolicyDocument = {
      use_case_guard: { required: true },
      content_type_guard: { allow: [] },
      model_allowlist: { models: [] },
    }
    expect(rulesApplied(document)).toEqual(['model_allowlist', 'content_type_guard', 'use_case_guard'])
    expect(refuse(document)?.policy).toBe('model_allowlist')
    expect(refuse({ ...document, model_allowlist: {} })?.policy).toBe('content_type_guard')
  })
})

describe('prompt_injection_guard', () => {
  const found = { prompt_injection_guard: ['hidden_text', 'role_forgery'] }
  const refuseFound = (guard: PromptInjectionGuard) => refuseInjection(guard, { findings: found })

  it('refuses what it is to block, by the names of the rules in their order, and reports the rest', () => {
    expect(refuseFound({ action: 'block' })).toBe('found: role_forgery, hidden_text')
    expect(refuseFound({ action: 'report' })).toBeNull()
    expect(refuseFound({ action: 'report', rules: { hidden_text: 'block' } })).toBe('found: hidden_text')
    expect(refuseFound({ action: 'block', rules: { hidden_text: 'report', role_forgery: 'ignore' } })).toBeNull()
    expect(refuseInjection({ action: 'block' }, { findings: {} })).toBeNull()
  })

  it('takes its own rules and the roles of messages alone', () => {
    const isTaken = (guard: object) => PolicyDocumentSchema().safeParse({ prompt_injection_guard: guard }).success
    expect(isTaken({ action: 'report', rules: { hidden_text: 'ignore' }, roles: ['system'] })).toBe(true)
    expect(isTaken({ action: 'ignore' })).toBe(false)
    expect(isTaken({ action: 'block', rules: { invented: 'block' } })).toBe(false)
    expect(isTaken({ action: 'block', roles: [] })).toBe(false)
  })
})

describe('limits', () => {
  it('of rates are the lowest of those that a key has', () => {
    const rule = { key_requests_per_minute: 10, keys: { [KEY]: { requests_per_minute: 4, requests_per_day: 7 } } }
    expect(rateLimitOfKey(rule, KEY)).toEqual({ perMinute: 4, perDay: 7 })
    expect(rateLimitOfKey(rule, 'key_other')).toEqual({ perMinute: 10, perDay: Infinity })
    expect(rateLimitOfKey(undefined, KEY)).toEqual({ perMinute: Infinity, perDay: Infinity })
  })

  it('of spending are whole micro-euro, of each period and of the key', () => {
    const rule = {
      month_eur: 2,
      day_eur: 0.1,
      key_day_eur: 0.05,
      keys: { [KEY]: { day_eur: 0.000_001, month_eur: 1 } },
    }
    expect(budgetsOf(rule, { monthlyBudgetMicroeur: 1_500_000 }, KEY)).toEqual([
      { period: 'month', of: 'organisation', microeur: 1_500_000 },
      { period: 'day', of: 'organisation', microeur: 100_000 },
      { period: 'month', of: 'key', microeur: 1_000_000 },
      { period: 'day', of: 'key', microeur: 1 },
    ])
    expect(budgetsOf(undefined, { monthlyBudgetMicroeur: null }, KEY)).toEqual([])
  })

  it('of loops take the place of the settings’ one by one', () => {
    expect(loopSettingsOf({ repeats: 3 }, DEFAULT_SETTINGS)).toMatchObject({ loopRepeats: 3, loopCycleRounds: 5 })
    expect(loopSettingsOf(undefined, DEFAULT_SETTINGS)).toMatchObject({ loopRepeats: 5, loopWindowSeconds: 60 })
  })
})

describe('the document', () => {
  it.each([
    { invented_rule: {} },
    { use_case_guard: { allow: ['UPPER'] } },
    { budget_guard: { day_eur: 0.0000001 } },
    { budget_guard: { day_eur: -1 } },
    { model_allowlist: { by_key: { constructor: [] } } },
    { rate_limit: { requests_per_minute: 1.5 } },
    { loop_guard: { repeats: 1 } },
    { content_type_guard: { allow: ['video'] } },
    { model_allowlist: { by_use_case: Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`u${n}`, []])) } },
  ])('is refused where it says what no rule has: %j', (document) => {
    expect(PolicyDocumentSchema().safeParse(document).success).toBe(false)
  })

  it('is the same whatever order its members came in', () => {
    const one = versionPolicy(1, { use_case_guard: { required: true }, model_allowlist: { models: [] } })
    const other = versionPolicy(2, { model_allowlist: { models: [] }, use_case_guard: { required: true } })
    expect(one.sha256).toBe(other.sha256)
    expect(one.sha256).not.toBe(NO_POLICY.sha256)
  })
})
