// Writes the lines of an export of audit entries: one for each leaf, as JSON or as a row of CSV. The JSON lines are checked by
// evidence/verify/check-audit-lines.ts, which refuses members that it does not list.
import type { Signer } from '../../evidence/records/configured-keys.ts'
import { encodeBase64url } from '../../evidence/records/base64.ts'
import { RECEIPT_TAG } from '../../evidence/records/receipt-entry.ts'
import { exportedFacts, type StoredEntry } from '../../organisation/journal/archive-object.ts'
import { contentTextOf } from '../../evidence/entry.ts'
import type { ReadLeaf } from '../../organisation/audit/leaf-reader.ts'
import { readJson } from '../../platform/json.ts'
import { jsonLine } from '../log-export.ts'

/** Writes one line. Content and facts are JSON already. The content is byte for byte as its leaf covers it. */
export async function leafLine(leaf: ReadLeaf, signer: Signer | null): Promise<string> {
  const { index } = leaf
  const leaf_hash = leaf.leafHash.toHex()
  if ('withheld' in leaf) return jsonLine({ object: 'audit_entry', index, leaf_hash, withheld: leaf.withheld })
  const { kind, at, entry } = leaf.entry
  const facts = exportedFacts(leaf.entry)
  const members = { object: 'audit_entry', index, leaf_hash, kind, at: new Date(at).toISOString() }
  const { content } = contentTextOf(entry)
  const signature = await signatureOf(leaf.entry, content, signer)
  return (
    `${JSON.stringify({ ...members, entry: entry.toBase64() }).slice(0, -1)},"content":${content},"facts":${facts ?? 'null'}` +
    `${signature === undefined ? '' : `,"signature":${JSON.stringify(signature)}`}}\n`
  )
}

/** Signs a receipt again, as its caller got it. Null if the seed of its key is gone; undefined for any other entry. */
async function signatureOf(
  { entry }: StoredEntry,
  content: string,
  signer: Signer | null,
): Promise<string | null | undefined> {
  if (entry[0] !== RECEIPT_TAG) return undefined
  const record = readJson(content)
  const publicKey = typeof record === 'object' && record !== null && 'public_key' in record ? record.public_key : null
  const key = typeof publicKey === 'string' ? await signer?.keyNamed(publicKey) : null
  return key ? encodeBase64url(await key.sign(entry.subarray(1))) : null
}

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
