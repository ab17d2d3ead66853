// The query for an export of audit entries, and the lines of that export.
import * as z from 'zod'
import { once, type Infer } from '../../platform/once.ts'
import { historicKeys } from '../../evidence/records/attestation.schema.ts'
import { ANCHOR_DESCRIPTION, AnchorSchema, TreeHeadSchema } from '../../evidence/bundles/log-proofs.schema.ts'
import { demoMember, orNull } from '../../platform/names.schema.ts'
import { LATEST_ACTS_KEPT } from '../../policies/organisation-limits.policy.ts'
import { dateRangeMembers } from '../date-range.ts'
import { AUDIT_SCHEMA, SELECTION_SCHEMA } from '../../evidence/verify/export-lines.ts'
import { EXPORT_KINDS } from '../../organisation/audit/export-kinds.ts'
import { AUDIT_FORMATS } from './audit-format.ts'

/** The position of an entry, as it is in a query. */
export const positionText = once(() =>
  z
    .string()
    .regex(/^(?:0|[1-9]\d{0,14})$/)
    .meta({ example: '1000000' }),
)

export const AuditLogsQuerySchema = once(() =>
  z.object({
    ...dateRangeMembers(),
    format: z.enum(AUDIT_FORMATS).default('jsonl'),
    cursor: positionText().optional().meta({
      description:
        'An export has at most a million leaves: next_cursor of its last line, for the next one, with the same start and end.',
    }),
  }),
)

const position = once(() => z.int().min(0))
const hash = once(() => z.string().regex(/^[0-9a-f]{64}$/))

const HeadSchema = once(() =>
  z
    .strictObject({
      object: z.literal('audit_export.head'),
      schema: z.literal(AUDIT_SCHEMA),
      export_id: z.string(),
      org_id: z.string(),
      ...demoMember(),
      created_at: z.iso.datetime(),
      start: z.iso.date(),
      end: z.iso.date(),
      first: position().meta({ description: 'The position of the first leaf that it has.' }),
      end_index: position().meta({ description: 'The first position after it that it has not.' }),
      tree_head: TreeHeadSchema().meta({ id: 'TreeHead', description: 'Of the log as it was when the export began.' }),
      anchor: orNull(AnchorSchema()).meta({ description: ANCHOR_DESCRIPTION }),
      public_keys: historicKeys().meta({
        description: 'The service’s own word on its keys. Trust those that you have from another place.',
      }),
    })
    .meta({ id: 'AuditExportHead' }),
)

const EntrySchema = once(() =>
  z
    .strictObject({
      object: z.literal('audit_entry'),
      index: position().meta({ description: 'Its position in the log.' }),
      leaf_hash: hash(),
      kind: z.string().meta({ example: 'chat_decision' }),
      at: z.iso.datetime().meta({ description: 'The time that it counts for.' }),
      entry: z.base64().meta({ description: 'The bytes that the leaf’s hash is over, behind a zero byte.' }),
      content: z.looseObject({}).meta({ description: 'The JSON in the entry, to the byte.' }),
      facts: z.looseObject({}).nullable().meta({
        description:
          'Of a decision, what is known beside its record, whose attestation_id is computed from it. Null for any other entry.',
      }),
      signature: z.string().nullable().optional().meta({
        description:
          'Of a receipt, and of the `acceptance` in a decision about an approval, by its public_key; null where the seed of that key is gone. base64url.',
      }),
    })
    .meta({ id: 'AuditEntry' }),
)

const WithheldSchema = once(() =>
  z
    .strictObject({
      object: z.literal('audit_entry'),
      index: position(),
      leaf_hash: hash(),
      withheld: z.enum(['retention', 'unreadable']).meta({
        description: 'Its time is over; or it should be there and cannot be read.',
      }),
    })
    .meta({ id: 'WithheldAuditEntry' }),
)

const CoverageSchema = once(() =>
  z
    .strictObject({
      object: z.literal('audit_export.coverage'),
      index: position().meta({ description: 'Its position in the log, before `first`.' }),
      leaf_hash: hash(),
      entry: z.base64().meta({ description: 'The bytes that the leaf’s hash is over, behind a zero byte.' }),
      content: z.looseObject({}).meta({
        description: 'Which software wrote the decisions that name it, and which calls leave no entry and why.',
      }),
      audit_path: z.array(hash()).meta({ description: 'The proof that it is in the tree of the head.' }),
    })
    .meta({ id: 'AuditExportCoverage' }),
)

