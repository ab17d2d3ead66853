// The ledger as an export has it: every entry that is kept, and the records of decisions, signed.
import { z } from 'zod'
import type { Signer } from '../../evidence/records/attestation-keys.ts'
import { encodeBase64url } from '../../evidence/records/base64.ts'
import type { ExportedEntry } from '../../organisation/export/export.target.ts'
import { RawJson, type Row } from './row.ts'
import type { Format } from './sections.policy.ts'

export const ENTRY_COLUMNS = ['id', 'object', 'kind', 'at', 'leaf_hash', 'salt', 'content', 'facts']

/** Its id is its position. With salt and content anybody can make the leaf’s hash again: docs/accounts.md says how. */
export const describeEntry = ({ position, kind, at, leafHash, salt, content, facts }: ExportedEntry): Row => ({
  id: position,
  object: 'entry',
  kind,
  at: new Date(at).toISOString(),
  leaf_hash: leafHash,
  salt,
  content: new RawJson(content),
  facts: facts === null ? null : new RawJson(facts),
})

export const RECEIPT_COLUMNS = [
  'id',
  'object',
  'position',
  'timestamp',
  'outcome',
  'model',
  'policy_applied',
  'cost_prevented_eur',
  'trace_id',
  'org_id',
  'request_hash',
  'v',
  'public_key',
  'signature',
]

const RecordSchema = z.looseObject({ attestation_id: z.string(), public_key: z.string() }).catchall(z.json())

const encoder = new TextEncoder()

/**
 * The record as its caller got it: whole in JSON, so that it can be checked as it stands, and member by member in a table. What
 * is in the ledger is what was signed, to the byte. `signature` is null where the seed of its key is gone.
 */
export async function describeReceipt(
  { position, content }: ExportedEntry,
  signer: Signer | null,
  format: Format,
): Promise<Row> {
  const { attestation_id: id, ...record } = RecordSchema.parse(JSON.parse(content))
  const key = (await signer?.keyNamed(record.public_key)) ?? null
  const signature = key && encodeBase64url(await key.sign(encoder.encode(content)))
  const described = { id, object: 'receipt', position }
  if (format === 'csv') return { ...described, ...record, signature }
  return { ...described, record: { ...record, attestation_id: id, signature } }
}
