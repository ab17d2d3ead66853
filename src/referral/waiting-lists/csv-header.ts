// Reads the header row of a published file and detects its layout. The spelling of columns changed over the years, so only their
// letters are compared.
import { type Band, bandKey, looksLikeDate, quoteCell, readBand } from './csv-cells.ts'
import { type FileRefusal, type Layout, refuse } from './dataset.ts'

type ColumnName =
  | 'archiveDate'
  | 'group'
  | 'hospitalHipe'
  | 'hospital'
  | 'specialtyHipe'
  | 'specialty'
  | 'caseType'
  | 'adultChild'
  | 'ageProfile'
  | 'timeBand'
  | 'total'

const ALIASES: ReadonlyMap<string, ColumnName> = new Map([
  ['archivedate', 'archiveDate'],
  ['group', 'group'],
  ['hospitalgroup', 'group'],
  ['hospitalhipe', 'hospitalHipe'],
  ['hospital', 'hospital'],
  ['hospitalname', 'hospital'],
  ['specialtyhipe', 'specialtyHipe'],
  ['specialityhipe', 'specialtyHipe'],
  ['specialty', 'specialty'],
  ['speciality', 'specialty'],
  ['specialtyname', 'specialty'],
  ['specialityname', 'specialty'],
  ['casetype', 'caseType'],
  ['adultchild', 'adultChild'],
  ['ageprofile', 'ageProfile'],
  ['agecategorisation', 'ageProfile'],
  ['timeband', 'timeBand'],
  ['timebands', 'timeBand'],
  ['total', 'total'],
  ['count', 'total'],
])

/** The columns of the long outpatient layout, in order, for files without a header row (2018). */
const LONG_COLUMNS: readonly ColumnName[] = [
  'archiveDate',
  'group',
  'hospitalHipe',
  'hospital',
  'specialtyHipe',
  'specialty',
  'adultChild',
  'ageProfile',
  'timeBand',
  'total',
]

const WIDE_COLUMNS: readonly ColumnName[] = ['archiveDate', 'adultChild', 'specialty', 'total']

/** The positions of the columns. `bands` has the band columns of a wide file; it is empty for a long one. */
export interface Header {
  ok: true
  layout: Layout
  hasHeaderRow: boolean
  width: number
  columns: ReadonlyMap<ColumnName, number>
  bands: readonly { band: Band; index: number }[]
}

/** Reads the first record of a file, which is the header or already a row of figures. */
export function readHeader(cells: readonly string[], line: number): Header | FileRefusal {
  if (looksLikeDate(cells[0] ?? '')) return readHeaderless(cells, line)
  if (cells.length === 1) {
    return refuse(line, 'The first line has only one column. Publish the CSV file itself, separated by commas.')
  }
  const columns = new Map<ColumnName, number>()
  const bands: { band: Band; index: number }[] = []
  for (const [index, cell] of cells.entries()) {
    const band = readBand(cell)
    const name = ALIASES.get(cell.toLowerCase().replaceAll(/[^a-z]/g, ''))
    if (band !== null) {
      if (bands.some((other) => bandKey(other.band) === bandKey(band))) return repeatedColumn(cell, line)
      bands.push({ band, index })
    } else if (name === undefined) {
      return refuse(
        line,
        `The column ${quoteCell(cell)} is not one the publisher uses. Publish the file as downloaded; ` +
          'if the publisher has a new column, its meaning must be added to the import first.',
      )
    } else {
      if (columns.has(name)) return repeatedColumn(cell, line)
      columns.set(name, index)
    }
  }
  const layout = recogniseLayout(columns, bands.length, line)
  return typeof layout === 'string'
    ? { ok: true, layout, hasHeaderRow: true, width: cells.length, columns, bands }
    : layout
}

function readHeaderless(cells: readonly string[], line: number): Header | FileRefusal {
  if (cells.length !== LONG_COLUMNS.length) {
    return refuse(
      line,
      `There is no header row, and the first row has ${cells.length} columns instead of ${LONG_COLUMNS.length}. Download the file again.`,
    )
  }
  const columns = new Map(LONG_COLUMNS.map((name, index) => [name, index]))
  return { ok: true, layout: 'long', hasHeaderRow: false, width: cells.length, columns, bands: [] }
}

function recogniseLayout(columns: ReadonlyMap<ColumnName, number>, bands: number, line: number): Layout | FileRefusal {
  if (!columns.has('specialty') && columns.has('hospital')) {
    return refuse(
      line,
      'This file is by hospital and lists no specialty, so no question about a specialty can be answered from it. ' +
        'Publish the file by specialty, or one by hospital and specialty.',
    )
  }
  if (bands > 0) return recogniseWide(columns, line)
  if (columns.has('timeBand') && !columns.has('hospital')) {
    return refuse(
      line,
      'The hospital columns are missing: this looks like a re-published copy. ' +
        'Download the file from the publisher itself.',
    )
  }
  const missing = LONG_COLUMNS.filter((name) => !columns.has(name))
  if (missing.length > 0) return missingColumns(missing, line)
  return columns.has('caseType') ? 'long_case_type' : 'long'
}

function recogniseWide(columns: ReadonlyMap<ColumnName, number>, line: number): Layout | FileRefusal {
  const missing = WIDE_COLUMNS.filter((name) => !columns.has(name))
  if (missing.length > 0) return missingColumns(missing, line)
  if (columns.size > WIDE_COLUMNS.length) {
    return refuse(
      line,
      'The file mixes columns of the publisher’s wide and long layouts. Publish the file as downloaded.',
    )
  }
  return 'wide_specialty'
}

function missingColumns(missing: readonly ColumnName[], line: number): FileRefusal {
  return refuse(
    line,
    `Columns are missing (${missing.join(', ')}). Publish the file as downloaded from the publisher, header row included.`,
  )
}

function repeatedColumn(cell: string, line: number): FileRefusal {
  return refuse(line, `The column ${quoteCell(cell)} occurs twice. Publish the file as downloaded.`)
}
