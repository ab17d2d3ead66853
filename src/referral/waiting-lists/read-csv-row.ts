// Converts one CSV record of any layout to one row of figures.
import {
  type Band,
  bandKey,
  isAgeProfile,
  isCalendarDate,
  quoteCell,
  readAgeGroup,
  readArchiveDate,
  readBand,
  readCode,
  readCount,
  readName,
} from './csv-cells.ts'
import { type AgeGroup, type FileRefusal, refuse } from './dataset.ts'
import type { Header } from './csv-header.ts'

export interface FiguresRow {
  ok: true
  archiveDate: string
  hospital: string | null
  hospitalCode: string | null
  hospitalGroup: string | null
  specialty: string
  specialtyCode: string | null
  ageGroup: AgeGroup
  caseType: string | null
  /** Identifies this row within its archive date: rows with equal keys are added up. */
  key: string
  bands: { band: Band; people: number }[]
  total: number
  /** True if the row has a total besides its bands. False in a long file, where the total is the row's only figure. */
  statesTotal: boolean
}

export function readRow(header: Header, cells: readonly string[], line: number): FiguresRow | FileRefusal {
  if (cells.length !== header.width) {
    return refuse(
      line,
      `This row has ${cells.length} cells where ${header.width} are expected. ` +
        'The file may be cut off or damaged: download it again.',
    )
  }
  const cellOf = (name: Parameters<Header['columns']['get']>[0]): string => {
    const index = header.columns.get(name)
    return index === undefined ? '' : (cells[index] ?? '')
  }
  const archiveDate = readArchiveDate(cellOf('archiveDate'))
  if (archiveDate === null) return badDate(cellOf('archiveDate'), line)
  const ageGroup = readAgeGroup(cellOf('adultChild'))
  if (ageGroup === null) return unexpected('"Adult" or "Child"', cellOf('adultChild'), line)
  const specialty = readName(cellOf('specialty'))
  if (specialty === null) return unexpected('the name of a specialty', cellOf('specialty'), line)
  const total = readCount(cellOf('total'))
  if (total === null) return unexpected('a number of people', cellOf('total'), line)
  const common = { ok: true, archiveDate, specialty, ageGroup, total } as const

  if (header.layout === 'wide_specialty') {
    const bands = readWideBands(header, cells, line)
    return 'ok' in bands
      ? bands
      : { ...common, ...NATIONAL, key: `${specialty}\n${ageGroup}`, bands, statesTotal: true }
  }

  const hospital = readName(cellOf('hospital'))
  if (hospital === null) return unexpected('the name of a hospital', cellOf('hospital'), line)
  const hospitalGroup = readName(cellOf('group'))
  if (hospitalGroup === null) return unexpected('the name of a hospital group', cellOf('group'), line)
  const caseType = header.layout === 'long_case_type' ? readName(cellOf('caseType')) : null
  if (caseType === null && header.layout === 'long_case_type') {
    return unexpected('a case type', cellOf('caseType'), line)
  }
  const ageProfile = cellOf('ageProfile').trim()
  if (!isAgeProfile(ageProfile)) return unexpected('an age profile (0-15, 16-64 or 65+)', ageProfile, line)
  const band = readBand(cellOf('timeBand'))
  if (band === null) return unexpected('a time band such as "0-3 Months"', cellOf('timeBand'), line)
  const hospitalCode = readCode(cellOf('hospitalHipe'))
  const specialtyCode = readCode(cellOf('specialtyHipe'))
  // The key has no HIPE codes, because the publisher writes 0000 for several things.
  const key = [hospitalGroup, hospital, specialty, caseType, ageGroup, ageProfile, bandKey(band)].join('\n')
  const bands = [{ band, people: total }]
  const named = { hospital, hospitalCode, hospitalGroup, specialtyCode, caseType }
  return { ...common, ...named, key, bands, statesTotal: false }
}

const NATIONAL = { hospital: null, hospitalCode: null, hospitalGroup: null, specialtyCode: null, caseType: null }

function readWideBands(header: Header, cells: readonly string[], line: number): FiguresRow['bands'] | FileRefusal {
  const bands: FiguresRow['bands'] = []
  for (const { band, index } of header.bands) {
    const people = readCount(cells[index] ?? '')
    if (people === null) return unexpected('a number of people', cells[index] ?? '', line)
    bands.push({ band, people })
  }
  return bands
}

function badDate(cell: string, line: number): FileRefusal {
  const text = cell.trim()
  if (/^\d{2}-\d{2}-\d{4}$/.test(text)) {
    return refuse(
      line,
      `The archive date ${quoteCell(text)} is written with dashes. Re-published copies do that and move the date to ` +
        'the end of the month: download the file from the publisher itself.',
    )
  }
  return isDateShaped(text)
    ? refuse(line, `The archive date ${quoteCell(text)} is not a day of the calendar. Download the file again.`)
    : unexpected('an archive date, DD/MM/YYYY or YYYY-MM-DD', cell, line)
}

function isDateShaped(text: string): boolean {
  return (/^\d{2}\/\d{2}\/\d{4}$/.test(text) || /^\d{4}-\d{2}-\d{2}$/.test(text)) && !isCalendarDate(text)
}

function unexpected(wanted: string, cell: string, line: number): FileRefusal {
  const found = cell.trim() === '' ? 'an empty cell' : quoteCell(cell.trim())
  return refuse(line, `Expected ${wanted}, found ${found}. Publish the file as downloaded from the publisher.`)
}
