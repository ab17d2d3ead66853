// A statement as it is sent.
import type { Statement } from '../../organisation/compliance/statements.store.ts'
import type { ShownStatement } from './statements.schema.ts'

export const presentStatement = ({ subject, text, date, statedBy, statedAt }: Statement): ShownStatement => ({
  object: 'compliance_statement',
  subject,
  text,
  date,
  stated_by: statedBy,
  stated_at: new Date(statedAt).toISOString(),
})
