// Packs the entries of a sealed object and names it. The format is gzip of: the length of a table in four bytes,
// most significant first; the table as JSON, a row an entry; the bytes of the entries, one after the other.
import { concatBytes } from '@noble/hashes/utils.js'
import { z } from 'zod'
import { gunzip, gzip } from '../../platform/bytes.ts'

/** An entry with its details, stored as long as its retention says. Times in milliseconds since the epoch. */
export type StoredEntry = {
  readonly position: number
  readonly kind: string
  /** The time it counts for. */
  readonly at: number
  readonly expiresAt: number
  readonly entry: Uint8Array<ArrayBuffer>
  /** JSON of what is known beside the entry. */
  readonly facts: string | null
}

type Named = { first: number; last: number; expiresDay: number; keyFingerprint: string }

/** The prefix of the names of all archived entries of one organisation's object. */
export const archivePrefix = (objectId: string): string => `ledger/${objectId}/`

/**
 * The same for the same details, so that an object whose writing was cut off is written again, not a second time. A database
 * that was taken back makes another key, and so puts nothing in the place of what was sealed before.
 */
export const archiveObjectName = (objectId: string, { first, last, expiresDay, keyFingerprint }: Named): string =>
  `${archivePrefix(objectId)}${expiresDay}/${first}-${last}-${keyFingerprint}`

/** position, kind, at, expires_at, bytes of the entry, facts */
const TableSchema = z.array(
  z.tuple([z.int(), z.string(), z.int(), z.int(), z.int().nonnegative(), z.string().nullable()]),
)

const LENGTH_BYTES = 4

export function packEntries(entries: readonly StoredEntry[]): Promise<Uint8Array<ArrayBuffer>> {
  const rows = entries.map(({ position, kind, at, expiresAt, entry, facts }) => [
    position,
    kind,
    at,
    expiresAt,
    entry.byteLength,
    facts,
  ])
  const table = new TextEncoder().encode(JSON.stringify(rows))
  const length = new Uint8Array(LENGTH_BYTES)
  new DataView(length.buffer).setUint32(0, table.byteLength)
  return gzip(concatBytes(length, table, ...entries.map(({ entry }) => entry)))
}

/** Rejects for what packEntries has not made: what is unsealed is what was sealed, so that would be our mistake. */
export async function unpackEntries(bytes: Uint8Array<ArrayBuffer>): Promise<StoredEntry[]> {
  const packed = await gunzip(bytes)
  const tableEnd = LENGTH_BYTES + new DataView(packed.buffer).getUint32(0)
  const table: unknown = JSON.parse(new TextDecoder().decode(packed.subarray(LENGTH_BYTES, tableEnd)))
  let offset = tableEnd
  return TableSchema.parse(table).map(([position, kind, at, expiresAt, entryBytes, facts]) => {
    const entry = packed.slice(offset, (offset += entryBytes))
    return { position, kind, at, expiresAt, entry, facts }
  })
}
