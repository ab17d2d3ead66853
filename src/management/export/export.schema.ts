// Request and response shapes of the data export.
import * as z from 'zod'
import { once } from '../../platform/once.ts'
import { KeySchema } from '../../keys/key.schema.ts'
import { ApprovalSchema } from '../../organisation/approvals/approval-response.schema.ts'
import { SettingsSchema } from '../settings/settings.schema.ts'
import { FORMATS, SECTIONS } from './export-sections.policy.ts'

export const ExportQuerySchema = once(() =>
  z.object({
    format: z.enum(FORMATS).default('json'),
    section: z.enum(SECTIONS).optional().meta({
      description: 'Only this; in CSV a table of its own. Where it is not sent: all that the caller may have.',
    }),
  }),
)

const list = once(() => z.array(z.looseObject({ id: z.union([z.string(), z.int()]), object: z.string() })))

export const ExportSchema = once(() =>
  z
    .strictObject({
      object: z.literal('export'),
      created_at: z.iso.datetime(),
      organisation_id: z.string(),
      request_id: z.string(),
      tree_size: z.int().meta({
        description: 'Entries of the organisation’s ledger that the export goes up to; its own is the last of them.',
      }),
      sections: z.array(z.enum(SECTIONS)),
      account: list().optional(),
      organisation: z.looseObject({ id: z.string(), object: z.literal('organisation') }).optional(),
      members: list().optional(),
      keys: z.array(KeySchema()).optional(),
      settings: SettingsSchema().optional(),
      notifications: list().optional(),
      policies: list().optional(),
      approvals: z.array(ApprovalSchema()).optional(),
      statements: list().optional(),
      anomalies: list().optional(),
      usage: list().optional(),
      audit: list().optional(),
      receipts: list().optional(),
      unreadable_entries: z.int().meta({ description: 'Entries that should be there and cannot be read.' }),
      complete: z.boolean().meta({
        description: 'The last member: whether all of it is there. An export that ends before it was broken off.',
      }),
    })
    .meta({ id: 'Export' }),
)
