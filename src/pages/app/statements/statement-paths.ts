// Where statements are, and what they are about.
import type { StatementSchema } from '../../../management/compliance/compliance.schema.ts'
import type { Infer } from '../../../platform/once.ts'

export type Statement = Infer<typeof StatementSchema>

export const STATEMENTS_PATH = '/api/compliance/statements'
export const statementPath = (subject: string): string => `${STATEMENTS_PATH}/${encodeURIComponent(subject)}`

/** True for an anomaly or a disparity: it has a cause, and may be over. */
export const isFinding = (subject: string): boolean => /^(?:anomaly|disparity):/.test(subject)
