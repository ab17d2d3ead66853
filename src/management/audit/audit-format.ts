// The schema name and the formats of exports of audit entries. Pure.

/** The name of the schema. Its number changes with the members or their meaning. */
export const AUDIT_SCHEMA = 'audit-3'

export const AUDIT_FORMATS = ['jsonl', 'csv'] as const
export type AuditFormat = (typeof AUDIT_FORMATS)[number]
