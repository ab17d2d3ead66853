// The kinds of exports in the list of those that were made. Pure, so that schemas and pages may load it.

/** `selection`: the evidence of the calls that a filter lists. */
export const EXPORT_KINDS = ['evidence', 'selection', 'medical', 'organisation'] as const

export type ExportKind = (typeof EXPORT_KINDS)[number]
