// Tests the changes between two documents: exactly what turns one into the other.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findPolicyChanges, type PolicyChange } from '../../../../src/policies/document/policy-changes.ts'
import { runs } from '../../../support/runs.ts'

describe('the changes from one document to another', () => {
  it('are the members that came, went and have another value', () => {
    const before = { use_case_guard: { required: true, allow: ['a', 'b'] }, budget_guard: { day_eur: 1, month_eur: 5 } }
    const after = {
      use_case_guard: { required: true, allow: ['b', 'a'] },
      budget_guard: { day_eur: 2 },
      loop_guard: {},
    }
    expect(findPolicyChanges(before, after)).toEqual([
      { path: '/budget_guard/day_eur', change: 'changed', before: 1, after: 2 },
      { path: '/budget_guard/month_eur', change: 'removed', before: 5, after: null },
      { path: '/loop_guard', change: 'added', before: null, after: {} },
      { path: '/use_case_guard/allow', change: 'changed', before: ['a', 'b'], after: ['b', 'a'] },
    ])
  })

  it('have paths in which a name is told from a step, and know a member named constructor', () => {
    expect(findPolicyChanges({}, { keys: { 'a/b~c': 1 } })).toEqual([
      { path: '/keys', change: 'added', before: null, after: { 'a/b~c': 1 } },
    ])
    expect(findPolicyChanges({ keys: {} }, { keys: { 'a/b~c': 1, constructor: 2 } }).map(({ path }) => path)).toEqual([
      '/keys/a~1b~0c',
      '/keys/constructor',
    ])
  })

  it('make the second out of the first, and are none where both are the same', () => {
    const name = fc.constantFrom('a', 'b', 'c')
    const { document } = fc.letrec((tie) => ({
      value: fc.oneof({ depthSize: 'small' }, fc.integer(), fc.array(fc.integer(), { maxLength: 2 }), tie('document')),
      document: fc.dictionary(name, tie('value'), { maxKeys: 3, noNullPrototype: true }),
    }))
    fc.assert(
      fc.property(document, document, (before, after) => {
        const changes = findPolicyChanges(before, after)
        expect(changes.reduce(applyChange, before)).toEqual(after)
        expect(findPolicyChanges(after, after)).toEqual([])
      }),
      { numRuns: runs(300) },
    )
  })
})

function applyChange(document: unknown, { path, change, after }: PolicyChange): unknown {
  const [name = '', ...rest] = path.slice(1).split('/')
  const members = { ...(document as Record<string, unknown>) }
  if (rest.length > 0)
    return {
      ...members,
      [name]: applyChange(members[name], { path: `/${rest.join('/')}`, change, before: null, after }),
    }
  const { [name]: _, ...others } = members
  return change === 'removed' ? others : { ...others, [name]: after }
}
