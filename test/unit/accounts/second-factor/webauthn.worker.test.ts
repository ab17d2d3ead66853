// Passkeys, in the runtime whose cryptography verifies them: responses of Chromium's virtual authenticator, those of a software
// authenticator that lies, and right ones of which something was changed.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  ALGORITHMS,
  type AssertionResponse,
  type PasskeyAlgorithm,
  type RegistrationResponse,
  verifyAssertion,
  verifyRegistration,
} from '../../../../src/accounts/second-factor/webauthn.ts'
import { decodeBase64url, encodeBase64url } from '../../../../src/evidence/records/base64.ts'
import browser from '../../../fixtures/second-factor/browser.json'
import software from '../../../fixtures/second-factor/software.json'
import { runs } from '../../../support/runs.ts'
import { createAuthenticator } from '../../../support/soft-authenticator.ts'

const bytesOf = (text: string) => decodeBase64url(text) ?? expect.fail('not base64url')

const outcomeOf = (reason: string | null) =>
  reason === null ? { outcome: 'verified' } : { outcome: 'refused', reason }

type Registration = { challenge: string; response: RegistrationResponse }
type Assertion = {
  challenge: string
  response: AssertionResponse
  stored: { publicKey: string; counter: number; isBackupEligible: boolean }
}

const register = ({ challenge, response }: Registration) =>
  verifyRegistration(response, { ...software, challenge: bytesOf(challenge) })

const signIn = ({ challenge, response, stored }: Assertion) =>
  verifyAssertion(
    response,
    { ...software, challenge: bytesOf(challenge) },
    { ...stored, publicKey: bytesOf(stored.publicKey) },
  )

const rightOf = <V extends { name: string }>(vectors: readonly V[], algorithm: PasskeyAlgorithm): V =>
  vectors.find(({ name }) => name === `right, algorithm ${algorithm}`) ?? expect.fail('no such vector')

const RIGHT = rightOf(software.registrations, -7)
const ES256 = rightOf(software.assertions, -7)
const ED25519 = rightOf(software.assertions, -8)
const RS256 = rightOf(software.assertions, -257)

const withResponse = <S extends { response: object }, C extends Partial<S['response']>>(sent: S, changes: C) => ({
  ...sent,
  response: { ...sent.response, ...changes },
})

it.each(browser.passkeys)('a $name is registered and signs in', async ({ registration, assertions }) => {
  const { credential } = registration
  const stored = { ...credential, publicKey: bytesOf(credential.publicKey) }
  expect(await register(registration)).toEqual({
    outcome: 'verified',
    credential: { ...stored, id: bytesOf(credential.id), aaguid: Uint8Array.fromHex(credential.aaguid) },
  })
  for (const { challenge, response, counter, isBackedUp } of assertions) {
    const verified = await signIn({ challenge, response, stored: credential })
    expect(verified).toEqual({ outcome: 'verified', counter, isBackedUp })
  }
})

describe('of a software authenticator', () => {
  it.each(software.registrations)('a registration, $name: $reason', async (registration) => {
    expect(await register(registration)).toMatchObject(outcomeOf(registration.reason))
  })

  it.each(software.assertions)('an assertion, $name: $reason', async (assertion) => {
    expect(await signIn(assertion)).toMatchObject(outcomeOf(assertion.reason))
  })
})

/** The bytes with three bits of each changed in turn, and cut at every length. */
function* changed(bytes: Uint8Array): Generator<Uint8Array> {
  for (const [at, byte] of bytes.entries()) {
    for (const bit of [1, 8, 128]) yield bytes.with(at, byte ^ bit)
    yield bytes.subarray(0, at)
  }
}

const MEMBERS = ['clientDataJSON', 'authenticatorData', 'signature'] as const

