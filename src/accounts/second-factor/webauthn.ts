// Verifies passkeys (WebAuthn level 3, sections 7.1 and 7.2) with attestation `none` and required user verification. It refuses
// more than the standard asks: frames of other sites, bytes too many, a changed backup eligibility.
import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { decodeBase64url, encodeBase64url } from '../../evidence/records/base64.ts'
import { decodeUtf8, isSameBytes, joinBytes } from '../../platform/bytes.ts'
import { readJsonObject } from '../../platform/json.ts'
import { sha256 } from '../../platform/sha256.ts'
import { readCborMap } from './cbor.ts'

type Bytes = Uint8Array<ArrayBuffer>

/** COSE algorithms by preference: ES256, EdDSA, RS256 (Windows Hello). */
export const ALGORITHMS = [-7, -8, -257] as const
export type PasskeyAlgorithm = (typeof ALGORITHMS)[number]

/** Why a response is refused, for a log line: the person sees the same error for each. */
export const PASSKEY_FAULTS = [
  'base64url',
  'cbor',
  'type',
  'challenge',
  'origin',
  'cross_origin',
  'attestation',
  'authenticator_data',
  'rp_id',
  'user_presence',
  'user_verification',
  'backup_flags',
  'backup_eligibility',
  'attested_data',
  'credential_id',
  'algorithm',
  'key',
  'signature',
  'counter',
] as const
export type PasskeyFault = (typeof PASSKEY_FAULTS)[number]

/** @param origin with its port @param challenge the bytes that this ceremony was begun with */
export type Expected = { origin: string; rpId: string; challenge: Bytes }

/** What a browser sends, each text in base64url. */
export type RegistrationResponse = {
  rawId: string
  response: { clientDataJSON: string; attestationObject: string }
}
export type AssertionResponse = {
  rawId: string
  response: { clientDataJSON: string; authenticatorData: string; signature: string }
}

/** @param publicKey COSE @param aaguid the model of the authenticator as it says, which attestation `none` does not prove */
export type NewCredential = {
  id: Bytes
  publicKey: Bytes
  algorithm: PasskeyAlgorithm
  counter: number
  aaguid: Bytes
  isBackupEligible: boolean
  isBackedUp: boolean
}
export type StoredCredential = Pick<NewCredential, 'publicKey' | 'counter' | 'isBackupEligible'>

type Refused = { outcome: 'refused'; reason: PasskeyFault }

class Refusal extends Error {
  readonly reason: PasskeyFault
  constructor(reason: PasskeyFault) {
    super(reason)
    this.reason = reason
  }
}

function refuse(reason: PasskeyFault): never {
  throw new Refusal(reason)
}

function check(isRight: boolean, reason: PasskeyFault): void {
  if (!isRight) refuse(reason)
}

function refusedBy(error: unknown): Refused {
  if (error instanceof Refusal) return { outcome: 'refused', reason: error.reason }
  throw error
}

/** @see https://www.w3.org/TR/webauthn-3/#sctn-registering-a-new-credential */
export async function verifyRegistration(
  sent: RegistrationResponse,
  expected: Expected,
): Promise<{ outcome: 'verified'; credential: NewCredential } | Refused> {
  try {
    checkClientData(decode(sent.response.clientDataJSON), 'webauthn.create', expected)
    const data = readAuthenticatorData(authenticatorDataIn(decode(sent.response.attestationObject)), expected.rpId)
    const { aaguid, id, publicKey } = readAttestedData(data)
    check(isSameBytes(id, decode(sent.rawId)), 'credential_id')
    const { algorithm } = readKey(publicKey)
    const { counter, isBackupEligible, isBackedUp } = data
    const credential = { id, publicKey, algorithm, counter, aaguid, isBackupEligible, isBackedUp }
    return { outcome: 'verified', credential }
  } catch (error) {
    return refusedBy(error)
  }
}

/**
 * Checks everything but whose credential it is: the caller has found it by `rawId`, and compares the user handle.
 * @see https://www.w3.org/TR/webauthn-3/#sctn-verifying-assertion
 */
export async function verifyAssertion(
  sent: AssertionResponse,
  expected: Expected,
  stored: StoredCredential,
): Promise<{ outcome: 'verified'; counter: number; isBackedUp: boolean } | Refused> {
  try {
    const clientData = decode(sent.response.clientDataJSON)
    checkClientData(clientData, 'webauthn.get', expected)
    const bytes = decode(sent.response.authenticatorData)
    const { flags, rest, counter, isBackupEligible, isBackedUp } = readAuthenticatorData(bytes, expected.rpId)
    check((flags & FLAGS.attestedData) === 0, 'attested_data')
    checkExtensions(flags, rest)
    check(isBackupEligible === stored.isBackupEligible, 'backup_eligibility')
    const { algorithm, key } = readKey(stored.publicKey)
    const signed = joinBytes([bytes, sha256(clientData)], bytes.length + 32)
    // Ed25519 hashes by itself.
    check(verify(algorithm === -8 ? null : 'sha256', signed, key, decode(sent.response.signature)), 'signature')
    // Passkeys that are synced between devices always send 0.
    check(counter > stored.counter || (counter === 0 && stored.counter === 0), 'counter')
    return { outcome: 'verified', counter, isBackedUp }
  } catch (error) {
    return refusedBy(error)
  }
}

const decode = (text: string): Bytes => decodeBase64url(text) ?? refuse('base64url')

const readMap = (bytes: Bytes): { map: ReadonlyMap<unknown, unknown>; length: number } =>
  readCborMap(bytes) ?? refuse('cbor')

