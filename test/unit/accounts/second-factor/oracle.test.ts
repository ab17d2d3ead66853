// @simplewebauthn/server agrees on what is right, and accepts some responses that this service refuses.
import { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server'
import { expect, it } from 'vitest'
import type { AssertionResponse, RegistrationResponse } from '../../../../src/accounts/second-factor/webauthn.ts'
import browser from '../../../fixtures/second-factor/browser.json'
import software from '../../../fixtures/second-factor/software.json'

type Registration = { challenge: string; response: RegistrationResponse }
type Assertion = { challenge: string; response: AssertionResponse; stored: { publicKey: string; counter: number } }

const EXPECTED = { expectedOrigin: software.origin, expectedRPID: software.rpId, requireUserVerification: true }

const sentOf = <R extends { rawId: string }>(response: R) => ({
  ...response,
  id: response.rawId,
  type: 'public-key' as const,
  clientExtensionResults: {},
})

const isVerified = (verifying: Promise<{ verified: boolean }>): Promise<boolean> =>
  verifying.then(
    ({ verified }) => verified,
    () => false,
  )

const registers = ({ challenge, response }: Registration): Promise<boolean> =>
  isVerified(verifyRegistrationResponse({ ...EXPECTED, expectedChallenge: challenge, response: sentOf(response) }))

function signsIn({ challenge, response, stored }: Assertion): Promise<boolean> {
  const publicKey = Uint8Array.fromBase64(stored.publicKey, { alphabet: 'base64url' })
  const credential = { id: response.rawId, counter: stored.counter, publicKey }
  return isVerified(
    verifyAuthenticationResponse({ ...EXPECTED, expectedChallenge: challenge, credential, response: sentOf(response) }),
  )
}

it.each(browser.passkeys)('accepts a $name', async ({ registration, assertions }) => {
  expect(await registers(registration)).toBe(true)
  for (const assertion of assertions)
    expect(await signsIn({ ...assertion, stored: registration.credential })).toBe(true)
})

/** The names of those that the two judge differently. */
async function judgedOtherwise<V extends { name: string; reason: string | null }>(
  vectors: readonly V[],
  isAccepted: (vector: V) => Promise<boolean>,
): Promise<string[]> {
  const accepted = await Promise.all(vectors.map(isAccepted))
  return vectors.filter(({ reason }, at) => (reason === null) !== accepted[at]).map(({ name }) => name)
}

it('accepts more of a software authenticator, and refuses no more', async () => {
  expect(await judgedOtherwise(software.registrations, registers)).toEqual([
    'cross origin',
    'top origin',
    'bytes after the object',
    'id inside differs',
    'key without a member',
    'point off the curve',
    'RSA of 1024 bits',
    'credential id of 15 bytes',
  ])
  expect(await judgedOtherwise(software.assertions, signsIn)).toEqual(['cross origin', 'backup eligibility changed'])
})
