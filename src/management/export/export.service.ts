// Starts a data export: records it in the log, then writes the text while it is downloaded.
import { actorOf, roleOrKeyOf, type Access } from '../../accounts/access/access-control.ts'
import type { OrganisationsStore } from '../../accounts/organisations.store.ts'
import { csv } from '../../platform/download.ts'
import { createExportSource, type ExportSource, type SourceDeps } from './export-source.ts'
import { type ExportHead, type Renderer, RawJson, type Cell, type ExportEnd, type Row } from './export-row.ts'
import { exportableSections, type Format, type Section } from './export-sections.policy.ts'

type Deps = SourceDeps & { organisations: Pick<OrganisationsStore, 'findOrganisation'> }

/** `section` null: all sections that the caller may read. */
export type ExportRequest = { format: Format; section: Section | null }

/** `erased`: the organisation was erased. */
export type ExportStarted =
  | { outcome: 'begun'; texts: AsyncIterable<string> }
  | { outcome: 'too_many'; retryAfterSeconds: number }
  | { outcome: 'erased' }

export type ExportService = ReturnType<typeof createExportService>

export const createExportService = ({ organisations, ...deps }: Deps) => ({
  async exportData(access: Access, { format, section }: ExportRequest, requestId: string): Promise<ExportStarted> {
    const { manager, organisation } = access
    const record = await organisations.findOrganisation(organisation.id)
    if (record === null) return { outcome: 'erased' }
    const sections = section === null ? exportableSections(roleOrKeyOf(manager)) : [section]
    const act = { actor: actorOf(manager), act: 'settings.export', requestId, content: { format, sections } }
    const begun = await deps.open(record).export.begin(act)
    if (begun.outcome !== 'begun') return begun
    const before = begun.position + 1
    const source = createExportSource(deps, { record, manager, format, before })
    const head: ExportHead = {
      object: 'export',
      created_at: new Date(deps.clock()).toISOString(),
      organisation_id: record.id,
      request_id: requestId,
      tree_size: before,
      sections,
    }
    return { outcome: 'begun', texts: writeExport(rendererOf(format, section, source), head, source) }
  },
})

function rendererOf(format: Format, section: Section | null, { sections }: ExportSource): Renderer {
  if (format === 'json') return renderJson()
  return section === null ? renderCells() : renderTable(sections[section].columns)
}

async function* writeExport(renderer: Renderer, head: ExportHead, source: ExportSource): AsyncGenerator<string> {
  yield renderer.begin(head)
  for (const section of head.sections) {
    yield renderer.beginSection(section)
    for await (const page of source.sections[section].pages()) if (page.length > 0) yield renderer.rows(page)
  }
  const unreadable = source.unreadable()
  const isWhole = unreadable === 0 && (await source.isStillThere())
  yield renderer.end({ unreadable_entries: unreadable, complete: isWhole })
}

/** Sections with one object instead of a list. */
const SINGLE: ReadonlySet<Section> = new Set(['organisation', 'settings'])

function renderJson(): Renderer {
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
