// Checks the certificate chain from a timestamp's signer to a trusted authority (RFC 5280, section 6, without policies). Also
// checks a certificate's dates, its time-stamping purpose, and signatures. Does not check revocation, because it uses no network.
import { verify, type KeyObject } from 'node:crypto'
import { isSameBytes } from '../../src/platform/bytes.ts'
import { KEY_USAGE, PURPOSE, type Certificate } from './certificate.ts'

export type ChainTrust = {
  /** Certificates that came with the token. */
  readonly others: readonly Certificate[]
  /** Certificates that the caller trusts, whatever their issuer. */
  readonly authorities: readonly Certificate[]
  /** The time at which the chain must have been valid, in milliseconds since the epoch. */
  readonly time: number
}

const MAX_CHAIN = 8

export function isChainTrusted(signer: Certificate, { others, authorities, time }: ChainTrust): boolean {
  // Each is tried once, because certificates that issue each other would form a circle.
  const seen = new Set<Certificate>([signer])
  const leads = (certificate: Certificate, below: number): boolean => {
    if (authorities.some(({ der }) => isSameBytes(der, certificate.der))) return true
    if (below === MAX_CHAIN) return false
    return [...authorities, ...others].some((issuer) => {
      if (seen.has(issuer) || !mayIssue(issuer, below, time) || !hasIssued(issuer, certificate)) return false
      seen.add(issuer)
      return leads(issuer, below + 1)
    })
  }
  return leads(signer, 0)
}

export const isValidAt = ({ validFrom, validUntil }: Certificate, time: number): boolean =>
  validFrom <= time && time <= validUntil

/** True if the issuer may issue at this depth and time. @param below the number of authorities between it and the signer */
function mayIssue(issuer: Certificate, below: number, time: number): boolean {
  const { isAuthority, pathLength, keyUsage, purposes, hasUnknownCritical } = issuer
  return (
    isAuthority &&
    isValidAt(issuer, time) &&
    !hasUnknownCritical &&
    below <= (pathLength ?? Infinity) &&
    (keyUsage === null || (keyUsage & KEY_USAGE.keyCertSign) !== 0) &&
    (purposes === null || purposes.ids.some((id) => id === PURPOSE.timeStamping || id === PURPOSE.any))
  )
}

const hasIssued = (issuer: Certificate, certificate: Certificate): boolean =>
  isSameBytes(issuer.subject, certificate.issuer) && isSignedBy(issuer.publicKey, certificate)

/** True if the certificate is for time-stamping and nothing else (RFC 3161, section 2.3). */
export function isForTimeStamping({ keyUsage, purposes, hasUnknownCritical }: Certificate): boolean {
  const signs = KEY_USAGE.digitalSignature | KEY_USAGE.nonRepudiation
  return (
    !hasUnknownCritical &&
    purposes?.isCritical === true &&
    purposes.ids.length === 1 &&
    purposes.ids[0] === PURPOSE.timeStamping &&
    (keyUsage === null || ((keyUsage & signs) !== 0 && (keyUsage & ~signs) === 0))
  )
}

/** Digests by their object identifiers in hexadecimal digits. SHA-256 is the weakest. */
export const DIGESTS: ReadonlyMap<string, string> = new Map([
  ['608648016503040201', 'sha256'],
  ['608648016503040202', 'sha384'],
  ['608648016503040203', 'sha512'],
])

/** The signature algorithms. `digest` is null if the identifier does not name one. */
const ALGORITHMS: ReadonlyMap<string, { key: 'rsa' | 'ec'; digest: string | null }> = new Map([
  ['2a864886f70d010101', { key: 'rsa', digest: null }],
  ['2a864886f70d01010b', { key: 'rsa', digest: 'sha256' }],
  ['2a864886f70d01010c', { key: 'rsa', digest: 'sha384' }],
  ['2a864886f70d01010d', { key: 'rsa', digest: 'sha512' }],
  ['2a8648ce3d040302', { key: 'ec', digest: 'sha256' }],
  ['2a8648ce3d040303', { key: 'ec', digest: 'sha384' }],
  ['2a8648ce3d040304', { key: 'ec', digest: 'sha512' }],
])

const MIN_RSA_BITS = 2048

export type SignedContent = {
  readonly signedBytes: Uint8Array
  readonly signatureAlgorithm: string
  readonly signature: Uint8Array
}

/** True if the signature is valid. @param otherDigest for algorithms whose identifier names no digest */
export function isSignedBy(
  key: KeyObject,
  { signedBytes, signatureAlgorithm, signature }: SignedContent,
  otherDigest: string | null = null,
): boolean {
  const algorithm = ALGORITHMS.get(signatureAlgorithm)
  const digest = algorithm?.digest ?? otherDigest
  if (algorithm === undefined || digest === null || key.asymmetricKeyType !== algorithm.key) return false
  if (algorithm.key === 'rsa' && (key.asymmetricKeyDetails?.modulusLength ?? 0) < MIN_RSA_BITS) return false
  return verify(digest, signedBytes, key, signature)
}
