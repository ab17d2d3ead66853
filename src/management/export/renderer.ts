// What writes an export in a format: text, piece by piece, in this order.
import type { Row } from './row.ts'
import type { Section } from './sections.policy.ts'

export type ExportHead = {
  object: 'export'
  created_at: string
  organisation_id: string
  request_id: string
  /** Of the ledger, the entry of this export included. */
  tree_size: number
  sections: readonly Section[]
}

export type ExportEnd = {
  /** Entries that should be there and cannot be read. */
  unreadable_entries: number
  /** Whether everything is there. Always the last. */
  complete: boolean
}

export type Renderer = {
  begin(head: ExportHead): string
  beginSection(section: Section): string
  rows(page: readonly Row[]): string
  end(end: ExportEnd): string
}
