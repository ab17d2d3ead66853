// Export rows of people's statements about the compliance checklist.
import type { Statement } from '../../organisation/compliance/statements.store.ts'
import { StatementSchema } from '../compliance/statements.schema.ts'
import { presentStatement } from '../compliance/statements-wire.ts'
import type { Row } from './row.ts'

export const STATEMENT_COLUMNS = ['id', ...Object.keys(StatementSchema.shape)]

/** A statement's row. Its id is its subject. */
export const describeStatement = (statement: Statement): Row => ({
  id: statement.subject,
  ...presentStatement(statement),
})
