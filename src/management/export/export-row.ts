// The rows of a data export, functions that make them, and the interface of its renderers. All sections and formats share them.
import type { Json } from '../../evidence/records/canonical-json.ts'
import type { Section } from './export-sections.policy.ts'

/** Text that is JSON already and is written unchanged. */
export class RawJson {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export type Cell = Json | RawJson

export type Row = { readonly id: string | number; readonly [member: string]: Cell }

export type RowPages = AsyncIterable<readonly Row[]>

/** A kind of row: its members in order, each with a function that reads its cell from a record. */
export type RowKind<Record> = {
  readonly id: (record: Record) => string | number
  readonly [member: string]: (record: Record) => Cell
}

export const rowOf =
  <Record>(kind: RowKind<Record>) =>
  (record: Record): Row => ({
    ...Object.fromEntries(Object.entries(kind).map(([member, cell]) => [member, cell(record)])),
    id: kind.id(record),
  })

export const exportColumns = (...kinds: readonly object[]): string[] => [...new Set(kinds.flatMap(Object.keys))]

export type ExportHead = {
  object: 'export'
  created_at: string
  organisation_id: string
  request_id: string
  /** The size of the log, including the entry about this export. */
  tree_size: number
  sections: readonly Section[]
}

export type ExportEnd = {
  unreadable_entries: number
  /** True if nothing is missing. Always the last member. */
  complete: boolean
}

/** Renders an export in a format. The methods are called in this order, and their texts are joined. */
export type Renderer = {
  begin(head: ExportHead): string
  beginSection(section: Section): string
  rows(page: readonly Row[]): string
  end(end: ExportEnd): string
}
