// What a leaf of an organisation's ledger is the hash of. Pure.
import { concatBytes } from '@noble/hashes/utils.js'
import { z } from 'zod'
import { canonicalBytes, type Json } from './records/canonical-json.ts'
import { RECEIPT_TAG } from './records/receipt-entry.ts'
import { ENTRY_TAGS, type EntryKind } from './entry-tags.ts'
import { hashLeaf } from './tree/merkle-hash.ts'
import { sha256 } from '../platform/sha256.ts'

export type EntryContent = { readonly [member: string]: Json }

/**
 * Tag, 16 random bytes, canonical JSON. The random bytes keep anyone from guessing the content of an entry whose
 * details are gone but whose leaf hash stays.
 */
export function encodeEntry(kind: EntryKind, content: EntryContent): Uint8Array<ArrayBuffer> {
  return concatBytes(
    Uint8Array.of(ENTRY_TAGS[kind]),
    crypto.getRandomValues(new Uint8Array(SALT_BYTES)),
    canonicalBytes(content),
  )
}

const SALT_BYTES = 16

/** What an entry of our own kinds says. Throws for bytes that `encodeEntry` has not made. */
export function contentOf(entry: Uint8Array): EntryContent {
  const text = new TextDecoder().decode(entry.subarray(1 + SALT_BYTES))
  return ContentSchema.parse(JSON.parse(text))
}

/** The JSON of any entry as it stands there, and the random bytes before it in hexadecimal digits. A receipt has no such bytes. */
export function contentTextOf(entry: Uint8Array): { content: string; salt: string | null } {
  const isReceipt = entry[0] === RECEIPT_TAG
  const start = isReceipt ? 1 : 1 + SALT_BYTES
  return {
    content: new TextDecoder().decode(entry.subarray(start)),
    salt: isReceipt ? null : entry.subarray(1, start).toHex(),
  }
}

const ContentSchema = z.record(z.string(), z.json())

/** The leaf hash of RFC 6962, by the runtime's own SHA-256: it is in every turn. */
export const leafHash = (entry: Uint8Array): Uint8Array => hashLeaf(entry, sha256)
