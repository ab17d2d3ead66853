// Export rows of people's statements about the compliance checklist.
import type { Statement } from '../../reports/controls/control.ts'
import { StatementSchema, presentStatement } from '../compliance/compliance.schema.ts'
import type { Row } from './row.ts'

export const STATEMENT_COLUMNS = ['id', ...Object.keys(StatementSchema.shape)]

/** A statement's row. Its id is its subject. */
export const describeStatement = (statement: Statement): Row => ({
  id: statement.subject,
  ...presentStatement(statement),
})
