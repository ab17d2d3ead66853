// An organisation's policy as its people and keys see and change it.
import { z } from '@hono/zod-openapi'
import { orNull } from '../../platform/nullable.schema.ts'
import { PolicyDocumentSchema } from '../../policies/document/policy-document.ts'

export const PolicySchema = z
  .strictObject({
    id: z.string().openapi({ description: 'The SHA-256 of the document’s canonical JSON, in hexadecimal.' }),
    object: z.literal('policy'),
    created_at: orNull(z.iso.datetime()).openapi({ description: 'Null where nobody has made one yet.' }),
    created_by: orNull(z.string()).openapi({ description: 'operator, usr_… or key_….' }),
    version: z.int().min(0).openapi({ description: 'Counts the changes; the ETag is this number in quotes.' }),
    document: PolicyDocumentSchema,
  })
  .openapi('Policy')

export type Policy = z.infer<typeof PolicySchema>
