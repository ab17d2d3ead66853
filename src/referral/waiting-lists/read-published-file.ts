// Reads one of the publisher's files whole. Returns one archive date's lists, or the line and the reason of the refusal. Pure,
// and never throws on any input.
import { ArchiveFold } from './archive-fold.ts'
import { forEachRecord } from './csv-records.ts'
import { DamageCheck } from './damage-check.ts'
import { type Dataset, type FileRefusal, refuse } from './dataset.ts'
import { type Header, readHeader } from './header.ts'
import { readRow, type Row } from './rows.ts'

export type PublishedFile = { ok: true; dataset: Dataset } | FileRefusal

/**
 * @param archiveDate `YYYY-MM-DD` to take one of the file's dates; the latest if absent. Dates are never mixed. A bad row of any
 * date refuses the file, because a file with one wrong row is not the publisher's.
 */
export function readPublishedFile(bytes: Uint8Array, archiveDate?: string): PublishedFile {
  const damage = new DamageCheck()
  return readFile(bytes, archiveDate, (row, cells, line) => damage.inspect(row, cells, line))
}

/** Skips the checks for new files on a file published before, because these may have grown since. */
export function readHeldFile(bytes: Uint8Array, archiveDate: string): PublishedFile {
  return readFile(bytes, archiveDate, () => null)
}

type Inspection = (row: Row, cells: readonly string[], line: number) => FileRefusal | null

function readFile(bytes: Uint8Array, archiveDate: string | undefined, inspect: Inspection): PublishedFile {
  let header: Header | null = null
  const folds = new Map<string, ArchiveFold>()

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
    const fold = folds.get(row.archiveDate) ?? new ArchiveFold()
    folds.set(row.archiveDate, fold)
    fold.add(row)
    return null
  })
  return refusal ?? chooseArchiveDate(header, folds, { archiveDate, endsInEmptyLine: endsInEmptyLine(bytes) })
}

const endsInEmptyLine = (bytes: Uint8Array): boolean =>
  /(?:\r\n\r\n|\n\n|\r\r)$/.test(String.fromCharCode(...bytes.subarray(-4)))

function chooseArchiveDate(
  header: Header | null,
  folds: ReadonlyMap<string, ArchiveFold>,
  file: { archiveDate: string | undefined; endsInEmptyLine: boolean },
): PublishedFile {
  const dates = [...folds.keys()].toSorted()
  const latest = dates.at(-1)
  if (header === null || latest === undefined) {
    return refuse(null, 'The file has a header but no rows of figures. Download it again.')
  }
  const archiveDate = file.archiveDate ?? latest
  const fold = folds.get(archiveDate)
  if (fold === undefined) {
    return refuse(
      null,
      `The file has no figures for ${archiveDate}. Name one of its archive dates: ${dates.join(', ')}.`,
    )
  }
  const specialties = fold.specialties()
  if (specialties.length === 0) {
    return refuse(null, `The file names no specialty at ${archiveDate}, only rows that collect several.`)
  }
  const names = fold.names()
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
      namesBefore: dateBefore === undefined ? null : (folds.get(dateBefore)?.names() ?? null),
      endsInEmptyLine: file.endsInEmptyLine,
      summary: {
        rowsRead: [...folds.values()].reduce((rows, each) => rows + each.rows, 0),
        archiveDates: dates.map((date) => ({ archiveDate: date, rows: folds.get(date)?.rows ?? 0 })),
        lists: lists.length,
        specialties: specialties.length,
        hospitals: names.hospitals.length,
        people: lists.reduce((people, list) => people + list.total, 0),
        bucketsLeftOut: fold.bucketsLeftOut(),
        keysSummed: fold.keysSummed,
      },
    },
  }
}
