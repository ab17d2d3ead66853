// Finds damage in a waiting-list file that reading the single cells does not show, such as repeated rows or totals that do not add
// up. Checks all names. The publisher's own files pass.
import { bandKey, quoteCell, readArchiveDate, readBand, readCount } from './csv-cells.ts'
import { type FiguresRow } from './read-csv-row.ts'
import { type FileRefusal, refuse } from './dataset.ts'
import { nameFault, listNameFault, specialtyNameFault } from './name-faults.ts'

// In the known files, a total differs from its bands by 2 at most, because small counts are rounded.
const MOST_BETWEEN_TOTAL_AND_BANDS = 10
// Known maxima: 4,239 in a hospital's row, 79,956 in a national row, and 50,617 on all lists of a hospital.
const MOST_PEOPLE = { hospital: 100_000, country: 1_000_000 }
// The bands that the publisher has used: in the long files since 2014, in the files by specialty since 2021.
const LONG_BANDS = new Set(['0-3', '3-6', '6-9', '9-12', '12-15', '15-18', '18-'])
const WIDE_BANDS = new Set(['0-6', '6-12', '12-18', '18-'])

export class DamageCheck {
  /** The meaning of each row → the line of its first occurrence. */
  readonly #rows = new Map<string, number>()
  /** A specialty of an archive date in normalised spelling → its first spelling. */
  readonly #spellings = new Map<string, { specialty: string; line: number }>()
  /** The first group and code of each hospital, and the first code of each specialty, for each archive date. */
  readonly #groupsAndCodes = new Map<string, { value: string; line: number }>()

  inspect(row: FiguresRow, cells: readonly string[], line: number): FileRefusal | null {
    return (
      faultInNames(row, line) ??
      faultInBands(row, line) ??
      faultInCodes(row, line) ??
      faultInFigures(row, line) ??
      this.#otherSpelling(row, line) ??
      this.#conflictingGroupOrCode(row, line) ??
      this.#repeatedRow(cells, line)
    )
  }

  #otherSpelling({ archiveDate, specialty }: FiguresRow, line: number): FileRefusal | null {
    const key = `${archiveDate} ${comparableName(specialty)}`
    const first = this.#spellings.get(key)
    if (first === undefined) this.#spellings.set(key, { specialty, line })
    if (first === undefined || first.specialty === specialty) return null
    return refuse(
      line,
      `The specialty ${quoteCell(specialty)} is spelled ${quoteCell(first.specialty)} in line ${first.line} of the same ` +
        'archive date, so it would have two names. Download the file again.',
    )
  }

  /** Refuses a second group or code of a hospital, or a second code of a specialty, within an archive date. */
  #conflictingGroupOrCode(row: FiguresRow, line: number): FileRefusal | null {
    const { archiveDate, hospital, hospitalGroup, hospitalCode, specialty, specialtyCode } = row
    const groupsAndCodes = [
      { what: 'hospital', name: hospital, of: 'group', value: hospitalGroup },
      { what: 'hospital', name: hospital, of: 'code', value: hospitalCode },
      { what: 'specialty', name: specialty, of: 'code', value: specialtyCode },
    ]
    for (const { what, name, of, value } of groupsAndCodes) {
      if (name === null || value === null) continue
      const key = [archiveDate, what, of, name].join('\n')
      const first = this.#groupsAndCodes.get(key)
      if (first === undefined) this.#groupsAndCodes.set(key, { value, line })
      else if (first.value !== value) {
        return refuse(
          line,
          `The ${what} ${quoteCell(name)} has the ${of} ${quoteCell(value)} here and ${quoteCell(first.value)} in line ` +
            `${first.line} of the same archive date. Download the file again.`,
        )
      }
    }
    return null
  }

  /** Refuses an identical row, which is a copy. The publisher may repeat a key with other figures. */
  #repeatedRow(cells: readonly string[], line: number): FileRefusal | null {
    const rowMeaning = cells.map(meaningOf).join('\n')
    const first = this.#rows.get(rowMeaning)
    if (first === undefined) {
      this.#rows.set(rowMeaning, line)
      return null
    }
    return refuse(
      line,
      `This row is the same as line ${first}, so its people would be counted twice. Download the file again.`,
    )
  }
}

function faultInNames({ hospital, hospitalGroup, specialty, caseType }: FiguresRow, line: number): FileRefusal | null {
  const names = [
    { name: hospitalGroup, faultOf: nameFault },
    { name: hospital, faultOf: listNameFault },
    { name: specialty, faultOf: specialtyNameFault },
    { name: caseType, faultOf: nameFault },
  ]
  for (const { name, faultOf } of names) {
    const fault = name === null ? null : faultOf(name)
    if (name !== null && fault !== null) {
      return refuse(
        line,
        `The name ${quoteCell(name)} has ${fault}. Publish the file as downloaded from the publisher.`,
      )
    }
  }
  return null
}

function faultInBands({ hospital, bands }: FiguresRow, line: number): FileRefusal | null {
  const published = hospital === null ? WIDE_BANDS : LONG_BANDS
  const unknown = bands.find(({ band }) => !published.has(bandKey(band)))
  if (unknown === undefined) return null
  return refuse(
    line,
    `The publisher has no band ${quoteCell(unknown.band.label)} in such a file. Publish the file as downloaded; if the ` +
      'publisher has a new band, it must be added to the import first.',
  )
}

function faultInCodes({ hospitalCode, specialtyCode }: FiguresRow, line: number): FileRefusal | null {
  const wrong = [hospitalCode, specialtyCode].find((code) => code !== null && !/^\d{4}$/.test(code))
  if (wrong === undefined || wrong === null) return null
  return refuse(
    line,
    `The code ${quoteCell(wrong)} does not have four digits. A spreadsheet takes leading zeros away: publish the file ` +
      'as downloaded, not as saved by a spreadsheet.',
  )
}

function faultInFigures({ hospital, bands, total, statesTotal }: FiguresRow, line: number): FileRefusal | null {
  const most = hospital === null ? MOST_PEOPLE.country : MOST_PEOPLE.hospital
  const absurd = [total, ...bands.map(({ people }) => people)].find((people) => people > most)
  if (absurd !== undefined) {
    return refuse(
      line,
      `A row cannot have ${absurd} people: the publisher never counted ${most} in one row. Download the file again.`,
    )
  }
  const sum = bands.reduce((people, band) => people + band.people, 0)
  if (!statesTotal || Math.abs(total - sum) <= MOST_BETWEEN_TOTAL_AND_BANDS) return null
  return refuse(
    line,
    `The total is ${total} and the bands add up to ${sum}: more than ${MOST_BETWEEN_TOTAL_AND_BANDS} apart, which no ` +
      'rounding explains. Download the file again.',
  )
}

/** Keeps only letters, marks and digits in one form. Two spellings of a name become equal; similar names do not. */
const comparableName = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]/gu, '')

/** Makes two cells of a column equal if they mean the same date, band, figure or name. */
function meaningOf(cell: string): string {
  const band = readBand(cell)
  if (band !== null) return bandKey(band)
  return readArchiveDate(cell) ?? readCount(cell)?.toString() ?? comparableName(cell)
}
