// Which requests a person must approve.
import { describe, expect, it } from 'vitest'
import { HumanApprovalSchema, needsApproval } from '../../../../src/policies/rules/human-approval.rule.ts'
import { PLAIN_TEXT } from '../../../fixtures/plain-text.ts'

const [KEY_A, KEY_B] = ['a', 'b'].map((digit) => `key_${digit.repeat(36)}`) as [string, string]

const asked = {
  keyId: KEY_A,
  model: 'invented-model',
  useCase: 'letters',
  content: { ...PLAIN_TEXT, images: 1 },
  reserveMicroeur: 250_000,
}

const policy = (...when: object[]) => HumanApprovalSchema().parse({ when })

describe('a request that a person must approve', () => {
  it.each([
    [{}, true],
    [{ use_cases: ['letters', 'notes'] }, true],
    [{ use_cases: ['notes'] }, false],
    [{ models: ['invented-model'] }, true],
    [{ models: ['another'] }, false],
    [{ keys: [KEY_A] }, true],
    [{ keys: [KEY_B] }, false],
    [{ content_kinds: ['image', 'file'] }, true],
    [{ content_kinds: ['tools'] }, false],
    [{ min_cost_eur: 0.25 }, true],
    [{ min_cost_eur: 0.250001 }, false],
    [{ models: ['invented-model'], use_cases: ['letters'] }, true],
    [{ models: ['invented-model'], use_cases: ['notes'] }, false],
  ])('is one that all members of a case fit: %j is %s', (one, needed) => {
    expect(needsApproval(policy(one), asked)).toBe(needed)
  })

  it('is one that any case fits', () => {
    expect(needsApproval(policy({ models: ['another'] }, { keys: [KEY_A] }), asked)).toBe(true)
  })

  it('is one for the replacement of a model that the policy names and that is gone', () => {
    const gone = policy({ models: ['gemini-3.7-flash'] })
    expect(needsApproval(gone, { ...asked, model: 'gemini-3.8-flash' })).toBe(true)
    expect(needsApproval(gone, { ...asked, model: 'gemini-3.5-flash-lite' })).toBe(false)
  })

  it('is in no use case where it declares none', () => {
    expect(needsApproval(policy({ use_cases: ['letters'] }), { ...asked, useCase: null })).toBe(false)
  })
})

describe('the section', () => {
  it('waits a day for one person where it says nothing else', () => {
    expect(policy({})).toEqual({ when: [{}], expires_seconds: 86_400, approvals_required: 1 })
  })

  it.each([
    [{ when: [] }],
    [{}],
    [{ when: [{ use_case: 'letters' }] }],
    [{ when: [{ use_cases: [] }] }],
    [{ when: [{}], expires_seconds: 299 }],
    [{ when: [{}], expires_seconds: 604_801 }],
    [{ when: [{}], approvals_required: 3 }],
    [{ when: [{}], approvals_required: 0 }],
    [{ when: [{ min_cost_eur: -1 }] }],
  ])('refuses %j', (section) => {
    expect(HumanApprovalSchema().safeParse(section).success).toBe(false)
  })
})
