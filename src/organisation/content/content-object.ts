// Names stored content in R2, derives its keys and packs it. Each call has its own key, which the organisation's object derives
// in its turn and hands to the Worker. So no text enters that object, and no Worker gets the key of another call.
import { hkdfSync } from 'node:crypto'
import { concatBytes } from '@noble/hashes/utils.js'
import { utcDay } from '../../platform/time.ts'
import { gunzip, gzip } from '../../platform/bytes.ts'
import { SEALING_KEY_BYTES } from '../../platform/seal.ts'

export type ContentPlace = {
  name: string
  key: Uint8Array<ArrayBuffer>
  /** Milliseconds since the epoch. */
  expiresAt: number
}

/** The fingerprint of the key that will seal the content, and its end in milliseconds since the epoch. */
export type ContentPlan = Pick<ContentKey, 'fingerprint'> & Pick<ContentPlace, 'expiresAt'>

/** Describes the sealed bytes, not the text, so that the hash confirms no guess at the text. */
export type StoredContent = { sha256: string; bytes: number }

/** A data key of the organisation for content. */
type ContentKey = { bytes: Uint8Array<ArrayBuffer>; fingerprint: string }

/** Identifies the content. Its object's name is made of these. */
type Wanted = { object: string; attestationId: string; kind: ContentKind; expiresAt: number }

/** Each kind is its own object. `call`: request and answer. `answer`: an answer to replay. `reason`: of an approval decision. */
export type ContentKind = 'call' | 'answer' | 'reason'

const INFO = 'content-v1'

/** Content is compressed from this many bytes on. Compressing less saves too little. */
const COMPRESSED_FROM = 32 * 1024

/** First byte of the packed content, before it is sealed. */
const PLAIN = 0
const GZIP = 1

/** The prefix of an organisation's content names. The day follows, in five digits until 2243, so names sort by day. */
export const contentPrefix = (object: string): string => `content/${object}/`

const NAME = /^content\/[^/]+\/(\d+)\/[^/]+-([0-9a-f]{16})$/

/** Reads the last day and the key's fingerprint from a name; null if it is not a name of content. */
export function readContentName(name: string): { lastDay: number; fingerprint: string } | null {
  const [, lastDay, fingerprint] = NAME.exec(name) ?? []
  return lastDay === undefined || fingerprint === undefined ? null : { lastDay: Number(lastDay), fingerprint }
}

export function contentPlaceOf(dataKey: ContentKey, { object, attestationId, kind, expiresAt }: Wanted): ContentPlace {
  const name = `${contentPrefix(object)}${utcDay(expiresAt)}/${kind}-${attestationId}-${dataKey.fingerprint}`
  return { name, key: deriveContentKey(dataKey, attestationId), expiresAt }
}

/** Returns the part of a place that the decision's facts store: with the id and the kind, enough to find the content again. */
export const describeContentPlan = ({ fingerprint, expiresAt }: ContentPlan) => ({
  key: fingerprint,
  expires_at: new Date(expiresAt).toISOString(),
})

/** Derives the one key for all content of a call. @see https://www.rfc-editor.org/rfc/rfc5869 */
export const deriveContentKey = (
  { bytes }: Pick<ContentKey, 'bytes'>,
  attestationId: string,
): Uint8Array<ArrayBuffer> => new Uint8Array(hkdfSync('sha256', bytes, attestationId, INFO, SEALING_KEY_BYTES))

/** Returns the bytes to seal: a byte that says whether the rest is gzip, then the rest. */
export const packContent = async (plain: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> =>
  plain.byteLength < COMPRESSED_FROM
    ? concatBytes(Uint8Array.of(PLAIN), plain)
    : concatBytes(Uint8Array.of(GZIP), await gzip(plain))

export const unpackContent = async (packed: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> =>
  packed[0] === GZIP ? gunzip(packed.subarray(1)) : packed.subarray(1)

/** The stored content of a call before it is sealed: JSON with the request exactly as it was sent, and its answer. */
export type CallDocument = {
  /** JSON, exactly as it was sent. */
  request: Uint8Array
  /** JSON, as it was answered; null if there was no answer. For a stream: its events joined into one answer. */
  answer: string | null
  isStreamed: boolean
  /** True if the end of the answer is missing. */
  isTruncated: boolean
}

const encoder = new TextEncoder()

export function packDocument({ request, answer, isStreamed, isTruncated }: CallDocument): Uint8Array<ArrayBuffer> {
  const rest = encoder.encode(`,"answer":${answer ?? 'null'},"streamed":${isStreamed},"truncated":${isTruncated}}`)
  return concatBytes(encoder.encode('{"request":'), request, rest)
}

/** Returns the same JSON with more members at its beginning. */
export const prependMembers = (members: object, document: Uint8Array): Uint8Array<ArrayBuffer> =>
  concatBytes(encoder.encode(`${JSON.stringify(members).slice(0, -1)},`), document.subarray(1))
