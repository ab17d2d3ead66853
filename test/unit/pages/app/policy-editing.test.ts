import { describe, expect, it } from 'vitest'
import { editingOf, wordsOfPath } from '../../../../src/pages/app/policies/policy-draft.ts'

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
