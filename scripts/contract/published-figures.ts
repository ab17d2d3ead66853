// Reads the published file, and computes what /v1/specialties and /v1/waiting-lists must answer from it. Written from the
// publisher's file layouts, without any code of the service, so that the check is independent.
import { parse } from 'csv-parse/sync'

export type FiguresList = {
  readonly hospital: string | null
  readonly hospitalCode: string | null
  readonly hospitalGroup: string | null
  readonly waiting: readonly { readonly band: string; readonly people: number }[]
  readonly specialtyCode: string | null
  readonly total: number
}

export type FiguresQuestion = { archiveDate: string; specialty: string; ageGroup: string }

type Row = {
  date: string
  specialty: string
  specialtyCode: string | null
  ageGroup: string
  hospital: string | null
  hospitalCode: string | null
  group: string | null
  bands: [label: string, people: number][]
  total: number
}

type OpenList = Pick<Row, 'hospital' | 'hospitalCode' | 'group' | 'specialtyCode'> & {
  /** People waiting, by the month in which the band begins. */
  bands: Map<number, [label: string, people: number]>
  total: number
}

const HEADERLESS =
  'archivedate,group,hospitalhipe,hospital,specialtyhipe,specialty,adultchild,ageprofile,timebands,total'
const BAND = /^(\d+)\s*(?:-\s*\d+\s+months|months\s*\+|\+\s*months)$/i

const BUCKET = /^(?:small volume special(?:i)?ties|other)$/i

/** Returns all rows of a published file, in order. Throws if the bytes are not CSV in UTF-8. */
export function readFigures(bytes: Uint8Array): readonly Row[] {
  const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  const records: string[][] = parse(text, { relax_column_count: true, skip_empty_lines: true })
  const [first = [], ...others] = records.filter((cells) => cells.length > 1)
  const isHeaderless = /^\d/.test(first[0] ?? '')
  const names = isHeaderless ? HEADERLESS.split(',') : first.map((cell) => (isBand(cell) ? cell.trim() : nameOf(cell)))
  return (isHeaderless ? [first, ...others] : others).map((cells) => rowOf(names, cells))
}

/** Returns the lists in the file's order, each with its bands by time waited. */
export function waitingListsOf(
  rows: readonly Row[],
  { archiveDate, specialty, ageGroup }: FiguresQuestion,
): FiguresList[] {
  const lists = new Map<string, OpenList>()
  for (const row of rows) {
    if (row.date !== archiveDate || row.specialty !== specialty || row.ageGroup !== ageGroup) continue
    const { hospital, hospitalCode, group, specialtyCode } = row
    const key = JSON.stringify([group, hospital])
    const opened = { hospital, hospitalCode, group, specialtyCode, bands: new Map(), total: 0 }
    const list: OpenList = lists.get(key) ?? opened
    lists.set(key, list)
    list.total += row.total
    for (const [label, people] of row.bands) {
      const months = Number(BAND.exec(label)?.[1])
      const [known, counted] = list.bands.get(months) ?? [label, 0]
      list.bands.set(months, [known, counted + people])
    }
  }
  return [...lists.values()].map(({ hospital, hospitalCode, group, specialtyCode, bands, total }) => ({
    hospital,
    hospitalCode,
    hospitalGroup: group,
    specialtyCode,
    waiting: [...bands].toSorted(([one], [other]) => one - other).map(([, [band, people]]) => ({ band, people })),
    total,
  }))
}

/** Returns the specialties of one archive date, in the file's order. Omits rows that combine several. */
export function specialtiesOf(rows: readonly Row[], archiveDate: string): { name: string; code: string | null }[] {
  const codes = new Map<string, string | null>()
  for (const { date, specialty, specialtyCode } of rows) {
    if (date === archiveDate && !BUCKET.test(specialty) && !codes.has(specialty)) codes.set(specialty, specialtyCode)
  }
  return [...codes].map(([name, code]) => ({ name, code }))
}

function rowOf(names: readonly string[], cells: readonly string[]): Row {
  const cell = (...columnNames: string[]): string | null => {
    const index = names.findIndex((name) => columnNames.includes(name))
    return index === -1 ? null : (cells[index] ?? '').trim()
  }
  const total = countOf(cell('total', 'count'))
  const band = cell('timebands', 'timeband')
  return {
    date: dateOf(cell('archivedate') ?? ''),
    specialty: cell('specialty', 'speciality', 'specialtyname', 'specialityname') ?? '',
    specialtyCode: codeOf(cell('specialtyhipe', 'specialityhipe')),
    ageGroup: cell('adultchild') ?? '',
    hospitalCode: codeOf(cell('hospitalhipe')),
    hospital: cell('hospital', 'hospitalname'),
    group: cell('group', 'hospitalgroup'),
    bands: band === null ? names.filter(isBand).map((name) => [name, countOf(cell(name))]) : [[band, total]],
    total,
  }
}

const codeOf = (cell: string | null): string | null => (cell === null || cell === '' || cell === 'NULL' ? null : cell)
const isBand = (cell: string): boolean => BAND.test(cell.trim())
const nameOf = (cell: string): string => cell.toLowerCase().replaceAll(/[^a-z]/g, '')
const countOf = (cell: string | null): number => Number((cell ?? '').replaceAll(',', ''))
const dateOf = (cell: string): string => cell.replace(/^(\d\d)\/(\d\d)\/(\d{4})$/, '$3-$2-$1')
