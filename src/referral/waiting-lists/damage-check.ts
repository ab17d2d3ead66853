// Finds damage in a file whose cells can all be read, such as repeated rows or garbled names. The publisher's own files pass.
import { bandKey, quoteCell, readArchiveDate, readBand, readCount } from './cells.ts'
import { type Row } from './rows.ts'
import { type FileRefusal, refuse } from './dataset.ts'

// In the known files, a total differs from its bands by 2 at most, because small counts are rounded.
const MOST_BETWEEN_TOTAL_AND_BANDS = 10
// Known maxima: 4,239 in a hospital's row, 79,956 in a national row, and 50,617 on all lists of a hospital.
const MOST_PEOPLE = { hospital: 100_000, country: 1_000_000 }
// The bands that the publisher has used: in the long files since 2014, in the files by specialty since 2021.
const LONG_BANDS = new Set(['0-3', '3-6', '6-9', '9-12', '12-15', '15-18', '18-'])
const WIDE_BANDS = new Set(['0-6', '6-12', '12-18', '18-'])

/** Checks the rows of one file in order, for all its archive dates. */
export class DamageCheck {
  /** The meaning of each row → the line of its first occurrence. */
  readonly #rows = new Map<string, number>()
  /** A specialty of an archive date in normalised spelling → its first spelling. */
  readonly #spellings = new Map<string, { specialty: string; line: number }>()
  /** The first group and code of each hospital, and the first code of each specialty, for each archive date. */
  readonly #belongings = new Map<string, { value: string; line: number }>()

  inspect(row: Row, cells: readonly string[], line: number): FileRefusal | null {
    return (
      faultInNames(row, line) ??
      faultInBands(row, line) ??
      faultInCodes(row, line) ??
      faultInFigures(row, line) ??
      this.#otherSpelling(row, line) ??
      this.#otherBelonging(row, line) ??
      this.#repeatedRow(cells, line)
    )
  }

  #otherSpelling({ archiveDate, specialty }: Row, line: number): FileRefusal | null {
    const key = `${archiveDate} ${skeletonOf(specialty)}`
    const first = this.#spellings.get(key)
    if (first === undefined) this.#spellings.set(key, { specialty, line })
    if (first === undefined || first.specialty === specialty) return null
    return refuse(
      line,
      `The specialty ${quoteCell(specialty)} is spelled ${quoteCell(first.specialty)} in line ${first.line} of the same ` +
        'archive date, so its lists would stand under two names. Download the file again.',
    )
  }

  /** Refuses a second group or code of a hospital, or a second code of a specialty, within an archive date. */
  #otherBelonging(row: Row, line: number): FileRefusal | null {
    const { archiveDate, hospital, hospitalGroup, hospitalCode, specialty, specialtyCode } = row
    const belongings = [
      { what: 'hospital', name: hospital, of: 'group', value: hospitalGroup },
      { what: 'hospital', name: hospital, of: 'code', value: hospitalCode },
      { what: 'specialty', name: specialty, of: 'code', value: specialtyCode },
    ]
    for (const { what, name, of, value } of belongings) {
      if (name === null || value === null) continue
      const key = [archiveDate, what, of, name].join('\n')
      const first = this.#belongings.get(key)
      if (first === undefined) this.#belongings.set(key, { value, line })
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
    const said = cells.map(meaningOf).join('\n')
    const first = this.#rows.get(said)
    if (first === undefined) {
      this.#rows.set(said, line)
      return null
    }
    return refuse(
      line,
      `This row is the same as line ${first}, so its people would be counted twice. Download the file again.`,
    )
  }
}

