// Where statements are, and what they are about.
export const STATEMENTS_PATH = '/api/compliance/statements'
export const statementPath = (subject: string): string => `${STATEMENTS_PATH}/${encodeURIComponent(subject)}`

/** True for an anomaly or a disparity: it has a cause, and may be over. */
export const isFinding = (subject: string): boolean => /^(?:anomaly|disparity):/.test(subject)
