// Reads the content of a row of the ledger's details, for every kind of entry.
import { readReceiptEntry } from '../../src/evidence/records/receipt-entry.ts'

/** The bytes as the object's own SQLite gives them, or Node's. */
export type DetailsRow<Bytes = ArrayBuffer | Uint8Array> = { kind: string; entry: Bytes; facts: string | null }

/** A receipt's record and the facts beside it as one object; of any other entry what it holds. */
export function contentOf({ kind, entry, facts }: DetailsRow): Record<string, unknown> {
  const bytes = new Uint8Array(entry)
  const record = readReceiptEntry(bytes)
  if (record !== null) return { kind, ...parseObject(facts ?? '{}'), ...record }
  // After the tag byte and 16 random ones.
  return parseObject(new TextDecoder().decode(bytes.subarray(17)))
}

const parseObject = (text: string): Record<string, unknown> => JSON.parse(text) as Record<string, unknown>
