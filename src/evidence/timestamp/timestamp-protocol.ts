// The Time-Stamp Protocol (RFC 3161, section 2.4): builds the query to a timestamp authority, and checks its response.
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import { DerError, openDerValue, TAG } from './der.ts'
import { OBJECT_ID, parseTimestampToken } from './timestamp-token.ts'
import { isSameBytes } from '../../platform/bytes.ts'

export type TimestampQuery = {
  /** SHA-256 of the data to stamp. */
  readonly imprint: Uint8Array
  /** 8 bytes. The first is from 1 to 127, so that DER encodes them as a positive INTEGER. */
  readonly nonce: Uint8Array
}

/** Encodes version 1, SHA-256 and its 32 bytes, the nonce, and a request for the certificate. */
export const formatTimestampQuery = ({ imprint, nonce }: TimestampQuery): Uint8Array<ArrayBuffer> =>
  concatBytes(
    hexToBytes('30430201013031300d060960864801650304020105000420'),
    imprint,
    hexToBytes('0208'),
    nonce,
    hexToBytes('0101ff'),
  )

export function makeNonce(): Uint8Array {
  const nonce = crypto.getRandomValues(new Uint8Array(8))
  return nonce.with(0, ((nonce[0] ?? 0) & 0x3f) | 0x40)
}

export type TimestampResponseFault =
  /** The authority refuses to stamp this. */
  | 'rejected'
  | 'answer_malformed'
  | 'imprint_wrong'
  | 'nonce_wrong'
  /** The token's time is too far from this machine’s clock. */
  | 'time_wrong'
  | 'certificate_missing'

export type TimestampResponse =
  | { readonly outcome: 'granted'; readonly token: Uint8Array }
  | { readonly outcome: TimestampResponseFault }

const MOST_APART_MS = 10 * 60_000

/** Returns a response's token, or its first fault. Does not verify the token's signature. `now`: milliseconds since the epoch. */
export function readTimestampResponse(answer: Uint8Array, query: TimestampQuery, now: number): TimestampResponse {
  const bytes = readGranted(answer)
  if (typeof bytes === 'string') return { outcome: bytes }
  const token = parseTimestampToken(bytes)
  if (token === null) return { outcome: 'answer_malformed' }
  const { imprintAlgorithm, imprint, nonce, time } = token.info
  if (imprintAlgorithm !== OBJECT_ID.sha256 || !isSameBytes(imprint, query.imprint)) return { outcome: 'imprint_wrong' }
  if (nonce === null || !isSameBytes(nonce, query.nonce)) return { outcome: 'nonce_wrong' }
  if (Math.abs(time - now) > MOST_APART_MS) return { outcome: 'time_wrong' }
  return token.certificates.length === 0 ? { outcome: 'certificate_missing' } : { outcome: 'granted', token: bytes }
}

/** "Granted" and "granted with modifications". The reader of the token checks the modifications. */
const GRANTED: ReadonlySet<string> = new Set(['00', '01'])

function readGranted(answer: Uint8Array): Uint8Array | 'rejected' | 'answer_malformed' {
  try {
    const response = openDerValue(answer, TAG.sequence)
    const { content: status } = response.open(TAG.sequence).value(TAG.integer)
    if (!GRANTED.has(bytesToHex(status))) return 'rejected'
    const { encoded } = response.value(TAG.sequence)
    response.end()
    return encoded
  } catch (thrown) {
    if (thrown instanceof DerError) return 'answer_malformed'
    throw thrown
  }
}
