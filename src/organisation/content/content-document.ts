// What is sealed of a call: JSON with the request as it was sent, to the byte, and its answer.
import { concatBytes } from '@noble/hashes/utils.js'

export type CallDocument = {
  /** JSON, as it was sent. */
  request: Uint8Array
  /** JSON, as it was answered; null where nothing was. Of a stream: what its events come to, as an answer in one piece. */
  answer: string | null
  isStreamed: boolean
  /** Whether the end of the answer is left out. */
  isTruncated: boolean
}

const encoder = new TextEncoder()

export function packDocument({ request, answer, isStreamed, isTruncated }: CallDocument): Uint8Array<ArrayBuffer> {
  const rest = encoder.encode(`,"answer":${answer ?? 'null'},"streamed":${isStreamed},"truncated":${isTruncated}}`)
  return concatBytes(encoder.encode('{"request":'), request, rest)
}

/** The same JSON, with more members at its beginning. */
export const withMembers = (members: object, document: Uint8Array): Uint8Array<ArrayBuffer> =>
  concatBytes(encoder.encode(`${JSON.stringify(members).slice(0, -1)},`), document.subarray(1))
