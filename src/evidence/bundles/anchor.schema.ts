// Anchors of an organisation's log as they are answered: in bundles, in receipts and at the beginning of exports.
import { z } from '@hono/zod-openapi'
import { ANCHOR_FORMAT } from './anchor.ts'
import { consistencyMembers } from './log.schema.ts'
import { PublicInclusionProofSchema, PublicTreeHeadSchema } from './public-log.schema.ts'

const hash = z.string().regex(/^[0-9a-f]{64}$/)

const AnchorDocumentSchema = z.strictObject({
  v: z.literal(ANCHOR_FORMAT),
  anchor_id: z
    .uuid({ version: 'v4' })
    .openapi({ description: 'By which the public log proves the leaf, as any other.' }),
  log_id: hash.openapi({ description: 'Of the organisation’s log: the same in all its anchors.' }),
  tree_size: z.int().min(1).openapi({ description: 'How many leaves of the organisation’s log are anchored.' }),
  root_hash: hash,
  timestamp: z.iso.datetime().openapi({ description: 'When the anchor was made.' }),
  salt: hash.openapi({ description: '32 random bytes, so that the leaf alone tells nobody the size.' }),
})

export const AnchorSchema = z
  .strictObject({
    document: AnchorDocumentSchema.openapi({
      description: 'Its leaf in the public log is SHA-256 of a zero byte, a byte 0xc0 and its canonical JSON.',
    }),
    public_log: z.strictObject({ head: PublicTreeHeadSchema, proof: PublicInclusionProofSchema }),
    consistency: z
      .strictObject(consistencyMembers)
      .openapi({ description: 'That the log whose head stands beside it continues the tree that is anchored.' }),
  })
  .openapi('LogAnchor')

export type Anchor = z.infer<typeof AnchorSchema>

export const ANCHOR_DESCRIPTION =
  'The newest anchor of the organisation’s log in the public log: the log is anchored up to its tree_size. Null until there is one, at the latest 71 minutes after the log’s first entry.'
