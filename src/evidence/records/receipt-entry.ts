// Encodes and reads a record's entry in the transparency log: a tag byte and the signed bytes. The signature is left out, so the
// log can be written before the record is signed.
import { concatBytes } from '@noble/hashes/utils.js'
import { canonicalBytes } from './canonical-json.ts'
import { findMemberFault, signedBytes, type UnsignedRecord } from './attestation-record.ts'
import { readJsonObject } from './read-json-object.ts'
import type { JsonObject } from '../../platform/json.ts'
import { isSameBytes } from '../../platform/bytes.ts'

/** First byte of a receipt's entry. Other kinds start at 0x80. Only receipts and anchors enter the public log. */
export const RECEIPT_TAG = 0x00

/** @see docs/records.md#log-entries */
export const receiptEntry = (record: JsonObject): Uint8Array =>
  concatBytes(Uint8Array.of(RECEIPT_TAG), signedBytes(record))

/**
 * Returns the record in an entry, ready to be signed again. Returns null if the entry is no receipt or not canonical.
 * @see docs/records.md#log-entries
 */
export function readReceiptEntry(entry: Uint8Array): UnsignedRecord | null {
  if (entry[0] !== RECEIPT_TAG) return null
  const signed = entry.subarray(1)
  const read = readJsonObject(signed)
  if (!read.readable || !isUnsignedRecord(read.object)) return null
  const again = canonicalBytes(read.object)
  return isSameBytes(again, signed) ? read.object : null
}

function isUnsignedRecord(object: JsonObject): object is JsonObject & UnsignedRecord {
  const texts = ['attestation_id', 'trace_id', 'org_id', 'model', 'public_key']
  return (
    findMemberFault({ ...object, signature: '' }) === null &&
    object['outcome'] !== 'PASSED' &&
    texts.every((name) => typeof object[name] === 'string')
  )
}
