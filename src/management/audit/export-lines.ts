// An export of audit entries as JSON lines: a head with the signed tree, a line for each leaf, and a last line with the proof.
import type { Signer } from '../../evidence/records/attestation-keys.ts'
import { encodeBase64url } from '../../evidence/records/base64.ts'
import type { PublishedKey } from '../../evidence/records/key-history.ts'
import { signIssued } from '../../evidence/records/issued-document.ts'
import { RECEIPT_TAG } from '../../evidence/records/receipt-entry.ts'
import type { SigningKey } from '../../evidence/records/signing-key.ts'
import type { Anchor, TreeHead } from '../../evidence/bundles/log.schema.ts'
import type { KeptEntry } from '../../organisation/journal/archive-object.ts'
import { contentTextOf } from '../../evidence/entry.ts'
import type { ReadLeaf } from '../../organisation/audit/leaf-reader.ts'
import { readJson } from '../../platform/json.ts'
import type { AuditExportId } from '../../platform/ids.ts'
import { AUDIT_SCHEMA } from './audit-format.ts'

export type ExportHead = {
  export_id: AuditExportId
  org_id: string
  demo?: true
  created_at: string
  start: string
  end: string
  /** Positions: the first in the export, and the first after it. */
  first: number
  end_index: number
  tree_head: TreeHead
  anchor: Anchor | null
  public_keys: readonly PublishedKey[]
}

export type ExportEnd = {
  entries: number
  withheld: number
  /** The hash of all bytes before this line, in hex. */
  sha256: string
  range_proof: readonly string[]
  /** The `end_index` of the head; null if the days have no further entries. */
  next_cursor: string | null
}

const line = (members: object): string => `${JSON.stringify(members)}\n`

export const headLine = (head: ExportHead): string =>
  line({ object: 'audit_export.head', schema: AUDIT_SCHEMA, ...head })

/** Signs the line with the hash of all bytes before it, so that nobody can change the export unnoticed. */
export const endLine = async (end: ExportEnd, key: SigningKey, now: number): Promise<string> =>
  line(await signIssued({ object: 'audit_export.end', ...end }, key, now))

/** Writes one line. Content and facts are JSON already. The content is byte for byte as its leaf covers it. */
export async function leafLine(leaf: ReadLeaf, signer: Signer | null): Promise<string> {
  const { index } = leaf
  const leaf_hash = leaf.leafHash.toHex()
  if ('withheld' in leaf) return line({ object: 'audit_entry', index, leaf_hash, withheld: leaf.withheld })
  const { kind, at, entry, facts } = leaf.entry
  const members = { object: 'audit_entry', index, leaf_hash, kind, at: new Date(at).toISOString() }
  const { content } = contentTextOf(entry)
  const signature = await signatureOf(leaf.entry, content, signer)
  return (
    `${JSON.stringify({ ...members, entry: entry.toBase64() }).slice(0, -1)},"content":${content},"facts":${facts ?? 'null'}` +
    `${signature === undefined ? '' : `,"signature":${JSON.stringify(signature)}`}}\n`
  )
}

/** The receipt's signature as its caller got it, because the log has the signed bytes. Null if the key's seed is gone. */
async function signatureOf(
  { entry }: KeptEntry,
  content: string,
  signer: Signer | null,
): Promise<string | null | undefined> {
  if (entry[0] !== RECEIPT_TAG) return undefined
  const record = readJson(content)
  const publicKey = typeof record === 'object' && record !== null && 'public_key' in record ? record.public_key : null
  const key = typeof publicKey === 'string' ? await signer?.keyNamed(publicKey) : null
  return key ? encodeBase64url(await key.sign(entry.subarray(1))) : null
}