const isBytes = (value: unknown): value is Bytes => value instanceof Uint8Array

function checkClientData(bytes: Bytes, type: 'webauthn.create' | 'webauthn.get', expected: Expected): void {
  const data = readJsonObject(decodeUtf8(bytes))
  check(data['type'] === type, 'type')
  check(data['challenge'] === encodeBase64url(expected.challenge), 'challenge')
  check(data['origin'] === expected.origin, 'origin')
  check((data['crossOrigin'] ?? false) === false && data['topOrigin'] === undefined, 'cross_origin')
}

function authenticatorDataIn(attestationObject: Bytes): Bytes {
  const { map, length } = readMap(attestationObject)
  const bytes = map.get('authData')
  const isWhole = length === attestationObject.length && typeof map.get('fmt') === 'string'
  return isWhole && map.get('attStmt') instanceof Map && isBytes(bytes) ? bytes : refuse('attestation')
}

/** @see https://www.w3.org/TR/webauthn-3/#sctn-authenticator-data */
const FLAGS = {
  userPresent: 0x01,
  userVerified: 0x04,
  backupEligible: 0x08,
  backedUp: 0x10,
  attestedData: 0x40,
  extensions: 0x80,
}
const HEAD_BYTES = 37

type AuthenticatorData = Pick<NewCredential, 'counter' | 'isBackupEligible' | 'isBackedUp'> & {
  flags: number
  /** The bytes after the counter. */
  rest: Bytes
}

function readAuthenticatorData(bytes: Bytes, rpId: string): AuthenticatorData {
  check(bytes.length >= HEAD_BYTES, 'authenticator_data')
  check(isSameBytes(bytes.subarray(0, 32), sha256(rpId)), 'rp_id')
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  const flags = view.getUint8(32)
  const has = (flag: number): boolean => (flags & flag) !== 0
  check(has(FLAGS.userPresent), 'user_presence')
  check(has(FLAGS.userVerified), 'user_verification')
  const [isBackupEligible, isBackedUp] = [has(FLAGS.backupEligible), has(FLAGS.backedUp)]
  check(isBackupEligible || !isBackedUp, 'backup_flags')
  return { flags, counter: view.getUint32(33), isBackupEligible, isBackedUp, rest: bytes.slice(HEAD_BYTES) }
}

const AAGUID_BYTES = 16
const ID_AT = AAGUID_BYTES + 2

function readAttestedData({ flags, rest }: AuthenticatorData): Pick<NewCredential, 'aaguid' | 'id' | 'publicKey'> {
  check((flags & FLAGS.attestedData) !== 0 && rest.length > ID_AT, 'attested_data')
  const keyAt = ID_AT + new DataView(rest.buffer).getUint16(AAGUID_BYTES)
  const id = rest.slice(ID_AT, keyAt)
  check(id.length >= 16 && id.length <= 1023, 'credential_id')
  const afterId = rest.slice(keyAt)
  const { length } = readMap(afterId)
  checkExtensions(flags, afterId.slice(length))
  return { aaguid: rest.slice(0, AAGUID_BYTES), id, publicKey: afterId.slice(0, length) }
}

/** Extensions are the last member, and only there if their flag says so. */
function checkExtensions(flags: number, rest: Bytes): void {
  const length = (flags & FLAGS.extensions) === 0 ? 0 : readMap(rest).length
  check(length === rest.length, 'authenticator_data')
}

function readKey(cose: Bytes): { algorithm: PasskeyAlgorithm; key: KeyObject } {
  const { map, length } = readMap(cose)
  check(length === cose.length, 'key')
  const algorithm = ALGORITHMS.find((known) => known === map.get(3)) ?? refuse('algorithm')
  const jwk = jwkOf(algorithm, map)
  try {
    return { algorithm, key: createPublicKey({ key: jwk, format: 'jwk' }) }
  } catch {
    // The point is not on the curve.
    return refuse('key')
  }
}

/**
 * Returns a COSE key as a JSON Web Key.
 * @see https://www.rfc-editor.org/rfc/rfc9053#section-7
 * @see https://www.rfc-editor.org/rfc/rfc8230#section-4
 */
function jwkOf(algorithm: PasskeyAlgorithm, map: ReadonlyMap<unknown, unknown>): JsonWebKey {
  const [type, curve] = [map.get(1), map.get(-1)]
  const text = (label: number, isRight: (bytes: Bytes) => boolean): string => {
    const bytes = map.get(label)
    return isBytes(bytes) && isRight(bytes) ? encodeBase64url(bytes) : refuse('key')
  }
  if (algorithm === -7 && type === 2 && curve === 1)
    return { kty: 'EC', crv: 'P-256', x: text(-2, has32Bytes), y: text(-3, has32Bytes) }
  if (algorithm === -8 && type === 1 && curve === 6) return { kty: 'OKP', crv: 'Ed25519', x: text(-2, has32Bytes) }
  if (algorithm === -257 && type === 3) return { kty: 'RSA', n: text(-1, isModulus), e: text(-2, isExponent) }
  return refuse('key')
}

const has32Bytes = (bytes: Bytes): boolean => bytes.length === 32

/** From 2,048 to 4,096 bits. A leading zero would make the number shorter than its bytes. */
const isModulus = (bytes: Bytes): boolean => (bytes[0] ?? 0) >= 0x80 && bytes.length >= 256 && bytes.length <= 512

/** 65,537, the exponent of every TPM. */
const isExponent = (bytes: Bytes): boolean => isSameBytes(bytes, Uint8Array.of(1, 0, 1))
