// When the access of an auditor may end.
import { expect, it } from 'vitest'
import { accessEndOf, faultOfAccessEnd, isAccessOver, ROLES } from '../../../../src/accounts/access/roles.policy.ts'

const DAY_MS = 86_400_000
const NOW = Date.UTC(2026, 10, 26)

it.each([
  ['at this moment', NOW, 'past'],
  ['one millisecond from now', NOW + 1, null],
  ['366 days from now', NOW + 366 * DAY_MS, null],
  ['a millisecond later than that', NOW + 366 * DAY_MS + 1, 'too_far'],
] as const)('%s', (_, endsAt, fault) => {
  expect(faultOfAccessEnd('auditor', endsAt, NOW)).toBe(fault)
})

it('is for no other role', () => {
  const others = ROLES.filter((role) => role !== 'auditor')
  expect(others.map((role) => faultOfAccessEnd(role, NOW + 1, NOW))).toEqual(others.map(() => 'other_role'))
  expect(others.map((role) => accessEndOf(role, NOW + 1, NOW))).toEqual(others.map(() => null))
})

it('is after 90 days unless somebody chose it', () => {
  expect(accessEndOf('auditor', null, NOW)).toBe(NOW + 90 * DAY_MS)
  expect(accessEndOf('auditor', NOW + 1, NOW)).toBe(NOW + 1)
})

it('has come at that moment and not before', () => {
  expect([NOW - 1, NOW].map((now) => isAccessOver(NOW, now))).toEqual([false, true])
})
