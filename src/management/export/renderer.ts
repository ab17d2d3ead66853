// The interface that renders an export in a format: text, piece by piece, in this order.
import type { Row } from './row.ts'
import type { Section } from './sections.policy.ts'

export type ExportHead = {
  object: 'export'
  created_at: string
  organisation_id: string
  request_id: string
  /** The size of the ledger, with the entry about this export. */
  tree_size: number
  sections: readonly Section[]
}

export type ExportEnd = {
  /** The number of entries that cannot be read. */
  unreadable_entries: number
  /** True if nothing is missing. Always the last member. */
  complete: boolean
}

export type Renderer = {
  begin(head: ExportHead): string
  beginSection(section: Section): string
  rows(page: readonly Row[]): string
  end(end: ExportEnd): string
}
