// Finds ten-digit health numbers: NHS (England, Wales, Isle of Man), CHI (Scotland), Health and Care (Northern Ireland).
import { BREAK, CERTAINTY, DIGITS, LABEL_GAP, defineShape, isDigit, type Finder, type Finding } from '../finding.ts'
import { isCodeOrReference, isDeviceOrBatchNumber, isSnomedConcept } from '../context/clinical-codes.ts'
import { isFollowedByCount } from '../context/units.ts'

type HealthNumber = 'nhs_number' | 'chi_number' | 'health_and_care_number'

/** A break in any other grouping: with a slash or a dot that is a row of results. */
const PLAIN_BREAK = '(?: ?[-_] ?|[-_]{2}|-\\n|\\n-|[ \\n])?'
/**
 * How ten digits may be grouped. The last form needs four together, so that other rows of numbers fail early.
 * The only group captured is the mark between digits that are spaced out.
 */
const GROUPINGS = [
  `\\d{10}`,
  `\\d{3}${BREAK}\\d{3}${BREAK}\\d{4}`,
  `\\d{6}${BREAK}\\d{4}`,
  `\\d\\d${BREAK}\\d\\d${BREAK}\\d\\d${BREAK}\\d{4}`,
  `\\d(${BREAK})\\d(?:\\1\\d){8}`,
  `\\d\\d(?:[-_\\n]{1,2}\\d\\d){4}`,
  `(?=[\\d \\n_-]{0,20}\\d{4})\\d(?:${PLAIN_BREAK}\\d){9}`,
]
const TEN_DIGITS = new RegExp(`(?<![A-Za-z0-9])(?<!\\d[.,])(?:${GROUPINGS.join('|')})(?![A-Za-z0-9])(?!\\.\\d)`, 'y')
const NAMES: readonly (readonly [shape: HealthNumber, names: string])[] = [
  ['nhs_number', 'n\\.?h\\.?s\\.?'],
  ['chi_number', 'c\\.?h\\.?i\\.?|community health index'],
  [
    'health_and_care_number',
    'h ?(?:&|and|\\+|/) ?c|hcn|h\\.?s\\.?c\\.?(?:ni)?|health (?:&|and) (?:social )?care|health ?care',
  ],
]
const LABELLED = NAMES.map(([shape, names]) => ({
  shape,
  pattern: new RegExp(`(?<![a-z0-9])(?:${names})(?![a-z])${LABEL_GAP}(\\d(?:${BREAK}\\d){8,10})(?![ .-]?\\d)`, 'gi'),
}))

const healthNumbers: Finder<HealthNumber> = { find: findHealthNumbers, letters: 0, ...DIGITS }

export const nhsNumber = defineShape({ id: 'nhs_number', group: 'person', name: 'NHS number', rank: 10 }, healthNumbers)
export const chiNumber = defineShape({ id: 'chi_number', group: 'person', name: 'CHI number', rank: 7 }, healthNumbers)
export const healthAndCareNumber = defineShape(
  { id: 'health_and_care_number', group: 'person', name: 'Health and Care number', rank: 8 },
  healthNumbers,
)

function findHealthNumbers(text: string): Finding<HealthNumber>[] {
  const findings: Finding<HealthNumber>[] = []
  for (const { shape, pattern } of LABELLED) {
    for (const match of text.matchAll(pattern)) {
      const end = match.index + match[0].length
      findings.push({ shape, start: end - (match[1] ?? '').length, end, certainty: CERTAINTY.labelled })
    }
  }
  let from = 0
  for (const start of startsOfTen(text)) {
    if (start < from) continue
    TEN_DIGITS.lastIndex = start
    const [written, mark = ''] = TEN_DIGITS.exec(text) ?? []
    const finding = written === undefined ? undefined : readTenDigits(text, start, written, mark)
    if (finding === undefined) continue
    findings.push(finding)
    // A match may hide a better one that starts at its second group. If all digits are spaced out, it does not.
    if (mark !== '') from = finding.end
  }
  return findings
}

/** The longest mark between two groups. */
const LONGEST_BREAK = 3

/**
 * Yields, in order, where a group of digits begins that makes ten digits with the groups after it.
 * Counting digits costs much less than trying the pattern at each group of a row.
 */
function* startsOfTen(text: string): Generator<number, void> {
  /** The groups read last: where each begins, and how many digits came before it. A ring, as at most ten of them matter. */
  const starts = new Int32Array(RING)
  const before = new Int32Array(RING)
  let [first, last] = [0, 0]
  let digits = 0
  let end = 0
  for (let at = nextDigit(text, 0); at < text.length; at = nextDigit(text, end)) {
    if (at - end > LONGEST_BREAK) first = last
    starts[last % RING] = at
    before[last % RING] = digits
    last += 1
    end = at + 1
    while (isDigit(text.charCodeAt(end))) end += 1
    digits += end - at
    while (first < last && digits - (before[first % RING] ?? 0) > 10) first += 1
    if (first < last && digits - (before[first % RING] ?? 0) === 10) yield starts[first % RING] ?? 0
  }
}

const RING = 16

/** Returns the offset of the next digit, or the length of the text if there is none. */
function nextDigit(text: string, from: number): number {
  let at = from
  while (at < text.length && !isDigit(text.charCodeAt(at))) at += 1
  return at
}

