// The schema name and formats of exports of audit entries. Pure, because pages import its types.

/** The version of the members and their meaning. */
export const AUDIT_SCHEMA = 'audit-1'

export const AUDIT_FORMATS = ['jsonl', 'csv'] as const
export type AuditFormat = (typeof AUDIT_FORMATS)[number]
