// Reads a published CSV file: returns the waiting lists of one archive date, or the line and reason of a refusal. Only a new file
// is checked for damage. Pure; never throws on any input.
import { forEachRecord } from './csv-records.ts'
import { DamageCheck } from './damage-check.ts'
import {
  type Dataset,
  type FileRefusal,
  refuse,
  AGE_GROUPS,
  type AgeGroup,
  type BucketLeftOut,
  type NamesOfDate,
  type PublishedList,
  type SpecialtyLists,
} from './dataset.ts'
import { type Header, readHeader } from './csv-header.ts'
import { type Band, bandKey, isBucket } from './csv-cells.ts'
import { readRow, type FiguresRow } from './read-csv-row.ts'

export type PublishedFile = { ok: true; dataset: Dataset } | FileRefusal

/**
 * Reads a new file, with all checks. A bad row of any date refuses the file, because such a file is not the publisher's.
 * @param archiveDate the date to read, `YYYY-MM-DD`; the latest if absent
 */
export function readPublishedFile(bytes: Uint8Array, archiveDate?: string): PublishedFile {
  const damage = new DamageCheck()
  return readFile(bytes, archiveDate, (row, cells, line) => damage.inspect(row, cells, line))
}

/** Reads a file that was published before, without the checks for new files, which may be stricter by now. */
export function readStoredFile(bytes: Uint8Array, archiveDate: string): PublishedFile {
  return readFile(bytes, archiveDate, () => null)
}

type Inspection = (row: FiguresRow, cells: readonly string[], line: number) => FileRefusal | null

function readFile(bytes: Uint8Array, archiveDate: string | undefined, inspect: Inspection): PublishedFile {
  let header: Header | null = null
  const collectors = new Map<string, ArchiveDateCollector>()

  const refusal = forEachRecord(bytes, (cells, line) => {
    if (header === null) {
      const found = readHeader(cells, line)
      if (!found.ok) return found
      header = found
      if (found.hasHeaderRow) return null
    }
    const row = readRow(header, cells, line)
    if (!row.ok) return row
    const damage = inspect(row, cells, line)
    if (damage !== null) return damage
    const collector = collectors.get(row.archiveDate) ?? new ArchiveDateCollector()
    collectors.set(row.archiveDate, collector)
    collector.add(row)
    return null
  })
  return refusal ?? chooseArchiveDate(header, collectors, { archiveDate, endsInEmptyLine: endsInEmptyLine(bytes) })
}

const endsInEmptyLine = (bytes: Uint8Array): boolean =>
  /(?:\r\n\r\n|\n\n|\r\r)$/.test(String.fromCharCode(...bytes.subarray(-4)))

function chooseArchiveDate(
  header: Header | null,
  collectors: ReadonlyMap<string, ArchiveDateCollector>,
  file: { archiveDate: string | undefined; endsInEmptyLine: boolean },
): PublishedFile {
  const dates = [...collectors.keys()].toSorted()
  const latest = dates.at(-1)
  if (header === null || latest === undefined) {
    return refuse(null, 'The file has a header but no rows of figures. Download it again.')
  }
  const archiveDate = file.archiveDate ?? latest
  const collector = collectors.get(archiveDate)
  if (collector === undefined) {
    return refuse(
      null,
      `The file has no figures for ${archiveDate}. Name one of its archive dates: ${dates.join(', ')}.`,
    )
  }
  const specialties = collector.specialties()
  if (specialties.length === 0) {
    return refuse(null, `The file names no specialty at ${archiveDate}, only rows that collect several.`)
  }
  const names = collector.names()
  const dateBefore = dates[dates.indexOf(archiveDate) - 1]
  const lists = specialties.flatMap((specialty) => [...specialty.lists.Adult, ...specialty.lists.Child])
  return {
    ok: true,
    dataset: {
      archiveDate,
      layout: header.layout,
      hasHospitals: header.layout !== 'wide_specialty',
      specialties,
      names,
      namesBefore: dateBefore === undefined ? null : (collectors.get(dateBefore)?.names() ?? null),
      endsInEmptyLine: file.endsInEmptyLine,
      summary: {
        rowsRead: [...collectors.values()].reduce((rows, each) => rows + each.rows, 0),
        archiveDates: dates.map((date) => ({ archiveDate: date, rows: collectors.get(date)?.rows ?? 0 })),
        lists: lists.length,
        specialties: specialties.length,
        hospitals: names.hospitals.length,
        people: lists.reduce((people, list) => people + list.total, 0),
        bucketsLeftOut: collector.bucketsLeftOut(),
        keysSummed: collector.keysSummed,
      },
    },
  }
}

