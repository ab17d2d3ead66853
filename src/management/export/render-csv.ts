// An export as CSV: every cell in a row of its own, or one section as a table.
import { csv } from '../../platform/download.ts'
import type { ExportEnd, ExportHead, Renderer } from './renderer.ts'
import { RawJson, type Cell, type Row } from './row.ts'
import type { Section } from './sections.policy.ts'

/** `section,id,field,value`: whatever there is, in one form. */
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

/** One section. The last row has `complete` or `incomplete` in the place of an id, and the number of rows beside it. */
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

/** Nothing for null, words with blanks between for a list of them, and JSON for what else is no plain value. */
function cellText(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell === 'string') return cell
  if (cell instanceof RawJson) return cell.text
  if (Array.isArray(cell) && cell.every((item) => typeof item === 'string' && !item.includes(' ')))
    return cell.join(' ')
  return JSON.stringify(cell)
}
