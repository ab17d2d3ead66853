// What an organisation's requirement of a second factor becomes by a change.
import { describe, expect, it } from 'vitest'
import {
  changedRequirement,
  isInForce,
  isWeaker,
  type Requirement,
} from '../../../src/policies/second-factor.policy.ts'
import { DAY_MS } from '../../../src/platform/time.ts'

const NOW = Date.UTC(2026, 10, 30)
const inDays = (days: number): string => new Date(NOW + days * DAY_MS).toISOString()
const required = (secondFactor: Requirement['secondFactor'], days: number | null = null): Requirement => ({
  secondFactor,
  secondFactorFrom: days === null ? null : inDays(days),
})
const OFF = required('off')

it.each([
  ['is turned on in seven days', OFF, { secondFactor: 'any' }, required('any', 7)],
  ['is turned on when it is said', OFF, { secondFactor: 'any', secondFactorFrom: inDays(30) }, required('any', 30)],
  ['begins in 30 days at the latest', OFF, { secondFactor: 'any', secondFactorFrom: inDays(31) }, null],
  ['begins now for a time in the past', OFF, { secondFactor: 'any', secondFactorFrom: inDays(-9) }, required('any', 0)],
  ['has no date while it is off', OFF, { secondFactorFrom: inDays(3) }, OFF],
  ['ends with its date', required('any', -1), { secondFactor: 'off' }, OFF],
  [
    'keeps its date with a stricter rule',
    required('any', -1),
    { secondFactor: 'phishing_resistant' },
    required('phishing_resistant', -1),
  ],
  ['goes on from when it began', required('any', -1), { secondFactorFrom: inDays(-9) }, required('any', -1)],
  ['can begin sooner', required('any', 5), { secondFactorFrom: inDays(1) }, required('any', 1)],
] as const)('%s', (_, before, change, after) => {
  expect(changedRequirement(before, change, NOW)).toEqual(after)
})

describe('a change', () => {
  it.each([
    ['ends it', required('any', -1), OFF, true],
    ['takes apps too', required('phishing_resistant', 1), required('any', 1), true],
    ['postpones it', required('any', 1), required('any', 2), true],
    ['turns it on', OFF, required('any', 7), false],
    ['hastens it', required('any', 2), required('any', 1), false],
  ])('that %s is weaker: %#', (_, before, after, weaker) => expect(isWeaker(before, after)).toBe(weaker))
})

it('is in force from its time on', () => {
  expect([1, 0].map((days) => isInForce(required('any', days), NOW))).toEqual([false, true])
  expect([isInForce(OFF, NOW), isInForce(required('any'), NOW)]).toEqual([false, true])
})
