// Whether certificates lead from a signer to an authority that somebody trusts (RFC 5280, section 6, without policies). Whether one
// of them was revoked is not asked: nothing is asked of anybody here.
import { isSameBytes } from '../../../src/platform/bytes.ts'
import { KEY_USAGE, PURPOSE, type Certificate } from './certificate.ts'
import { isSignedBy } from './signature.ts'

export type Trust = {
  /** Those that came with the token. */
  readonly others: readonly Certificate[]
  /** Those that are trusted, whether or not anybody has issued them. */
  readonly authorities: readonly Certificate[]
  /** When the chain must have been valid, in milliseconds since the epoch. */
  readonly time: number
}

const LONGEST_CHAIN = 8

export function isTrusted(signer: Certificate, { others, authorities, time }: Trust): boolean {
  // Each is gone through once: certificates that issue each other lead in circles.
  const seen = new Set<Certificate>([signer])
  const leads = (certificate: Certificate, below: number): boolean => {
    if (authorities.some(({ der }) => isSameBytes(der, certificate.der))) return true
    if (below === LONGEST_CHAIN) return false
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

/** @param below how many authorities there are between it and the signer */
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

/** For time-stamping and nothing else (RFC 3161, section 2.3). */
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