function faultInNames({ hospital, hospitalGroup, specialty, caseType }: Row, line: number): FileRefusal | null {
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

function faultInBands({ hospital, bands }: Row, line: number): FileRefusal | null {
  const published = hospital === null ? WIDE_BANDS : LONG_BANDS
  const unknown = bands.find(({ band }) => !published.has(bandKey(band)))
  if (unknown === undefined) return null
  return refuse(
    line,
    `The publisher has no band ${quoteCell(unknown.band.label)} in such a file. Publish the file as downloaded; if the ` +
      'publisher has a new band, it must be added to the import first.',
  )
}

function faultInCodes({ hospitalCode, specialtyCode }: Row, line: number): FileRefusal | null {
  const wrong = [hospitalCode, specialtyCode].find((code) => code !== null && !/^\d{4}$/.test(code))
  if (wrong === undefined || wrong === null) return null
  return refuse(
    line,
    `The code ${quoteCell(wrong)} does not have four digits. A spreadsheet takes leading zeros away: publish the file ` +
      'as downloaded, not as saved by a spreadsheet.',
  )
}

function faultInFigures({ hospital, bands, total, statesTotal }: Row, line: number): FileRefusal | null {
  const most = hospital === null ? MOST_PEOPLE.country : MOST_PEOPLE.hospital
  const absurd = [total, ...bands.map(({ people }) => people)].find((people) => people > most)
  if (absurd !== undefined) {
    return refuse(
      line,
      `${absurd} people in one row cannot be: the publisher never counted ${most} in any. Download the file again.`,
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
const skeletonOf = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]/gu, '')

/** Makes two cells of a column equal if they mean the same date, band, figure or name. */
function meaningOf(cell: string): string {
  const band = readBand(cell)
  if (band !== null) return bandKey(band)
  return readArchiveDate(cell) ?? readCount(cell)?.toString() ?? skeletonOf(cell)
}

const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]/u
const MARKUP = /[<>]|&#?\w{1,10};/u
// Latin letters with their marks, and the punctuation of hospitals and specialties.
const LIKE_A_NAME = /^[\p{Script=Latin}\d('][\p{Script=Latin}\p{M}\d '’.,/()&+:–-]*$/u

/** Returns words that follow "has", or null if the name is valid. */
export function nameFault(name: string): string | null {
  const fault = textFault(name)
  if (fault !== null) return fault
  if (!/\p{L}/u.test(name)) return 'no letter in it, as a code or a figure of another column'
  return LIKE_A_NAME.test(name) ? null : 'a character that no name of the publisher has'
}

/** A row of sums, or an empty cell as a spreadsheet or database writes it. */
const NO_NAME = /^(?:(?:grand |sub-?)?totals?|null|nan|n\/a|\(blank\))$/i

/** Checks like `nameFault`, for the hospital and the specialty of a list. */
export function listNameFault(name: string): string | null {
  return nameFault(name) ?? (NO_NAME.test(name) ? 'no name in it: it marks a sum or an empty cell' : null)
}

// The longest known names are "Paediatric Respiratory Medicine" and "Paediatric Infectious Diseases".
const LIKE_A_SPECIALTY = /^[\p{Script=Latin}\p{M}\d \-/,&()']+$/u
/** The readers' answers that are not in the list, whatever separates their words. */
const NO_ENTRY = /^(?:none of these|two problems|not stated)$/i
const MOST_WORDS = 6
const MOST_CHARACTERS = 60

/** Checks like `listNameFault`, for a specialty. SECURITY: the models that read letters see its name. */
export function specialtyNameFault(name: string): string | null {
  const fault = listNameFault(name)
  if (fault !== null) return fault
  if (!LIKE_A_SPECIALTY.test(name)) return "a character other than letters, digits, blanks and -/,&()'"
  if (NO_ENTRY.test(name.replaceAll(/[^\p{L}]+/gu, ' ').trim())) return 'the words of an answer that no specialty has'
  const isSentence =
    name.length > MOST_CHARACTERS || name.split(/[^\p{L}\p{M}\d']+/u).filter(Boolean).length > MOST_WORDS
  return isSentence ? `more than ${MOST_WORDS} words or ${MOST_CHARACTERS} characters, as a sentence has` : null
}

/** Checks like `nameFault`, for text that may have any visible character. */
export function textFault(text: string): string | null {
  if (INVISIBLE.test(text)) return 'an invisible character in it, such as one that turns the text round'
  if (MARKUP.test(text)) return 'markup in it'
  if (isGarbled(text)) return 'letters that were read in a wrong encoding'
  return null
}

/** The characters of the bytes 0x80 to 0x9f in Windows-1252, which appear if UTF-8 is decoded wrongly. */
const HIGH_CONTROLS = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'
const BYTES = new Map(Array.from(HIGH_CONTROLS, (character, index) => [character, 0x80 + index]))

const byteOf = (character: string): number => BYTES.get(character) ?? character.charCodeAt(0)

/**
 * Returns true if some characters, read as bytes, are one character of UTF-8. English and Irish names never have such characters.
 */
function isGarbled(text: string): boolean {
  if (/[ÃÂ\u{fffd}]/u.test(text)) return true
  const bytes = Array.from(text, byteOf)
  return bytes.some((lead, at) => {
    const more = followersOf(lead)
    const followers = bytes.slice(at + 1, at + 1 + more)
    return more > 0 && followers.length === more && followers.every((byte) => byte >= 0x80 && byte <= 0xbf)
  })
}

function followersOf(lead: number): number {
  if (lead >= 0xc2 && lead <= 0xdf) return 1
  if (lead >= 0xe0 && lead <= 0xef) return 2
  return lead >= 0xf0 && lead <= 0xf4 ? 3 : 0
}
