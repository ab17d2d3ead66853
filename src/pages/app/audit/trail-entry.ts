// What the trail tells of one call.
import type { z } from 'zod'
import type { AuditTrailEntrySchema } from '../../../management/audit/audit-trail.schema.ts'

export type TrailEntry = z.infer<typeof AuditTrailEntrySchema>
