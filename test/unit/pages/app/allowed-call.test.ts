// The call that a key's page offers is one that the policy in force allows the key.
import { describe, expect, it } from 'vitest'
import { findAllowedCall } from '../../../../src/pages/app/keys/allowed-call.ts'
import type { PolicyDocument } from '../../../../src/policies/document/policy-document.ts'

const KEY = { id: 'key_0198f3a0-5b7e-7c41-9d1e-2f6a8c0b4d11', name: 'Ward summaries' }
const OTHER = 'key_0198f3a0-5b7e-7c41-9d1e-2f6a8c0b4d12'
const MODELS = ['small', 'large']

const callUnder = (document: PolicyDocument) => findAllowedCall(document, MODELS, KEY)

describe('the call that a key may make', () => {
  it.each<[string, PolicyDocument, object | null]>([
    ['any model where there is no policy', {}, { model: 'small', useCase: null, isHeld: false }],
    ['a model of every list', { model_allowlist: { models: ['large'] } }, { model: 'large' }],
    ['a model of the list of the key', { model_allowlist: { by_key: { [KEY.id]: ['large'] } } }, { model: 'large' }],
    ['nothing by the list of another key', { model_allowlist: { by_key: { [OTHER]: [] } } }, { model: 'small' }],
    ['none where lists leave none', { model_allowlist: { models: ['large'], by_key: { [KEY.id]: ['small'] } } }, null],
    ['a use case where one is required', { use_case_guard: { required: true, allow: ['a', 'b'] } }, { useCase: 'a' }],
    [
      'the use case that is called like the key first',
      { use_case_guard: { required: true, allow: ['a', 'ward-summaries'] } },
      { useCase: 'ward-summaries' },
    ],
    [
      'a use case whose list leaves a model',
      {
        use_case_guard: { required: true, allow: ['a', 'b'] },
        model_allowlist: { by_use_case: { a: [], b: ['large'] } },
      },
      { model: 'large', useCase: 'b' },
    ],
    [
      'one that runs at once before one that waits',
      { human_approval: { when: [{ models: ['small'] }], expires_seconds: 300, approvals_required: 1 } },
      { model: 'large', isHeld: false },
    ],
    [
      'one that waits where all wait, and says so',
      { human_approval: { when: [{ keys: [KEY.id] }], expires_seconds: 300, approvals_required: 1 } },
      { model: 'small', isHeld: true },
    ],
    ['none where no use case may be declared', { use_case_guard: { required: true, allow: [] } }, null],
  ])('is %s', (_, document, expected) => {
    if (expected === null) expect(callUnder(document)).toBeNull()
    else expect(callUnder(document)).toMatchObject(expected)
  })
})
