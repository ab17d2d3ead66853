// A checkpoint and a token over it, as they are kept and handed on: in one object, so that neither is there without the other.
import { isJsonObject } from '../../platform/json-object.ts'
import { decodeBase64, encodeBase64 } from '../checkpoint/base64.ts'

export type TimestampedCheckpoint = {
  /** The whole note: the token is over the SHA-256 of its UTF-8. */
  readonly checkpoint: string
  /** DER. */
  readonly token: Uint8Array
}

export const formatTimestampedCheckpoint = ({ checkpoint, token }: TimestampedCheckpoint): string =>
  JSON.stringify({ checkpoint, timestamp_token: encodeBase64(token) })

/** Null for anything else, and for anything beside the two. */
export function parseTimestampedCheckpoint(json: unknown): TimestampedCheckpoint | null {
  if (!isJsonObject(json) || Object.keys(json).length !== 2) return null
  const { checkpoint, timestamp_token: encoded } = json
  const token = typeof encoded === 'string' ? decodeBase64(encoded) : null
  return typeof checkpoint === 'string' && token !== null ? { checkpoint, token } : null
}
