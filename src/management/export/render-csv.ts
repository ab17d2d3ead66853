// Renders an export as CSV: one cell per line for all sections, or one section as a table.
import { csv } from '../../platform/download.ts'
import { RawJson, type Cell, type ExportEnd, type ExportHead, type Renderer, type Row } from './export-row.ts'
import type { Section } from './export-sections.policy.ts'

/** Renders all sections with the columns `section,id,field,value`. */
export function renderCells(): Renderer {
  let section: Section | 'export' = 'export'
  let requestId = ''

  const cellsOf = (id: string | number, members: object): string[][] =>
    Object.entries(members).map(([name, cell]: [string, Cell]) => [section, String(id), name, cellText(cell)])

  return {
    begin({ request_id: id, ...head }: ExportHead) {
      requestId = id
      return csv([['section', 'id', 'field', 'value'], ...cellsOf(id, head)])
    },
    beginSection(next) {
      section = next
      return ''
    },
    rows: (page: readonly Row[]) => csv(page.flatMap(({ id, ...members }) => cellsOf(id, members))),
    end(end: ExportEnd) {
      section = 'export'
      return csv(cellsOf(requestId, end))
    },
  }
}

/** Renders one section. The last row has `complete` or `incomplete` in place of an id, then the number of rows. */
export function renderTable(columns: readonly string[]): Renderer {
  let count = 0
  const line = (cells: readonly string[]): string[] => columns.map((_, at) => cells[at] ?? '')
  return {
    begin: () => '',
    beginSection: () => csv([[...columns]]),
    rows(page: readonly Row[]) {
      count += page.length
      return csv(page.map((row) => columns.map((column) => cellText(row[column] ?? null))))
    },
    end: ({ complete }: ExportEnd) => csv([line([complete ? 'complete' : 'incomplete', String(count)])]),
  }
}

/** Returns an empty text for null, a list of words separated by spaces, and JSON for any other structure. */
function cellText(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell === 'string') return cell
  if (cell instanceof RawJson) return cell.text
  if (Array.isArray(cell) && cell.every((item) => typeof item === 'string' && !item.includes(' ')))
    return cell.join(' ')
  return JSON.stringify(cell)
}
