// Export rows of the log: the section `audit` has every stored entry, the section `receipts` the signed records of decisions.
import * as z from 'zod'
import { once } from '../../platform/once.ts'
import type { Signer } from '../../evidence/records/configured-keys.ts'
import { encodeBase64url } from '../../evidence/records/base64.ts'
import type { ExportedEntry } from '../../organisation/export/export.target.ts'
import { exportColumns, RawJson, rowOf, type Row, type RowKind } from './export-row.ts'
import type { Format } from './export-sections.policy.ts'

/** One entry; its id is its position. Salt and content give the leaf’s hash, as docs/export-data.md explains. */
const ENTRY: RowKind<ExportedEntry> = {
  id: ({ position }) => position,
  object: () => 'entry',
  kind: ({ kind }) => kind,
  at: ({ at }) => new Date(at).toISOString(),
  leaf_hash: ({ leafHash }) => leafHash,
  salt: ({ salt }) => salt,
  content: ({ content }) => new RawJson(content),
  facts: ({ facts }) => facts && new RawJson(facts),
}

export const ENTRY_COLUMNS = exportColumns(ENTRY)

export const describeEntry = rowOf(ENTRY)

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

const RecordSchema = once(() =>
  z.looseObject({ attestation_id: z.string(), public_key: z.string() }).catchall(z.json()),
)

const encoder = new TextEncoder()

/**
 * Returns a decision's record as its caller got it: whole in JSON, for verification, and member by member in CSV. The log has no
 * signatures, so the record is signed again. `signature` is null if the seed of its key is deleted.
 */
export async function describeReceipt(
  { position, content }: ExportedEntry,
  signer: Signer | null,
  format: Format,
): Promise<Row> {
  const { attestation_id: id, ...record } = RecordSchema().parse(JSON.parse(content))
  const key = (await signer?.keyNamed(record.public_key)) ?? null
  const signature = key && encodeBase64url(await key.sign(encoder.encode(content)))
  const described = { id, object: 'receipt', position }
  if (format === 'csv') return { ...described, ...record, signature }
  return { ...described, record: { ...record, attestation_id: id, signature } }
}
