// Packs and unpacks the archived entries of one sealed R2 object, and names the object. The format is gzip of: the length of a
// table in four bytes, most significant first; the table as JSON, a row an entry; the bytes of the entries, concatenated.
import { concatBytes } from '@noble/hashes/utils.js'
import { RECEIPT_KIND } from '../../evidence/entry-tags.ts'
import { contentTextOf } from '../../evidence/entry.ts'
import { readJsonObject } from '../../platform/json.ts'
import * as z from 'zod'
import { once } from '../../platform/once.ts'
import { gunzip, gzip } from '../../platform/bytes.ts'

/** An entry with its details, stored until its retention ends. Times in milliseconds since the epoch. */
export type StoredEntry = {
  readonly position: number
  readonly kind: string
  /** The time that the entry counts for. */
  readonly at: number
  readonly expiresAt: number
  readonly entry: Uint8Array<ArrayBuffer>
  /** Facts stored beside the entry, as JSON. */
  readonly facts: string | null
}

/**
 * Returns the facts of a decision; null for other entries.
 *
 * SECURITY: a settlement's row has the salt of its answer, with which a reader of an export could guess a short answer.
 */
export const exportedFacts = ({ kind, facts }: Pick<StoredEntry, 'kind' | 'facts'>): string | null =>
  kind === RECEIPT_KIND ? facts : null

/** Returns the position of the coverage entry that a decision names; null for an entry that names none. */
export function coverageNamedIn({ kind, entry, facts }: Pick<StoredEntry, 'kind' | 'entry' | 'facts'>): number | null {
  if (!DECIDED_KINDS.has(kind)) return null
  const { coverage } = readJsonObject(kind === RECEIPT_KIND ? facts : contentTextOf(entry).content)
  return typeof coverage === 'number' ? coverage : null
}

const DECIDED_KINDS: ReadonlySet<string> = new Set([RECEIPT_KIND, 'referral_decision', 'referral_outcome'])

type NameParts = { first: number; last: number; expiresDay: number; keyFingerprint: string }

export const archivePrefix = (objectId: string): string => `ledger/${objectId}/`

/**
 * Returns the object's name. The same parts give the same name, so that an interrupted write is repeated, not stored twice. A
 * restored database seals under another key, so its names differ and it overwrites nothing.
 */
export const archiveObjectName = (objectId: string, { first, last, expiresDay, keyFingerprint }: NameParts): string =>
  `${archivePrefix(objectId)}${expiresDay}/${first}-${last}-${keyFingerprint}`

/** position, kind, at, expires_at, bytes of the entry, facts */
const TableSchema = once(() =>
  z.array(z.tuple([z.int(), z.string(), z.int(), z.int(), z.int().nonnegative(), z.string().nullable()])),
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

/** Rejects if `packEntries` did not make the bytes. Sealed bytes cannot change, so that would be a bug. */
export async function unpackEntries(bytes: Uint8Array<ArrayBuffer>): Promise<StoredEntry[]> {
  const packed = await gunzip(bytes)
  const tableEnd = LENGTH_BYTES + new DataView(packed.buffer).getUint32(0)
  const table: unknown = JSON.parse(new TextDecoder().decode(packed.subarray(LENGTH_BYTES, tableEnd)))
  let offset = tableEnd
  return TableSchema()
    .parse(table)
    .map(([position, kind, at, expiresAt, entryBytes, facts]) => {
      const entry = packed.slice(offset, (offset += entryBytes))
      return { position, kind, at, expiresAt, entry, facts }
    })
}
