// How long a session's proof counts, and for what.
import { expect, it } from 'vitest'
import {
  isProved,
  isRequirementMet,
  strengthOf,
  type Proof,
  type SecondFactor,
} from '../../../../src/accounts/access/session-proof.policy.ts'

const MINUTE = 60_000
const NOW = Date.UTC(2026, 10, 20)
const begun = { createdAt: NOW, secondFactor: null, secondFactorAt: null, provedAt: null, factorSince: null }
const by = (secondFactor: SecondFactor | null, at = NOW) => ({
  ...begun,
  factorSince: NOW - 99 * MINUTE,
  secondFactor,
  secondFactorAt: at,
  provedAt: NOW,
})

const proofs: Proof[] = ['fresh', 'full', 'set_up']
const provedAt = (session: Parameters<typeof isProved>[0], now: number) =>
  proofs.filter((proof) => isProved(session, proof, now))

it.each([
  ['a sign-in of who has no factor', begun, NOW + 15 * MINUTE - 1, proofs],
  ['one of 15 minutes ago', begun, NOW + 15 * MINUTE, []],
  ['one that has not happened yet', begun, NOW - 1, []],
  [
    'a sign-in of 20 minutes ago, confirmed since',
    { ...begun, provedAt: NOW + 10 * MINUTE },
    NOW + 20 * MINUTE,
    proofs,
  ],
  ['a sign-in by an app', by('totp'), NOW, proofs],
  ['one of 20 minutes ago, confirmed by a code alone', by('totp', NOW + 20 * MINUTE), NOW + 20 * MINUTE, ['fresh']],
  ['a sign-in by a recovery code', by('recovery_code'), NOW, ['set_up']],
  ['a session without a factor of who has one since', by(null), NOW, []],
])('%s proves what it may', (_, session, now, expected) => {
  expect(provedAt(session, now)).toEqual(expected)
})

it.each([
  ['password', null, 'aal1', ['pwd']],
  ['password', 'totp', 'aal2', ['pwd', 'otp', 'mfa']],
  ['password', 'recovery_code', 'aal2', ['pwd', 'mfa']],
  ['password', 'passkey', 'phr', ['pwd', 'pop', 'user', 'mfa']],
  ['passkey', 'passkey', 'phr', ['pop', 'user', 'mfa']],
  ['clinic', null, 'aal1', []],
  ['clinic', 'provider', 'aal2', ['mfa']],
  ['clinic', 'provider', 'phr', ['mfa']],
] as const)('%s and %s are told as %s', (method, secondFactor, acr, amr) => {
  const vouchedAcr = secondFactor === 'provider' ? acr : null
  expect(strengthOf({ method, secondFactor, vouchedAcr })).toEqual({ acr, amr })
})

const DAY = 24 * 60 * MINUTE
const OWN = { method: 'password', vouchedAcr: null, factorSince: NOW }

it.each([
  ['off', null, 0, true],
  ['any', null, 0, false],
  ['any', 'totp', DAY, true],
  ['any', 'totp', DAY + 1, false],
  ['any', 'totp', -1, false],
  ['any', 'recovery_code', 0, true],
  ['phishing_resistant', 'totp', 0, false],
  ['phishing_resistant', 'recovery_code', 0, false],
  ['phishing_resistant', 'passkey', DAY, true],
  ['phishing_resistant', 'passkey', DAY + 1, false],
] as const)('%s and %s, %d ms old, is met: %s', (required, secondFactor, age, isMet) => {
  const session = { ...OWN, secondFactor, secondFactorAt: secondFactor && NOW - age }
  expect(isRequirementMet({ secondFactor: required }, session, NOW)).toBe(isMet)
})

it.each([
  ['any', 'aal2', 0, true],
  ['any', 'aal2', DAY + 1, false],
  ['phishing_resistant', 'aal2', 0, false],
  ['phishing_resistant', 'phr', DAY, true],
  ['phishing_resistant', 'phr', DAY + 1, false],
] as const)('%s and a provider that vouches for %s, %d ms ago, is met: %s', (required, vouchedAcr, age, isMet) => {
  const session = { method: 'clinic', secondFactor: 'provider', secondFactorAt: NOW - age, vouchedAcr } as const
  expect(isRequirementMet({ secondFactor: required }, { ...session, factorSince: null }, NOW)).toBe(isMet)
})
