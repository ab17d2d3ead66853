// Encodes and decodes the entries of an organisation's log, and hashes an entry to its leaf.
import { concatBytes } from '@noble/hashes/utils.js'
import * as z from 'zod'
import { once } from '../platform/once.ts'
import { canonicalBytes, type Json } from './records/canonical-json.ts'
import { RECEIPT_TAG } from './records/receipt-entry.ts'
import { ENTRY_SALT_BYTES, ENTRY_TAGS, type EntryKind } from './entry-tags.ts'
import { hashLeaf } from './tree/merkle-hash.ts'
import { sha256 } from '../platform/sha256.ts'

export type EntryContent = { readonly [member: string]: Json }

/**
 * Returns the tag, 16 random bytes and canonical JSON. The random bytes keep anyone from guessing erased details from
 * the leaf hash that remains.
 */
export const encodeEntry = (kind: EntryKind, content: EntryContent): Uint8Array<ArrayBuffer> =>
  concatBytes(
    Uint8Array.of(ENTRY_TAGS[kind]),
    crypto.getRandomValues(new Uint8Array(ENTRY_SALT_BYTES)),
    canonicalBytes(content),
  )

/** Returns the content of an entry of the service's own kinds. Throws for bytes that `encodeEntry` did not make. */
export function contentOf(entry: Uint8Array): EntryContent {
  const text = new TextDecoder().decode(entry.subarray(1 + ENTRY_SALT_BYTES))
  return ContentSchema().parse(JSON.parse(text))
}

/** Returns the JSON text of any entry, and its salt in hexadecimal digits. A receipt has no salt. */
export function contentTextOf(entry: Uint8Array): { content: string; salt: string | null } {
  const isReceipt = entry[0] === RECEIPT_TAG
  const start = isReceipt ? 1 : 1 + ENTRY_SALT_BYTES
  return {
    content: new TextDecoder().decode(entry.subarray(start)),
    salt: isReceipt ? null : entry.subarray(1, start).toHex(),
  }
}

const ContentSchema = once(() => z.record(z.string(), z.json()))

/**
 * Returns the leaf hash. Uses the runtime's own SHA-256, because every call hashes an entry.
 * @see https://www.rfc-editor.org/rfc/rfc9162#section-2.1.1
 */
export const leafHash = (entry: Uint8Array): Uint8Array => hashLeaf(entry, sha256)