interface OpenList {
  hospital: string | null
  hospitalCode: string | null
  hospitalGroup: string | null
  specialty: string
  specialtyCode: string | null
  ageGroup: FiguresRow['ageGroup']
  bands: Map<string, { band: Band; people: number }>
  total: number
}

export class ArchiveDateCollector {
  readonly #lists = new Map<string, OpenList>()
  readonly #keys = new Set<string>()
  readonly #repeatedKeys = new Set<string>()
  rows = 0

  add(row: FiguresRow): void {
    this.rows += 1
    if (this.#keys.has(row.key)) this.#repeatedKeys.add(row.key)
    this.#keys.add(row.key)
    const list = this.#listOf(row)
    for (const { band, people } of row.bands) {
      const known = list.bands.get(bandKey(band))
      if (known === undefined) list.bands.set(bandKey(band), { band, people })
      else known.people += people
    }
    list.total += row.total
  }

  get keysSummed(): number {
    return this.#repeatedKeys.size
  }

  specialties(): SpecialtyLists[] {
    const specialties = new Map<string, SpecialtyLists>()
    for (const list of this.#lists.values()) {
      if (isBucket(list.specialty)) continue
      const entry = specialties.get(list.specialty) ?? {
        name: list.specialty,
        code: list.specialtyCode,
        lists: { Adult: [], Child: [] },
      }
      specialties.set(list.specialty, entry)
      entry.lists[list.ageGroup].push(published(list))
    }
    return [...specialties.values()]
  }

  bucketsLeftOut(): BucketLeftOut[] {
    const buckets = new Map<string, BucketLeftOut>()
    for (const list of this.#lists.values()) {
      if (!isBucket(list.specialty)) continue
      const bucket = buckets.get(list.specialty) ?? { name: list.specialty, lists: 0, people: 0 }
      buckets.set(list.specialty, { ...bucket, lists: bucket.lists + 1, people: bucket.people + list.total })
    }
    return [...buckets.values()]
  }

  names(): NamesOfDate {
    const specialties: Record<AgeGroup, Map<string, number>> = { Adult: new Map(), Child: new Map() }
    const hospitals = new Map<string, number>()
    const bands = new Map<string, number>()
    for (const { hospital, specialty, ageGroup, total, bands: own } of this.#lists.values()) {
      for (const [key, { people }] of own) addTo(bands, key, people)
      if (!isBucket(specialty)) addTo(specialties[ageGroup], specialty, total)
      // Hospitals that have only small volumes are included.
      if (hospital !== null) addTo(hospitals, hospital, total)
    }
    const [Adult, Child] = AGE_GROUPS.map((ageGroup) => listOf(specialties[ageGroup]))
    return {
      specialties: { Adult: Adult ?? [], Child: Child ?? [] },
      hospitals: listOf(hospitals),
      bands: listOf(bands),
    }
  }

  #listOf(row: FiguresRow): OpenList {
    const key = [row.hospitalGroup, row.hospital, row.specialty, row.ageGroup].join('\n')
    const known = this.#lists.get(key)
    if (known !== undefined) return known
    const { hospital, hospitalCode, hospitalGroup, specialty, specialtyCode, ageGroup } = row
    const named = { hospital, hospitalCode, hospitalGroup, specialty, specialtyCode, ageGroup }
    const opened = { ...named, bands: new Map(), total: 0 }
    this.#lists.set(key, opened)
    return opened
  }
}

function addTo(people: Map<string, number>, name: string, more: number): void {
  people.set(name, (people.get(name) ?? 0) + more)
}

const listOf = (people: ReadonlyMap<string, number>) => [...people].map(([name, count]) => ({ name, people: count }))

function published(list: OpenList): PublishedList {
  const bands = [...list.bands.values()].toSorted((a, b) => compareBands(a.band, b.band))
  return {
    hospital: list.hospital,
    hospitalCode: list.hospitalCode,
    hospitalGroup: list.hospitalGroup,
    waiting: bands.map(({ band, people }) => ({ band: band.label, people })),
    total: list.total,
  }
}

function compareBands(a: Band, b: Band): number {
  return a.from - b.from || (a.to ?? Infinity) - (b.to ?? Infinity)
}