const EndSchema = once(() =>
  z
    .strictObject({
      object: z.literal('audit_export.end'),
      entries: z.int().min(0),
      withheld: z.int().min(0),
      sha256: hash().meta({ description: 'Of all bytes before this line.' }),
      range_proof: z.array(hash()).meta({
        description: 'The roots of the largest complete subtrees before the range and after it, left to right.',
      }),
      next_cursor: z.string().nullable().meta({ description: 'Where the next export of these days begins.' }),
    })
    .meta({ id: 'AuditExportEnd' }),
)

export const AuditExportLineSchema = once(() =>
  z
    .union([HeadSchema(), CoverageSchema(), EntrySchema(), WithheldSchema(), EndSchema()])
    .meta({ id: 'AuditExportLine', description: 'Each line is one of these: the head first, the end last.' }),
)

const SelectionHeadSchema = once(() => {
  const { first: _first, end_index: _end, object: _object, schema: _schema, ...shared } = HeadSchema().shape
  return z
    .strictObject({
      object: z.literal('selection_export.head'),
      schema: z.literal(SELECTION_SCHEMA),
      ...shared,
      filter: z.record(z.string(), z.string()).meta({
        description: 'The members of the query that choose calls, as they were sent.',
        example: { outcome: 'blocked' },
      }),
    })
    .meta({ id: 'SelectionExportHead' })
})

const selected = once(() => ({
  call: position().meta({ description: 'The position of the decision whose call it belongs to.' }),
  audit_path: z.array(hash()).meta({ description: 'The proof that it is in the tree of the head.' }),
}))

const SelectionEndSchema = once(() =>
  z
    .strictObject({
      object: z.literal('selection_export.end'),
      calls: z.int().min(0),
      entries: z.int().min(0),
      withheld: z.int().min(0),
      unreadable: z.int().min(0).meta({
        description: 'Entries that could not be read where calls were looked for, so that calls may be missing.',
      }),
      sha256: hash().meta({ description: 'Of all bytes before this line.' }),
      next_cursor: z.string().nullable().meta({ description: 'Null if the list ended here; else where it goes on.' }),
    })
    .meta({ id: 'SelectionExportEnd' }),
)

export const SelectionLineSchema = once(() =>
  z
    .union([
      SelectionHeadSchema(),
      CoverageSchema(),
      EntrySchema().extend(selected()).meta({ id: 'SelectedEntry' }),
      WithheldSchema().extend(selected()).meta({ id: 'WithheldSelectedEntry' }),
      SelectionEndSchema(),
    ])
    .meta({ id: 'SelectionLine', description: 'The head first, each call’s entries together, the end last.' }),
)

const MadeExportSchema = once(() =>
  z
    .strictObject({
      object: z.literal('made_export'),
      kind: z.enum(EXPORT_KINDS).meta({
        description:
          'evidence: the ledger of some days. selection: the entries of listed calls. medical: the receipts of medical calls. organisation: its data.',
      }),
      created_at: z.iso.datetime(),
      index: position().meta({ description: 'The position of its beginning in the organisation’s log.' }),
      made_by: orNull(z.string()).meta({
        description:
          'A person or a key. Null as the rest once the entry has expired: it stays as long as details of calls, 365 days at least.',
      }),
      format: orNull(z.string()),
      start: orNull(z.iso.date()).meta({ description: 'The first of its days; null for an organisation’s data.' }),
      end: orNull(z.iso.date()),
      complete: orNull(z.boolean()).meta({
        description:
          'False: it was broken off. Null while it runs, and for an organisation’s data, whose end is not recorded.',
      }),
      entries: orNull(z.int().min(0)).meta({ description: 'How many entries or receipts the file has.' }),
      sha256: orNull(hash()).meta({ description: 'Of all bytes of the file but its last line.' }),
    })
    .meta({ id: 'MadeExport' }),
)

export const MadeExportsQuerySchema = once(() =>
  z.strictObject({
    limit: z.coerce.number().int().min(1).max(LATEST_ACTS_KEPT).default(20),
  }),
)

export const MadeExportsSchema = once(() =>
  z
    .strictObject({
      object: z.literal('list'),
      ...demoMember(),
      data: z.array(MadeExportSchema()),
      has_more: z.literal(false),
      next_cursor: z.null(),
    })
    .meta({ id: 'MadeExports', description: 'The latest exports.' }),
)

export type MadeExports = Infer<typeof MadeExportsSchema>
