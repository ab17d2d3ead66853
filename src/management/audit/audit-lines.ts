// Writes the lines of an export of audit entries: one for each leaf, as JSON or as a row of CSV. The JSON lines are checked by
// evidence/verify/check-audit-lines.ts, which refuses members that it does not list.
import type { Signer } from '../../evidence/records/configured-keys.ts'
import { acceptanceOf } from '../../evidence/records/accept-record.ts'
import { signedBytes } from '../../evidence/records/attestation-record.ts'
import { encodeBase64url } from '../../evidence/records/base64.ts'
import { ENTRY_TAGS } from '../../evidence/entry-tags.ts'
import { RECEIPT_TAG } from '../../evidence/records/receipt-entry.ts'
import { coverageNamedIn, exportedFacts, type StoredEntry } from '../../organisation/journal/archive-object.ts'
import type { ProvenEntry } from '../../organisation/journal/log-reader.ts'
import { contentTextOf } from '../../evidence/entry.ts'
import type { ReadLeaf } from '../../organisation/audit/leaf-reader.ts'
import { readJsonObject, type JsonObject } from '../../platform/json.ts'
import { jsonLine } from '../log-export.ts'

/** `call`: the position of the decision whose call the entry belongs to. */
type SelectedMembers = { call: number; audit_path: readonly string[] }

/**
 * Writes one line. Content and facts are JSON already. The content is byte for byte as its leaf covers it.
 *
 * @param selected the last members of a line that is no part of a range
 */
export async function leafLine(leaf: ReadLeaf, signer: Signer | null, selected?: SelectedMembers): Promise<string> {
  const { index } = leaf
  const leaf_hash = leaf.leafHash.toHex()
  if ('withheld' in leaf)
    return jsonLine({ object: 'audit_entry', index, leaf_hash, withheld: leaf.withheld, ...selected })
  const { kind, at, entry } = leaf.entry
  const facts = exportedFacts(leaf.entry)
  const members = { object: 'audit_entry', index, leaf_hash, kind, at: new Date(at).toISOString() }
  const { content } = contentTextOf(entry)
  const signature = await signatureOf(leaf.entry, content, signer)
  return (
    `${JSON.stringify({ ...members, entry: entry.toBase64() }).slice(0, -1)},"content":${content},"facts":${facts ?? 'null'}` +
    (signature === undefined ? '' : `,"signature":${JSON.stringify(signature)}`) +
    `${selected === undefined ? '' : `,${JSON.stringify(selected).slice(1, -1)}`}}\n`
  )
}

/** Returns the position of the coverage entry that a leaf names; empty if it names none. */
export function coverageNamedBy(leaf: ReadLeaf): number[] {
  const named = 'entry' in leaf ? coverageNamedIn(leaf.entry) : null
  return named === null ? [] : [named]
}

/** Writes the line of a coverage entry that is before the range, with the proof that it is in the tree of the head. */
export function coverageLine({ entry, inclusion }: ProvenEntry): string {
  const { leaf_index: index, leaf_hash, audit_path } = inclusion
  const members = { object: 'audit_export.coverage', index, leaf_hash, entry: entry.toBase64() }
  return `${JSON.stringify(members).slice(0, -1)},"content":${contentTextOf(entry).content},"audit_path":${JSON.stringify(audit_path)}}\n`
}

/**
 * Signs a receipt again, as its caller got it, or the record of a person's decision. Null if the seed of its key is gone;
 * undefined for any other entry.
 */
async function signatureOf(
  { entry }: StoredEntry,
  content: string,
  signer: Signer | null,
): Promise<string | null | undefined> {
  const isReceipt = entry[0] === RECEIPT_TAG
  const record = isReceipt ? readJsonObject(content) : acceptanceIn(entry, content)
  if (record === null) return undefined
  const { public_key: publicKey } = record
  const key = typeof publicKey === 'string' ? await signer?.keyNamed(publicKey) : null
  return key ? encodeBase64url(await key.sign(isReceipt ? entry.subarray(1) : signedBytes(record))) : null
}

const acceptanceIn = (entry: Uint8Array, content: string): JsonObject | null =>
  entry[0] === ENTRY_TAGS.approval ? acceptanceOf(readJsonObject(content)) : null

/** The columns of the CSV, which carries no proof. */
export const LEAF_COLUMNS = ['index', 'kind', 'at', 'leaf_hash', 'withheld', 'salt', 'content', 'facts']

export function leafRow(leaf: ReadLeaf): string[] {
  const [index, hash] = [String(leaf.index), leaf.leafHash.toHex()]
  if ('withheld' in leaf) return [index, '', '', hash, leaf.withheld, '', '', '']
  const { kind, at, entry } = leaf.entry
  const { content, salt } = contentTextOf(entry)
  return [index, kind, new Date(at).toISOString(), hash, '', salt ?? '', content, exportedFacts(leaf.entry) ?? '']
}

/** Returns the last row of the table, as wide as the others. */
export function lastRow({ entries, withheld }: { entries: number; withheld: number }, next: string | null): string[] {
  const cells = ['complete', String(entries), String(withheld), next ?? '']
  return LEAF_COLUMNS.map((_, at) => cells[at] ?? '')
}
