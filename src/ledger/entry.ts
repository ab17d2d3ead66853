// What a leaf of an organisation's ledger is the hash of. Pure.
import { createHash } from 'node:crypto'
import { canonicalBytes, type Json } from '../attestation/canonical-json.ts'

/** First byte of an entry. Kinds of our own start at 0x80 and never enter the public log. */
const TAGS = { settlement: 0x80, referral_decision: 0x81, operator_act: 0x82, chat_decision: 0x83 } as const

export type EntryKind = keyof typeof TAGS

export type EntryContent = { readonly [member: string]: Json }

/**
 * Tag, 16 random bytes, canonical JSON. The random bytes keep anyone from guessing the content of an entry whose
 * details are gone but whose leaf hash stays.
 */
export function encodeEntry(kind: EntryKind, content: EntryContent): Uint8Array<ArrayBuffer> {
  return concatBytes(Uint8Array.of(TAGS[kind]), crypto.getRandomValues(new Uint8Array(16)), canonicalBytes(content))
}

const LEAF = Uint8Array.of(0x00)

/** SHA-256(0x00 ‖ entry), the leaf hash of RFC 6962. The runtime's own hash: it is synchronous, and is in every turn. */
export const leafHash = (entry: Uint8Array): Uint8Array =>
  new Uint8Array(createHash('sha256').update(LEAF).update(entry).digest())

function concatBytes(...parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0))
  let offset = 0
  for (const part of parts) {
    bytes.set(part, offset)
    offset += part.byteLength
  }
  return bytes
}
