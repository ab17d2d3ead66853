// How the vectors of the attestation format are made: keys from names, signatures by the native Ed25519, so that the
// files come out the same every time.
import { createHash, createPrivateKey, createPublicKey, sign as signNatively } from 'node:crypto'
import { hashes, Point } from '@noble/ed25519'
import { sha512 } from '@noble/hashes/sha2.js'
import type { Vector } from '../../fixtures/attestation/vector.ts'
import { canonical } from '../../unit/evidence/records/second-verifier.ts'

hashes.sha512 = sha512

export type Members = Record<string, unknown>

const seedNamed = (name: string): Buffer => createHash('sha256').update(`countersign vectors, ${name}`).digest()

function keyNamed(name: string) {
  const prefix = Buffer.from('302e020100300506032b657004220420', 'hex')
  const privateKey = createPrivateKey({
    key: Buffer.concat([prefix, seedNamed(name)]),
    format: 'der',
    type: 'pkcs8',
  })
  const publicKey = createPublicKey(privateKey).export({ format: 'jwk' }).x ?? ''
  return { publicKey, sign: (bytes: Uint8Array) => signNatively(null, bytes, privateKey) }
}

export const first = keyNamed('first key')
export const second = keyNamed('second key')

export const base: Members = {
  v: 1,
  attestation_id: '6f0f7c1e-3b52-4f7a-9c1d-2a5b8e4d7c10',
  trace_id: 'tr_00112233445566778899aabbccddeeff',
  org_id: 'org_invented',
  request_hash: createHash('sha256').update('{}').digest('hex'),
  model: 'invented-model',
  outcome: 'ALLOWED',
  policy_applied: ['budget_guard', 'loop_guard'],
  cost_prevented_eur: 0,
  timestamp: '2026-11-20T05:00:00.000Z',
  public_key: first.publicKey,
}

const toMaps = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(toMaps)
  if (typeof value !== 'object' || value === null) return value
  return new Map(Object.entries(value).map(([name, member]) => [name, toMaps(member)]))
}

export const bytesOf = (members: Members): Buffer => Buffer.from(canonical(toMaps(members)) ?? 'no canonical JSON')

/** The base with changes, signed as it then stands. */
export function signed(changes: Members = {}, key = first): Members {
  const members: Members = { ...base, public_key: key.publicKey, ...changes }
  return { ...members, signature: key.sign(bytesOf(members)).toString('base64url') }
}

/** Signed over other bytes than the canonical ones. */
export const signedOver = (bytes: string | Uint8Array, changes: Members = {}): Members => ({
  ...base,
  ...changes,
  signature: first.sign(Buffer.from(bytes)).toString('base64url'),
})

export const changedAfter = (changes: Members): Members => ({ ...signed(), ...changes })

export function without(name: string): Members {
  const { [name]: _, ...others } = signed()
  return others
}

/** Half a surrogate pair can be said in JSON's text only: some readers of these files refuse it as a value. */
function documentOf(record: Members): Pick<Vector, 'record' | 'text'> {
  const written = text(record)
  return written.includes(String.raw`\ud`) ? { text: written } : { record }
}

export const good = (name: string, record: Members): Vector => ({ name, expected: 'valid', ...documentOf(record) })
export const goodText = (name: string, written: string): Vector => ({ name, expected: 'valid', text: written })
export const bad = (name: string, expected: Vector['expected'], record: Members): Vector => ({
  name,
  expected,
  ...documentOf(record),
})

export const text = (members: Members): string => JSON.stringify(members)

export const HALF_PAIR = String.fromCharCode(0xd83d)
export const signatureOf = (members: Members): string => String(members['signature'])

/** A signature's bytes changed, written as base64url again. */
export function withSignature(change: (bytes: Buffer) => Uint8Array): Members {
  const record = signed()
  const bytes = Buffer.from(signatureOf(record), 'base64url')
  return { ...record, signature: Buffer.from(change(bytes)).toString('base64url') }
}

const littleEndian = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes.toReversed()).toString('hex')}`)
const toLittleEndian = (number: bigint): Uint8Array =>
  Buffer.from(number.toString(16).padStart(64, '0'), 'hex').toReversed()

const { n: ORDER } = Point.CURVE()

/** S and S + L are the same scalar: the same signature, spelt in a way that strict verifiers refuse. */
export const plusOrder = (signature: Buffer): Uint8Array =>
  Buffer.concat([signature.subarray(0, 32), toLittleEndian(littleEndian(signature.subarray(32)) + ORDER)])

/** The eight points of small order are the multiples of this one. */
const TORSION = Point.fromHex('c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a')

/** A key with a component of small order, and a signature that holds only when the cofactor is cleared. */
export function signedUnderMixedKey(): Members {
  const secret = littleEndian(seedNamed('mixed key')) % ORDER
  const nonce = littleEndian(seedNamed('mixed nonce')) % ORDER
  const key = Point.BASE.multiply(secret).add(TORSION).toBytes()
  const commitment = Point.BASE.multiply(nonce).toBytes()
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const members = { ...base, model: `invented-model-${attempt}`, public_key: Buffer.from(key).toString('base64url') }
    const challenge = littleEndian(sha512(Buffer.concat([commitment, key, bytesOf(members)]))) % ORDER
    if (challenge % 8n === 0n) continue
    const scalar = (nonce + challenge * secret) % ORDER
    return { ...members, signature: Buffer.concat([commitment, toLittleEndian(scalar)]).toString('base64url') }
  }
  throw new Error('no challenge that is not a multiple of eight')
}

/** Under the identity as key, R = [S]B holds for every message. */
export function signedUnderIdentity(): Members {
  const scalar = littleEndian(seedNamed('identity nonce')) % ORDER
  const signature = Buffer.concat([Point.BASE.multiply(scalar).toBytes(), toLittleEndian(scalar)])
  const key = Buffer.from(Point.ZERO.toBytes())
  return { ...base, public_key: key.toString('base64url'), signature: signature.toString('base64url') }
}

/** The last of 86 characters holds two bits of the signature and four that mean nothing. */
export function withUnusedBits(record: Members): Members {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const signature = signatureOf(record)
  const last = alphabet.indexOf(signature.slice(-1))
  return { ...record, signature: signature.slice(0, -1) + alphabet.charAt(last | 0b1111) }
}

export const otherSpelling = (): Members => {
  const record = signed()
  return { ...record, signature: signatureOf(record).replaceAll('-', '+').replaceAll('_', '/') }
}
