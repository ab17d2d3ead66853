// OpenAPI schemas of signed heads, proofs, settlements and anchors, for organisations' logs and the public log. The
// member names are those of ATTESTATION-v1.
import * as z from 'zod'
import { once, type Infer } from '../../platform/once.ts'
import { ANCHOR_FORMAT } from './anchor.ts'

const size = once(() => z.int().min(0))
const hexHash = once(() => z.string().regex(/^[0-9a-f]{64}$/))
const hash = once(() => hexHash().meta({ example: '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d' }))

/** Returns the members of a signed head. @param signed the descriptions of the signed bytes and of the timestamp */
export const headMembers = (signed: { bytes: string; timestamp: string }) => ({
  tree_size: size(),
  root_hash: hash(),
  timestamp: z.iso.datetime().meta({ description: signed.timestamp }),
  signature: z
    .string()
    .length(86)
    .meta({ description: `Over ${signed.bytes}. base64url.` }),
  public_key: z.string().length(43),
  key_id: z.string(),
  algorithm: z.literal('Ed25519'),
})

export const inclusionMembers = once(() => ({
  leaf_hash: hash(),
  leaf_index: size(),
  tree_size: size(),
  root_hash: hash(),
  audit_path: z.array(hash()),
}))

export const consistencyMembers = once(() => ({
  old_size: size(),
  new_size: size(),
  old_root: hash(),
  new_root: hash(),
  consistency_path: z.array(hash()),
}))

/** The first members of every response about an organisation's log. */
export const organisationMembers = once(() => ({ v: z.literal(1), org_id: z.string() }))

export const TreeHeadSchema = once(() =>
  z
    .strictObject({
      ...organisationMembers(),
      ...headMembers({
        bytes: 'the text `aqta-sth-v1|ORG|SIZE|` and the 32 bytes of the root',
        timestamp: 'When it was signed. Not among the signed bytes.',
      }),
    })
    .meta({ id: 'TreeHead' }),
)

const askedSize = once(() => z.int().min(1))

export const ProvenSizeSchema = once(() =>
  z.object({
    tree_size: askedSize().optional().meta({ description: 'Of the head it is to be proven against; else the newest.' }),
  }),
)

export const ComparedSizesSchema = once(() =>
  z.object({ old_size: askedSize(), new_size: askedSize().optional().meta({ description: 'Else the newest.' }) }),
)

export const InclusionProofSchema = once(() =>
  z
    .strictObject({ ...organisationMembers(), attestation_id: z.string(), ...inclusionMembers() })
    .meta({ id: 'InclusionProof' }),
)

export const LogProofSchema = once(() => z.strictObject({ head: TreeHeadSchema(), proof: InclusionProofSchema() }))

/** The proof of an entry that is no receipt. */
const SettlementProofSchema = once(() =>
  InclusionProofSchema().omit({ attestation_id: true }).meta({ id: 'SettlementProof' }),
)

export const LogEntryProofSchema = once(() =>
  z.strictObject({ head: TreeHeadSchema(), proof: SettlementProofSchema() }).meta({ id: 'LogEntryProof' }),
)

export type LogEntryProof = Infer<typeof LogEntryProofSchema>

/** The last members of an entry with its proof. @param tag the first byte of the entry */
const provenEntry = (tag: '0x80' | '0x87') => ({
  entry: z
    .string()
    .regex(/^[A-Za-z0-9_-]+$/)
    .meta({ description: `What the leaf is the hash of: a byte ${tag}, 16 random ones, \`content\`. base64url.` }),
  proof: SettlementProofSchema(),
})

/** Returns the schema of a settlement: how a call ended. @param settled what the settlement belongs to */
export const settlementSchema = (settled: 'record' | 'decision') =>
  z.strictObject({
    settles: z
      .int()
      .min(0)
      .meta({ description: `The position in the organisation’s log of the ${settled}.` }),
    content: z.record(z.string(), z.unknown()).meta({ description: 'How the call ended and what it cost.' }),
    ...provenEntry('0x80'),
  })

/** Returns the schema of a coverage entry: which software writes the decisions that name it. */
export const coverageSchema = once(() =>
  z.strictObject({
    index: z.int().min(0).meta({ description: 'Its position in the organisation’s log.' }),
    content: z.record(z.string(), z.unknown()).meta({
      description: 'Which software it was, which operations write decisions, and which calls leave no entry and why.',
    }),
    ...provenEntry('0x87'),
  }),
)

export type TreeHead = Infer<typeof TreeHeadSchema>
export type InclusionProof = Infer<typeof InclusionProofSchema>

const log = once(() => ({ v: z.literal(1), log: z.literal('public') }))

export const PublicTreeHeadSchema = once(() =>
  z
    .strictObject({
      ...log(),
      ...headMembers({
        bytes: 'the text `aqta-sth-public-v1|SIZE|`, the 32 bytes of the root and the text `|TIMESTAMP`',
        timestamp: 'When it was signed, again at least every minute while somebody asks.',
      }),
    })
    .meta({ id: 'PublicTreeHead' }),
)

export const PublicTreeHeadListSchema = once(() =>
  z
    .strictObject({ object: z.literal('list'), data: z.array(PublicTreeHeadSchema()) })
    .meta({ id: 'PublicTreeHeadList' }),
)

export const PublicInclusionProofSchema = once(() =>
  z.strictObject(inclusionMembers()).meta({ id: 'PublicInclusionProof' }),
)

export const PublicLogProofSchema = once(() =>
  z.strictObject({ head: PublicTreeHeadSchema(), proof: PublicInclusionProofSchema() }),
)

export const NOT_PUBLISHED_YET = 'Null for up to a minute, until the public log has the record.'

export const PublicConsistencyProofSchema = once(() =>
  z.strictObject({ ...log(), ...consistencyMembers() }).meta({ id: 'PublicConsistencyProof' }),
)

export type PublicConsistencyProof = Infer<typeof PublicConsistencyProofSchema>

const AnchorDocumentSchema = once(() =>
  z.strictObject({
    v: z.literal(ANCHOR_FORMAT),
    anchor_id: z
      .uuid({ version: 'v4' })
      .meta({ description: 'By which the public log proves the leaf, as any other.' }),
    log_id: hexHash().meta({ description: 'Of the organisation’s log: the same in all its anchors.' }),
    tree_size: z.int().min(1).meta({ description: 'How many leaves of the organisation’s log are anchored.' }),
    root_hash: hexHash(),
    timestamp: z.iso.datetime().meta({ description: 'When the anchor was made.' }),
    salt: hexHash().meta({ description: '32 random bytes, so that the leaf alone tells nobody the size.' }),
  }),
)

export const AnchorSchema = once(() =>
  z
    .strictObject({
      document: AnchorDocumentSchema().meta({
        description: 'Its leaf in the public log is SHA-256 of a zero byte, a byte 0xc0 and its canonical JSON.',
      }),
      public_log: PublicLogProofSchema(),
      consistency: z
        .strictObject(consistencyMembers())
        .meta({ description: 'That the log whose head stands beside it continues the tree that is anchored.' }),
    })
    .meta({ id: 'LogAnchor' }),
)

export type Anchor = Infer<typeof AnchorSchema>

export const ANCHOR_DESCRIPTION =
  'The newest anchor of the organisation’s log in the public log: the log is anchored up to its tree_size. Null until there is one, at the latest 71 minutes after the log’s first entry.'
