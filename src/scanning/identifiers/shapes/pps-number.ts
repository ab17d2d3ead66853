// Finds PPS numbers (Ireland): seven digits, a check letter A to W, often a second letter, even if the check letter is wrong.
import { isDeviceOrBatchNumber, isPagesOrParameter, isPublicNumber } from '../context/clinical-codes.ts'
import { APART, BREAK, CERTAINTY, DIGITS, LABEL_GAP, defineShape, scan, type Finding } from '../finding.ts'

const UNBROKEN = /(?<![A-Za-z0-9])(?<!\d[.,])(\d{7})([ .\-_/,]?)([A-Wa-w][A-IWTXa-iwtx]?)(?![A-Za-z0-9])/g
/** Not after an area code in brackets: the digits are those of a telephone. */
const BROKEN = new RegExp(
  `(?<![A-Za-z0-9])(?<!\\d[ .,-])(?<!\\(0\\d{1,3}\\) ?)(\\d(?:[ .,/_\\n-]?\\d){6})( ?[-.,/_]? ?|\\n)([A-Wa-w](?:[ .-]?[A-IWTXa-iwtx])?)(?![A-Za-z0-9])`,
  'g',
)
/** Matches "1,2,3,4,5,6,7,F,A", "1 / 2 / 3 / 4 / 5 / 6 / 7 / T". */
const ALL_APART = new RegExp(
  `(?<![A-Za-z0-9])(?<!\\d[ .,/-])\\d(${APART})(?:\\d\\1){6}(?:[A-W](?:\\1[A-IWTX])?|[a-w](?:\\1[a-iwtx])?)(?![A-Za-z0-9])`,
  'g',
)
const LABELLED = new RegExp(
  `(?<![a-z0-9])(?:p\\.?p\\.?s\\.?n?(?:o|no|num|number)?|r\\.?s\\.?i|uimhir p\\.?s\\.?p\\.?|personal public service|pps-?nr)(?![a-z])${LABEL_GAP}` +
    `(\\d(?:(?:,(?=\\d{3})|${BREAK})\\d){5,7}(?:${BREAK}[a-w][a-z]?)?)(?![a-z0-9])`,
  'gi',
)
/** Words that two letters of a PPS number can spell, in text that is all in capitals; "1000 500 BD" is a dose. */
const WORD = /^(?:a|i|at|he|it|ha|hi|bd|od)$/i
/** How people group seven digits. Other groupings are as likely a row of results. */
const USUAL_GROUPS = new Set(['4,3', '3,4', '1,3,3', '3,3,1', '1,1,1,1,1,1,1'])
/** Usual too, but only before two letters: "10000 14G" is a count and a needle. */
const LOPSIDED_GROUPS = new Set(['2,5', '5,2'])
const DIGIT_BY_DIGIT = /^\d(?:\D\d){6}$/
/** The second letter of a number written with spaces after its label. It is a capital, so it is not the article “a”. */
const SPACED_LETTER = /[ .-][A-IWTX](?![A-Za-z0-9])/y

export const ppsNumber = defineShape(
  { id: 'pps_number', group: 'person', name: 'PPS number', rank: 3 },
  { find: findPpsNumbers, letters: 1, ...DIGITS },
)

function findPpsNumbers(text: string): Finding<'pps_number'>[] {
  const findings: Finding<'pps_number'>[] = []
  const add = (start: number, length: number, certainty: Finding<'pps_number'>['certainty']): void => {
    findings.push({ shape: 'pps_number', start, end: start + length, certainty })
  }
  for (const match of text.matchAll(LABELLED)) {
    const value = match[1] ?? ''
    const end = match.index + match[0].length
    SPACED_LETTER.lastIndex = end
    const isSpaced = /^\d(?:\D\d){6}\D[a-w]$/i.test(value) && SPACED_LETTER.test(text)
    add(end - value.length, value.length + (isSpaced ? 2 : 0), CERTAINTY.labelled)
  }
  for (const match of text.matchAll(UNBROKEN)) {
    const [whole, digits = '', gap = '', letters = ''] = match
    if (isUnitOrWord(digits, gap, letters) || isDeviceOrBatchNumber(text, match.index)) continue
    if (!isVariant(text, match.index, whole) && !isPagesOrParameter(text, match.index))
      add(match.index, whole.length, CERTAINTY.distinctive)
  }
  for (const { 0: whole, 1: mark = '', index } of text.matchAll(ALL_APART)) {
    const letters = whole.replace(/[^A-Za-z]/g, '')
    const isWritten = letters.length === 2 && letters === letters.toUpperCase() && mark.trim() !== ''
    if (isWritten || hasPpsCheckLetter(whole.replace(/[^A-Za-z\d]/g, '')))
      add(index, whole.length, CERTAINTY.distinctive)
  }
  scan(BROKEN, text, (match) => {
    const [whole, broken = '', gap = '', written = ''] = match
    if (!isBrokenNumber(broken, gap, written, text.slice(match.index + whole.length, match.index + whole.length + 3)))
      return undefined
    add(match.index, whole.length, CERTAINTY.distinctive)
    return match.index + whole.length
  })
  return findings
}

