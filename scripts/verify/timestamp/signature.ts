// Signatures of certificates and tokens, by the algorithms that are good enough: none of less than SHA-256.
import { verify, type KeyObject } from 'node:crypto'

/** By the hexadecimal digits of their object identifiers. */
export const DIGESTS: ReadonlyMap<string, string> = new Map([
  ['608648016503040201', 'sha256'],
  ['608648016503040202', 'sha384'],
  ['608648016503040203', 'sha512'],
])

/** `digest` null: the signature’s own identifier does not say it. */
const ALGORITHMS: ReadonlyMap<string, { key: 'rsa' | 'ec'; digest: string | null }> = new Map([
  ['2a864886f70d010101', { key: 'rsa', digest: null }],
  ['2a864886f70d01010b', { key: 'rsa', digest: 'sha256' }],
  ['2a864886f70d01010c', { key: 'rsa', digest: 'sha384' }],
  ['2a864886f70d01010d', { key: 'rsa', digest: 'sha512' }],
  ['2a8648ce3d040302', { key: 'ec', digest: 'sha256' }],
  ['2a8648ce3d040303', { key: 'ec', digest: 'sha384' }],
  ['2a8648ce3d040304', { key: 'ec', digest: 'sha512' }],
])

const LEAST_RSA_BITS = 2048

export type Signed = {
  readonly signedBytes: Uint8Array
  readonly signatureAlgorithm: string
  readonly signature: Uint8Array
}

/** @param otherDigest for an algorithm whose identifier does not say its own */
export function isSignedBy(
  key: KeyObject,
  { signedBytes, signatureAlgorithm, signature }: Signed,
  otherDigest: string | null = null,
): boolean {
  const algorithm = ALGORITHMS.get(signatureAlgorithm)
  const digest = algorithm?.digest ?? otherDigest
  if (algorithm === undefined || digest === null || key.asymmetricKeyType !== algorithm.key) return false
  if (algorithm.key === 'rsa' && (key.asymmetricKeyDetails?.modulusLength ?? 0) < LEAST_RSA_BITS) return false
  return verify(digest, signedBytes, key, signature)
}
