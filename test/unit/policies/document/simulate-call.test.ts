// Tests what a call of the past would have met: what its facts tell, and where they do not suffice.
import { describe, expect, it } from 'vitest'
import type { PolicyDocument } from '../../../../src/policies/document/policy-document.ts'
import {
  areAnswersUnknown,
  rulesNotSimulated,
  simulateCall,
  type DecidedCall,
} from '../../../../src/policies/document/simulate-call.ts'
import { PLAIN_TEXT } from '../../../fixtures/plain-text.ts'

const decided = (more: Partial<DecidedCall> = {}, facts: Partial<DecidedCall['facts']> = {}): DecidedCall => ({
  facts: {
    keyId: 'key_1',
    model: 'sonar',
    useCase: null,
    content: PLAIN_TEXT,
    findings: {},
    regions: ['any'],
    regionLimit: 'any',
    ...facts,
  },
  reserveMicroeur: 500,
  scannedBy: null,
  ...more,
})

const PASSES = { result: 'passes', policy: null, reason: null }
const unknown = (policy: string, reason: string) => ({ result: 'not_evaluated', policy, reason })

describe('a call', () => {
  it('passes or is blocked by its facts, as it would be when it is decided', () => {
    expect(simulateCall({}, decided())).toEqual(PASSES)
    expect(simulateCall({ model_allowlist: { models: ['sonar'] } }, decided())).toEqual(PASSES)
    expect(simulateCall({ use_case_guard: { required: true } }, decided())).toEqual({
      result: 'blocks',
      policy: 'use_case_guard',
      reason: 'use_case_required',
    })
  })

  it('needs approval where it is one of the cases, by what it could cost then too, and nothing blocks it', () => {
    const ask = (min_cost_eur: number): PolicyDocument => ({
      human_approval: { when: [{ models: ['sonar'], min_cost_eur }], expires_seconds: 300, approvals_required: 1 },
    })
    const needsApproval = { result: 'needs_approval', policy: 'human_approval', reason: 'approval_required' }
    expect(simulateCall(ask(0.0005), decided())).toEqual(needsApproval)
    expect(simulateCall(ask(0.000501), decided())).toEqual(PASSES)
    expect(simulateCall({ ...ask(0), model_allowlist: { models: [] } }, decided())).toMatchObject({ result: 'blocks' })
  })

  it('is not evaluated where text would have to be looked through that was not, unless another rule blocks it', () => {
    const document: PolicyDocument = { pii_scan: { default: 'block' } }
    expect(simulateCall(document, decided())).toEqual(unknown('pii_scan', 'text_not_kept'))
    expect(simulateCall({ ...document, model_allowlist: { models: [] } }, decided())).toMatchObject({
      result: 'blocks',
    })
    expect(simulateCall({ pii_scan: { default: 'redact' } }, decided())).toEqual(PASSES)
  })

  it('that was looked through is told by what was found then, and by what was not looked for', () => {
    const scannedBy: PolicyDocument = { pii_scan: { default: 'report', shapes: { date: 'ignore' } } }
    const found = { findings: { pii_scan: { iban: 1 } } }
    const blockIban: PolicyDocument = { pii_scan: { default: 'report', shapes: { iban: 'block' } } }
    expect(simulateCall(blockIban, decided({ scannedBy }, found))).toMatchObject({
      result: 'blocks',
      reason: 'found: iban',
    })
    expect(simulateCall(blockIban, decided({ scannedBy }))).toEqual(PASSES)
    expect(simulateCall({ pii_scan: { default: 'block' } }, decided({ scannedBy }))).toEqual(
      unknown('pii_scan', 'text_not_kept'),
    )
    const butDates: PolicyDocument = { pii_scan: { default: 'block', shapes: { date: 'redact' } } }
    expect(simulateCall(butDates, decided({ scannedBy }))).toEqual(PASSES)
  })

  it('is told by the injection rules that it met then, where the same messages were read', () => {
    const scannedBy: PolicyDocument = { prompt_injection_guard: { action: 'report', rules: { hidden_text: 'ignore' } } }
    const blockForgery: PolicyDocument = {
      prompt_injection_guard: { action: 'report', rules: { role_forgery: 'block' } },
    }
    const found = { findings: { prompt_injection_guard: ['role_forgery'] } }
    const textNotKept = unknown('prompt_injection_guard', 'text_not_kept')
    expect(simulateCall(blockForgery, decided({ scannedBy }, found))).toMatchObject({ reason: 'found: role_forgery' })
    expect(simulateCall(blockForgery, decided({ scannedBy }))).toEqual(PASSES)
    expect(simulateCall(blockForgery, decided())).toEqual(textNotKept)
    expect(simulateCall({ prompt_injection_guard: { action: 'block' } }, decided({ scannedBy }))).toEqual(textNotKept)
    const ofSystem: PolicyDocument = { prompt_injection_guard: { action: 'block', roles: ['system'] } }
    expect(simulateCall(ofSystem, decided({ scannedBy: { prompt_injection_guard: { action: 'report' } } }))).toEqual(
      textNotKept,
    )
  })
})

it('leaves out the rules that look at more than one call', () => {
  expect(rulesNotSimulated({ rate_limit: {}, use_case_guard: {}, budget_guard: {} })).toEqual([
    'budget_guard',
    'rate_limit',
  ])
})

it.each<[answers: NonNullable<PolicyDocument['pii_scan']>['answers'], isUnknown: boolean]>([
  [undefined, false],
  [{ default: 'report', shapes: { date: 'ignore' } }, false],
  [{ default: 'report', shapes: { iban: 'redact' } }, true],
  [{ default: 'block' }, true],
])('what answers held matters to a policy with answers %j: %s', (answers, isUnknown) => {
  expect(areAnswersUnknown({ pii_scan: { default: 'block', answers } })).toBe(isUnknown)
})