/** Accepts digits in the usual groups before two letters, or all of them apart. Otherwise the check letter decides. */
function isBrokenNumber(broken: string, gap: string, written: string, after: string): boolean {
  const digits = broken.replace(/\D/g, '')
  const letters = written.replace(/[^A-Za-z]/g, '')
  const areLettersApart = letters !== written
  if (digits === broken || (areLettersApart && !DIGIT_BY_DIGIT.test(broken))) return false
  // Doses are round.
  if (isUnitOrWord(digits, gap, letters) && (letters !== 'U' || digits.endsWith('00'))) return false
  const isValid = hasPpsCheckLetter(digits + letters)
  const isCapital = letters === letters.toUpperCase()
  // A line's last digits and the next line's first word seldom belong together.
  if (`${broken}${gap}`.includes('\n')) return isValid && isCapital && letters.length === 2
  const groups = groupLengths(broken)
  // Commas and slashes also separate thousands and doses.
  if (/[,/_]/.test(broken + gap)) return isValid && USUAL_GROUPS.has(groups) && gap.trim() === gap
  const isUsual = USUAL_GROUPS.has(groups) && (gap === '' || letters.length === 2)
  if (USUAL_GROUPS.has(groups) && letters.length === 1 && gap !== '') {
    return (
      isCapital &&
      (isValid || (gap.includes('-') && /^[\d-]+$/.test(broken)) || isPlausiblePair(broken, letters, after))
    )
  }
  if ((isUsual || (LOPSIDED_GROUPS.has(groups) && letters.length === 2)) && (isCapital || isValid)) return true
  return isValid && isCapital && (/^[\d-]+$/.test(broken) || DIGIT_BY_DIGIT.test(broken))
}

/** Accepts "1234 567 S" with a wrong letter. Refuses a group that is a year, a time or round, and a letter for a side or unit. */
function isPlausiblePair(broken: string, letter: string, after: string): boolean {
  const groups = broken.split(/\D+/)
  const areOdd = groups.every((group) => !/[05]$/.test(group) && !/^(?:(?:19|20)\d\d|[01]\d[0-5]\d)$/.test(group))
  return groups.length === 2 && areOdd && /[BEHJNOPQSTW]/.test(letter) && !/^[ :=]{0,2}[\d/+-]/.test(after)
}

/** Returns true for "2400000 U", a dose whose letter happens to be right. Also for "1234567 he", a number and a word. */
function isUnitOrWord(digits: string, gap: string, letters: string): boolean {
  if (/^u$/i.test(letters) && (gap === ' ' || digits.endsWith('000'))) return true
  if (/^(?:mg|kg)$/i.test(letters) && gap === ' ') return true
  if (/^[glmck]$/i.test(letters) && digits.endsWith('0000')) return true
  const isWord = letters === letters.toLowerCase() || WORD.test(letters)
  return gap === ' ' && isWord && !hasPpsCheckLetter(digits + letters)
}

/** Returns true for a place in a genome and its base: "chr17:7577120G>A". */
function isVariant(text: string, start: number, whole: string): boolean {
  if (!/^>[ACGT]/i.test(text.slice(start + whole.length, start + whole.length + 2))) return false
  return isPublicNumber(text.slice(Math.max(0, start - 40), start), '')
}

const groupLengths = (broken: string): string =>
  broken
    .split(/\D+/)
    .map((group) => group.length)
    .join(',')

/**
 * Returns true if the check letter is right. Weights are 8 to 2 on the digits. Nine times the second letter's position in the
 * alphabet (A to I) is added, modulo 23, W being 0. The older second letters W, T and X do not count.
 */
export function hasPpsCheckLetter(number: string): boolean {
  const [, digits = '', check = '', second = ''] = /^(\d{7})([A-W])([A-Z]?)$/i.exec(number) ?? []
  if (digits === '') return false
  let sum = 'ABCDEFGHI'.indexOf(second.toUpperCase() || '-') * 9 + 9
  for (let index = 0; index < 7; index += 1) sum += Number(digits.charAt(index)) * (8 - index)
  return 'WABCDEFGHIJKLMNOPQRSTUV'.charAt(sum % 23) === check.toUpperCase()
}
