// The ten-digit health numbers: NHS (England, Wales, Isle of Man), CHI (Scotland), Health and Care (Northern Ireland).
import { BREAK, LABEL_GAP } from '../context/labels.ts'
import { isFollowedByCount } from '../context/units.ts'
import { CERTAINTY } from '../finding.ts'
import type { Finding } from '../finding.ts'
import type { IdentifierShape } from '../identifier-shapes.ts'

/** How ten digits are grouped, so that a row of other figures is left at its first ones; the last form has four together. */
const GROUPINGS = [
  `\\d{10}`,
  `\\d{3}${BREAK}\\d{3}${BREAK}\\d{4}`,
  `\\d{6}${BREAK}\\d{4}`,
  `\\d\\d${BREAK}\\d\\d${BREAK}\\d\\d${BREAK}\\d{4}`,
  `\\d(?<mark>${BREAK})\\d(?:\\k<mark>\\d){8}`,
  `\\d\\d(?:[-_\\n]{1,2}\\d\\d){4}`,
  `(?=[\\d \\n_-]{0,20}\\d{4})\\d(?:${BREAK}\\d){9}`,
]
const TEN = new RegExp(`(?<![A-Za-z0-9])(?<!\\d[.,])(?:${GROUPINGS.join('|')})(?![A-Za-z0-9])(?!\\.\\d)`, 'g')
const NAMES: readonly (readonly [shape: IdentifierShape, names: string])[] = [
  ['nhs_number', 'n\\.?h\\.?s\\.?'],
  ['chi_number', 'c\\.?h\\.?i\\.?|community health index'],
  [
    'health_and_care_number',
    'h ?(?:&|and|\\+|/) ?c|hcn|h\\.?s\\.?c\\.?(?:ni)?|health (?:&|and) (?:social )?care|health ?care',
  ],
]
const LABELLED = NAMES.map(([shape, names]) => ({
  shape,
  pattern: new RegExp(
    `(?<![a-z0-9])(?:${names})(?![a-z])${LABEL_GAP}(\\d(?:${BREAK}\\d){8,10})(?![a-z0-9])(?![ .-]?\\d)`,
    'gi',
  ),
}))

export function findHealthNumbers(text: string): Finding[] {
  const findings: Finding[] = []
  for (const { shape, pattern } of LABELLED) {
    for (const match of text.matchAll(pattern)) {
      const end = match.index + match[0].length
      findings.push({ shape, start: end - (match[1] ?? '').length, end, certainty: CERTAINTY.labelled })
    }
  }
  TEN.lastIndex = 0
  for (let match = TEN.exec(text); match !== null; match = TEN.exec(text)) {
    const [written] = match
    const finding = readTenDigits(text, match.index, written, match.groups?.['mark'] ?? '')
    if (finding !== undefined) findings.push(finding)
    // A match may hide a better one that starts at its second group, but not where every digit stands alone.
    const isDigitByDigit = finding !== undefined && match.groups?.['mark'] !== undefined
    TEN.lastIndex = isDigitByDigit ? finding.end : match.index + firstGroupLength(written)
  }
  return findings
}

function firstGroupLength(written: string): number {
  let length = 1
  while (length < written.length && /\d/.test(written.charAt(length))) length += 1
  return length
}

/** `mark` is what parts the digits where each stands alone. */
function readTenDigits(text: string, start: number, written: string, mark: string): Finding | undefined {
  const end = start + written.length
  if (mark !== '' && isRowOfScores(text, start, written.length)) return undefined
  const digits = written.replace(/\D/g, '')
  if (mark === '' && !isHealthNumberGrouping(text, start, written, digits)) return undefined
  if (isFollowedByCount(text, end)) return undefined
  const isRegular = /^(?:\d{3}\D+\d{3}\D+\d{4}|\d{6}\D+\d{4})$/.test(written)
  const certainty = isRegular ? CERTAINTY.shaped : CERTAINTY.digitsOnly
  return { shape: healthNumberKind(digits), start, end, certainty }
}

/** Scotland's number opens with a date of birth, Northern Ireland's with 32 to 39; the rest are NHS numbers. */
export function healthNumberKind(digits: string): IdentifierShape {
  if (/^3[2-9]/.test(digits)) return 'health_and_care_number'
  return isBirthDate(digits.slice(0, 6)) ? 'chi_number' : 'nhs_number'
}

/** Six digits that read as day, month and year. */
export function isBirthDate(digits: string): boolean {
  const day = Number(digits.slice(0, 2))
  const month = Number(digits.slice(2, 4))
  return day >= 1 && day <= 31 && month >= 1 && month <= 12
}

/**
 * 3-3-4, 6-4 and unbroken are the ways these numbers are written. Any other grouping may be a row of
 * results, and counts only where the check digit is right and no group could be one of those on its own.
 */
function isHealthNumberGrouping(text: string, start: number, written: string, digits: string): boolean {
  if (written === digits) return true
  const groups = written.split(/\D+/)
  const sizes = groups.map((group) => group.length).join('')
  const isInRow = isWithinRowOfNumbers(text, start, written.length)
  const isValid = hasModulus11CheckDigit(digits)
  switch (sizes) {
    case '334':
      return (isValid || !isInRow) && !groups.every(isRoundDose)
    case '64':
      return isBirthDate(digits) || /^3[2-9]/.test(digits) || isValid || !/000$|00$/.test(groups[0] ?? '')
    case '2224':
      return isBirthDate(digits) && !isInRow
    case '22222':
      return isValid && !isInRow && !/[ /.]/.test(written)
    default:
      return (
        isValid &&
        !isInRow &&
        /\d{4}/.test(written) &&
        !/[/.]/.test(written) &&
        !/^(?:19|20)\d\d$/.test(groups[0] ?? '')
      )
  }
}

/** As each of 500-500-1000 is. None is of nothing. */
const isRoundDose = (group: string): boolean => Number(group) > 0 && Number(group) % 50 === 0

function isRowOfScores(text: string, start: number, length: number): boolean {
  if (isWithinRowOfNumbers(text, start, length)) return true
  return ITEM_SCORES_BEFORE.test(text.slice(Math.max(0, start - 60), start))
}

const ITEM_SCORES_BEFORE = /(?:scor|items?|phq|gad|epds|apgar|answers|counts?)[^.\n]*$/i

/** More numbers of one to three digits stand right before or after, blanks between: a row of results. */
function isWithinRowOfNumbers(text: string, start: number, length: number): boolean {
  const before = /(?:^|[^\dA-Za-z/-])(\d{1,3}) $/.exec(text.slice(Math.max(0, start - 5), start))
  const after = /^ \d{1,3}(?![\dA-Za-z/-])/.exec(text.slice(start + length, start + length + 5))
  return before !== null || after !== null
}

/**
 * Whether the last digit checks the others, as in all three of these numbers: weights 10 to 2 on the first nine digits; 11 minus
 * the sum modulo 11 is the tenth, 11 counting as 0. It breaks ties and never excuses a number.
 */
export function hasModulus11CheckDigit(digits: string): boolean {
  if (!/^\d{10}$/.test(digits)) return false
  let sum = 0
  for (let index = 0; index < 9; index += 1) sum += Number(digits.charAt(index)) * (10 - index)
  return (11 - (sum % 11)) % 11 === Number(digits.charAt(9))
}
