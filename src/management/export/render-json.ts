// Renders an export as one JSON object: head, sections, and a last member that says if it is complete.
import { RawJson, type Cell, type ExportEnd, type ExportHead, type Renderer, type Row } from './export-row.ts'
import type { Section } from './export-sections.policy.ts'

/** Sections with one object instead of a list. */
const SINGLE: ReadonlySet<Section> = new Set(['organisation', 'settings'])

export function renderJson(): Renderer {
  let section: Section | null = null
  let rows = 0

  const close = (): string => (section === null || SINGLE.has(section) ? '' : ']')

  return {
    begin: (head: ExportHead) => object(head).slice(0, -1),
    beginSection(next) {
      const closed = close()
      section = next
      rows = 0
      return `${closed},\n${JSON.stringify(next)}:${SINGLE.has(next) ? '' : '['}`
    },
    rows: (page: readonly Row[]) => page.map((row) => `${rows++ === 0 ? '' : ','}\n${object(row)}`).join(''),
    end: (end: ExportEnd) => `${close()},\n${object(end).slice(1)}\n`,
  }
}

const object = (members: Readonly<Record<string, Cell>>): string =>
  `{${Object.entries(members)
    .map(([name, cell]) => `${JSON.stringify(name)}:${cell instanceof RawJson ? cell.text : JSON.stringify(cell)}`)
    .join(',')}}`
