// Checks that a trusted timestamp authority has stamped given bytes (RFC 3161).
import { createHash } from 'node:crypto'
import { bytesToHex } from '@noble/hashes/utils.js'
import { openDerValue, TAG, type DerValue } from '../../src/evidence/timestamp/der.ts'
import { OBJECT_ID, parseTimestampToken, type TimestampToken } from '../../src/evidence/timestamp/timestamp-token.ts'
import { TOKEN_FAULTS } from '../../src/evidence/verify/check-checkpoint.ts'
import { failed, passed, toPrintable, type Finding } from '../../src/evidence/verify/verification-finding.ts'
import { AGE_FAULTS, timeOf, type Freshness } from '../../src/evidence/verify/freshness.ts'
import { isSameBytes } from '../../src/platform/bytes.ts'
import { readCertificate, type Certificate } from './certificate.ts'
import { DIGESTS, isForTimeStamping, isSignedBy, isChainTrusted, isValidAt } from './certificate-chain.ts'

export const TIMESTAMP_FAULTS = {
  ...TOKEN_FAULTS,
  signer_missing: 'The signer’s certificate is missing.',
  signer_not_named: 'The signed attributes do not name the signer’s certificate.',
  content_not_signed: 'The signed content differs from the token.',
  signature_wrong: 'The signature does not match the certificate, or its algorithm is not trusted.',
  purpose_wrong: 'The signer’s certificate is not for time-stamping only.',
  not_valid_then: 'The signer’s certificate was not valid at the token’s time.',
  chain_untrusted: 'No valid certificate chain leads from the signer to a given authority.',
} as const

export type TimestampFault = keyof typeof TIMESTAMP_FAULTS

/** The result. `time` is in milliseconds since the epoch; `signer` is the name in its certificate. */
export type TimestampVerdict =
  | { readonly valid: true; readonly time: number; readonly signer: string }
  | { readonly valid: false; readonly fault: TimestampFault }

/** The most certificates of a token, more than a chain needs. A token with a thousand must not be expensive. */
const MAX_CERTIFICATES = 16

export function verifyTimestamp(
  bytes: Uint8Array,
  stamped: Uint8Array,
  authorities: readonly Certificate[],
): TimestampVerdict {
  const token = parseTimestampToken(bytes)
  if (token === null) return { valid: false, fault: 'token_malformed' }
  const { info, signer: signerInfo, certificates } = token
  const isImprintRight =
    info.imprintAlgorithm === OBJECT_ID.sha256 && isSameBytes(info.imprint, hashOf('sha256', stamped))
  if (!isImprintRight) return { valid: false, fault: 'imprint_wrong' }
  const others = certificates.slice(0, MAX_CERTIFICATES).flatMap((der) => readCertificate(der) ?? [])
  const signer = [...others, ...authorities].find(({ issuerAndSerial }) =>
    isSameBytes(issuerAndSerial, signerInfo.issuerAndSerial ?? new Uint8Array()),
  )
  if (signer === undefined) return { valid: false, fault: 'signer_missing' }
  const fault =
    findSignatureFault(token, signer) ?? findCertificateFault(signer, { others, authorities, time: info.time })
  return fault === null ? { valid: true, time: info.time, signer: signer.name } : { valid: false, fault }
}

/** Returns the finding about a checkpoint's token. Its time can show that the note is too old, but never that it is fresh. */
export function checkTimestampToken(
  token: Uint8Array,
  note: Uint8Array,
  { authorities, freshness }: { authorities: readonly Certificate[]; freshness: Freshness | null },
): Finding {
  const verdict = verifyTimestamp(token, note, authorities)
  if (!verdict.valid) return failed('timestamp', 'the token', verdict.fault, TIMESTAMP_FAULTS[verdict.fault])
  const seconds = Math.floor(verdict.time / 1000)
  const subject = `there at ${timeOf(seconds)}, by the word of ${toPrintable(verdict.signer)}`
  const isTooOld = freshness !== null && seconds < freshness.now - freshness.maxAge
  return isTooOld ? failed('timestamp', subject, 'too_old', AGE_FAULTS.too_old) : passed('timestamp', subject)
}

const CONTENT_TYPE = '2a864886f70d010903'
const MESSAGE_DIGEST = '2a864886f70d010904'

function findSignatureFault({ infoBytes, signer: info }: TimestampToken, signer: Certificate): TimestampFault | null {
  if (!namesCertificate(info.attributes, signer)) return 'signer_not_named'
  const digest = DIGESTS.get(info.digestAlgorithm)
  const only = (id: string, tag: number): Uint8Array | null => {
    const [value, ...more] = info.attributes.get(id) ?? []
    return value?.tag === tag && more.length === 0 ? value.content : null
  }
  const [type, message] = [only(CONTENT_TYPE, TAG.objectId), only(MESSAGE_DIGEST, TAG.octetString)]
  const isSigned =
    digest !== undefined &&
    type !== null &&
    message !== null &&
    bytesToHex(type) === OBJECT_ID.timestampInfo &&
    isSameBytes(message, hashOf(digest, infoBytes))
  if (!isSigned) return 'content_not_signed'
  return isSignedBy(signer.publicKey, info, digest) ? null : 'signature_wrong'
}

function findCertificateFault(signer: Certificate, trust: Parameters<typeof isChainTrusted>[1]): TimestampFault | null {
  if (!isForTimeStamping(signer)) return 'purpose_wrong'
  if (!isValidAt(signer, trust.time)) return 'not_valid_then'
  return isChainTrusted(signer, trust) ? null : 'chain_untrusted'
}

const SIGNING_CERTIFICATE = '2a864886f70d010910020c'
const SIGNING_CERTIFICATE_V2 = '2a864886f70d010910022f'

/** Returns true if one or both attributes name the certificate and neither names another (RFC 3161, 2.4.2; RFC 5816). */
function namesCertificate(attributes: ReadonlyMap<string, readonly DerValue[]>, { der }: Certificate): boolean {
  const [first, second] = [attributes.get(SIGNING_CERTIFICATE), attributes.get(SIGNING_CERTIFICATE_V2)]
  if (first === undefined && second === undefined) return false
  return [first, second].every((values) => {
    if (values === undefined) return true
    const [value, ...more] = values
    return value !== undefined && more.length === 0 && namedHashIsOf(value, der, values === first ? 'sha1' : 'sha256')
  })
}

/** Checks the first hash, the signer's. It covers the whole certificate, so issuer and number beside it add nothing. */
function namedHashIsOf({ encoded }: DerValue, der: Uint8Array, usual: 'sha1' | 'sha256'): boolean {
  try {
    const named = openDerValue(encoded, TAG.sequence).open(TAG.sequence).open(TAG.sequence)
    const algorithm = usual === 'sha256' ? named.openIf(TAG.sequence) : null
    const digest = algorithm === null ? usual : DIGESTS.get(algorithm.objectId())
    return digest !== undefined && isSameBytes(named.value(TAG.octetString).content, hashOf(digest, der))
  } catch {
    return false
  }
}

const hashOf = (digest: string, bytes: Uint8Array): Uint8Array => createHash(digest).update(bytes).digest()
