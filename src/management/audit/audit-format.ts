// What exports of audit entries are called and come as. Pure: pages take the types of it.

/** Of the members and their meaning. */
export const AUDIT_SCHEMA = 'audit-1'

export const AUDIT_FORMATS = ['jsonl', 'csv'] as const
export type AuditFormat = (typeof AUDIT_FORMATS)[number]