/** Returns undefined for no health number. `mark` separates the digits if all are spaced out; else it is empty. */
function readTenDigits(text: string, start: number, written: string, mark: string): Finding<HealthNumber> | undefined {
  const end = start + written.length
  if (mark !== '' && isRowOfScores(text, start, written.length)) return undefined
  const digits = written.length === 10 ? written : written.replace(/\D/g, '')
  if (mark === '' && !isHealthNumberGrouping(text, start, written, digits)) return undefined
  if (isFollowedByCount(text, end) || isDeviceOrBatchNumber(text, start)) return undefined
  const mayBeConcept = written === digits && isSnomedConcept(digits) && !hasModulus11CheckDigit(digits)
  if (mayBeConcept && isCodeOrReference(text, start, digits)) return undefined
  const isRegular = /^(?:\d{3}\D+\d{3}\D+\d{4}|\d{6}\D+\d{4})$/.test(written)
  const certainty = isRegular ? CERTAINTY.shaped : CERTAINTY.digitsOnly
  return { shape: healthNumberKind(digits), start, end, certainty }
}

/** Returns which number it is: CHI begins with a date of birth, Health and Care with 32 to 39; all others are NHS numbers. */
export function healthNumberKind(digits: string): HealthNumber {
  if (/^3[2-9]/.test(digits)) return 'health_and_care_number'
  return isBirthDate(digits.slice(0, 6)) ? 'chi_number' : 'nhs_number'
}

/** Returns true if the first four of six digits are a day and a month. */
export function isBirthDate(digits: string): boolean {
  const day = Number(digits.slice(0, 2))
  const month = Number(digits.slice(2, 4))
  return day >= 1 && day <= 31 && month >= 1 && month <= 12
}

/**
 * Returns true if the grouping is that of a health number: 3-3-4, 6-4 or unbroken. Any other grouping may be a row of results: it
 * needs a right check digit, and no group that could be a result by itself.
 */
function isHealthNumberGrouping(text: string, start: number, written: string, digits: string): boolean {
  if (written === digits) return true
  const isInRow = (): boolean => isWithinRowOfNumbers(text, start, written.length)
  const isValid = hasModulus11CheckDigit(digits)
  // Most rows of numbers end here.
  if (!isValid && !CHECK_DIGIT_OPTIONAL.test(written)) return false
  const groups = written.split(/\D+/)
  switch (groups.map((group) => group.length).join('')) {
    case '334':
      return (isValid || !isInRow()) && !groups.every(isRoundDose)
    case '64':
      return isBirthDate(digits) || /^3[2-9]/.test(digits) || isValid || !/000$|00$/.test(groups[0] ?? '')
    case '2224':
      return isBirthDate(digits) && !isInRow()
    case '22222':
      return isValid && !/[ /.]/.test(written) && !isInRow()
    default:
      return isValid && /\d{4}/.test(written) && !/^(?:19|20)\d\d$/.test(groups[0] ?? '') && !isInRow()
  }
}

/** The groupings that may count without a right check digit. */
const CHECK_DIGIT_OPTIONAL = /^(?:\d{3}\D+\d{3}\D+\d{4}|\d{6}\D+\d{4}|\d\d\D+\d\d\D+\d\d\D+\d{4})$/

/** Returns true for a dose such as each of 500-500-1000. Zero is no dose. */
const isRoundDose = (group: string): boolean => Number(group) > 0 && Number(group) % 50 === 0

function isRowOfScores(text: string, start: number, length: number): boolean {
  if (isWithinRowOfNumbers(text, start, length)) return true
  return ITEM_SCORES_BEFORE.test(text.slice(Math.max(0, start - 60), start))
}

/** Names of questionnaires and scores, whose answers are single digits in a row. */
export const ITEM_SCORES_BEFORE = /(?:scor|items?|phq|gad|epds|apgar|answers|counts?)[^.\n]*$/i

/** Returns true if numbers of one to three digits are right before or after, with blanks between: a row of results. */
const isWithinRowOfNumbers = (text: string, start: number, length: number): boolean =>
  /(?:^|[^\dA-Za-z/-])\d{1,3} $/.test(text.slice(Math.max(0, start - 5), start)) ||
  /^ \d{1,3}(?![\dA-Za-z/-])/.test(text.slice(start + length, start + length + 5))

/**
 * Returns true if the tenth digit checks the first nine: weights 10 to 2, modulo 11, 11 counting as 0.
 * All three numbers have this digit. It decides doubtful cases only: an unbroken number with a wrong digit is found too.
 * @see https://www.datadictionary.nhs.uk/attributes/nhs_number.html
 */
export function hasModulus11CheckDigit(digits: string): boolean {
  if (digits.length !== 10) return false
  let sum = 0
  for (let index = 0; index < 9; index += 1) sum += digitAt(digits, index) * (10 - index)
  return (11 - (sum % 11)) % 11 === digitAt(digits, 9)
}

/** Returns NaN for what is no digit, also at the end of the text. NaN equals no check digit. */
const digitAt = (text: string, index: number): number => {
  const code = text.charCodeAt(index)
  return isDigit(code) ? code - 0x30 : Number.NaN
}