it.each(ALGORITHMS)('no changed assertion is accepted, algorithm %i', async (algorithm) => {
  const assertion = rightOf(software.assertions, algorithm)
  for (const member of MEMBERS) {
    for (const bytes of changed(bytesOf(assertion.response.response[member]))) {
      const response = withResponse(assertion.response, { [member]: encodeBase64url(bytes) })
      const { outcome } = await signIn({ ...assertion, response })
      expect(outcome).toBe('refused')
    }
  }
})

it.each([
  ['a byte after it', (signature: number[]) => [...signature, 0]],
  ['its length in a longer form', ([tag = 0, ...rest]: number[]) => [tag, 0x81, ...rest]],
  [
    'a zero before a number',
    ([tag = 0, length = 0, kind = 0, size = 0, ...rest]: number[]) => [tag, length + 1, kind, size + 1, 0, ...rest],
  ],
])('a signature has one spelling: %s', async (_, spell) => {
  const signature = encodeBase64url(Uint8Array.from(spell([...bytesOf(ES256.response.response.signature)])))
  const response = withResponse(ES256.response, { signature })
  expect(await signIn({ ...ES256, response })).toEqual({ outcome: 'refused', reason: 'signature' })
})

const changing = (at: number, byte: number) => (key: Uint8Array) => key.with(at, byte)

it.each([
  ['of ES256 and another type', ES256, changing(2, 3)],
  ['of ES256 on another curve', ES256, changing(6, 2)],
  ['of EdDSA and another type', ED25519, changing(2, 2)],
  ['of EdDSA on another curve', ED25519, changing(6, 4)],
  ['of RS256 and another type', RS256, changing(2, 1)],
  ['with a modulus that begins with zeros', RS256, changing(11, 0)],
  ['with another exponent', RS256, changing(-1, 3)],
  ['with a byte after it', ES256, (key: Uint8Array) => Uint8Array.of(...key, 0)],
])('a stored key %s is refused', async (_, assertion, change) => {
  const publicKey = encodeBase64url(change(bytesOf(assertion.stored.publicKey)))
  expect(await signIn({ ...assertion, stored: { ...assertion.stored, publicKey } })).toEqual({
    outcome: 'refused',
    reason: 'key',
  })
})

it.each([
  [15, { outcome: 'refused', reason: 'credential_id' }],
  [16, { outcome: 'verified' }],
  [1023, { outcome: 'verified' }],
  [1024, { outcome: 'refused', reason: 'credential_id' }],
])('an id of %i bytes', async (idBytes, outcome) => {
  const options = { challenge: RIGHT.challenge, rp: { id: software.rpId }, user: { id: 'AA' } }
  const response = createAuthenticator({ idBytes }).register(options, software.origin)
  expect(await register({ challenge: options.challenge, response })).toMatchObject(outcome)
})

describe('nothing that is sent throws', () => {
  const registerWith = (changes: Partial<RegistrationResponse['response']>) =>
    register({ ...RIGHT, response: withResponse(RIGHT.response, changes) })

  it('a changed registration', async () => {
    for (const bytes of changed(bytesOf(RIGHT.response.response.attestationObject)))
      expect(await registerWith({ attestationObject: encodeBase64url(bytes) })).toHaveProperty('outcome')
  })

  it.each([
    ['base64url', '='],
    ['type', encodeBase64url(Uint8Array.of(0xff))],
    ['type', encodeBase64url(new TextEncoder().encode('null'))],
  ])('client data: %s', async (reason, clientDataJSON) => {
    expect(await registerWith({ clientDataJSON })).toEqual({ outcome: 'refused', reason })
  })

  it('any bytes', async () => {
    const item = fc.uint8Array({ maxLength: 200 }).map((bytes) => encodeBase64url(bytes))
    const property = fc.asyncProperty(item, fc.json(), async (attestationObject, json) => {
      const clientDataJSON = encodeBase64url(new TextEncoder().encode(json))
      for (const changes of [{ attestationObject }, { clientDataJSON }])
        expect(await registerWith(changes)).toHaveProperty('outcome', 'refused')
    })
    await fc.assert(property, { numRuns: runs(1_000) })
  })
})
