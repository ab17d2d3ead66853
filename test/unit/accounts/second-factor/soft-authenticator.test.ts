// The authenticator of other tests: it is accepted, and each of its lies is refused for that lie.
import { expect, it } from 'vitest'
import { verifyAssertion, verifyRegistration } from '../../../../src/accounts/second-factor/webauthn.ts'
import { encodeBase64url } from '../../../../src/evidence/records/base64.ts'
import { createAuthenticator, type Lies } from '../../../support/soft-authenticator.ts'

const EXPECTED = { origin: 'https://here.example', rpId: 'here.example', challenge: new Uint8Array(32) }
const OPTIONS = {
  challenge: encodeBase64url(EXPECTED.challenge),
  rpId: EXPECTED.rpId,
  rp: { id: EXPECTED.rpId },
  user: { id: 'dXNlcg' },
}

async function registered() {
  const authenticator = createAuthenticator()
  const verified = await verifyRegistration(authenticator.register(OPTIONS, EXPECTED.origin), EXPECTED)
  return { authenticator, stored: verified.outcome === 'verified' ? verified.credential : expect.fail(verified.reason) }
}

it('registers, and signs in with a counter that rises', async () => {
  const { authenticator, stored } = await registered()
  for (const counter of [1, 2]) {
    const response = authenticator.assert(OPTIONS, EXPECTED.origin)
    expect(response.response.userHandle).toBe(OPTIONS.user.id)
    expect(await verifyAssertion(response, EXPECTED, stored)).toEqual({
      outcome: 'verified',
      counter,
      isBackedUp: false,
    })
  }
})

it.each<[string, Lies]>([
  ['challenge', { challenge: 'AA' }],
  ['rp_id', { rpId: 'elsewhere.example' }],
  ['user_verification', { isUserVerified: false }],
])('lies about the %s', async (reason, lies) => {
  const { authenticator, stored } = await registered()
  const refused = { outcome: 'refused', reason }
  expect(await verifyAssertion(authenticator.assert(OPTIONS, EXPECTED.origin, lies), EXPECTED, stored)).toEqual(refused)
  expect(await verifyRegistration(createAuthenticator().register(OPTIONS, EXPECTED.origin, lies), EXPECTED)).toEqual(
    refused,
  )
})

it('lies about the origin, the counter, the key and the user', async () => {
  const { authenticator, stored } = await registered()
  const reasonOf = async (response: ReturnType<typeof authenticator.assert>) => {
    const verdict = await verifyAssertion(response, EXPECTED, { ...stored, counter: 5 })
    return verdict.outcome === 'refused' ? verdict.reason : null
  }
  expect(await reasonOf(authenticator.assert(OPTIONS, 'https://here.example:8443'))).toBe('origin')
  expect(await reasonOf(authenticator.assert(OPTIONS, EXPECTED.origin, { counter: 5 }))).toBe('counter')
  expect(await reasonOf(createAuthenticator().assert(OPTIONS, EXPECTED.origin))).toBe('signature')
  const nobody = authenticator.assert(OPTIONS, EXPECTED.origin, { userHandle: null })
  expect(nobody.response.userHandle).toBeNull()
  expect(await reasonOf(nobody)).toBeNull()
})
