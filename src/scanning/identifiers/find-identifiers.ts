// The identifier guard of letters and of the front page: finds identifiers. Returns shapes and offsets, never a letter's text. The
// scan of prompts (find-shapes.ts) uses the same finders.
import { runSteps, type Steps } from '../../platform/computation-steps.ts'
import type { Finding } from './finding.ts'
import type { IdentifierFinding, IdentifierShape, Shape } from './identifier-shapes.ts'
import { matchingCopies } from './normalise/make-matching-copies.ts'
import { originalRange, type MatchingCopy } from './normalise/matching-copy.ts'
import { findInMarkup } from './markup/find-in-markup.ts'
import { resolveOverlaps } from './overlaps.ts'
import { findDatesOfBirth } from './shapes/date-of-birth.ts'
import { findEircodes } from './shapes/eircode.ts'
import { findEmailAddresses } from './shapes/email-address.ts'
import { findHealthNumbers } from './shapes/health-number.ts'
import { findLabelledRecordNumbers, findUnlabelledRecordNumbers } from './shapes/record-number.ts'
import { findNamedMonthDates } from './shapes/named-month-date.ts'
import { findNumericDates } from './shapes/numeric-date.ts'
import { findPhoneNumbers } from './shapes/phone-number.ts'
import { findPpsNumbers } from './shapes/pps-number.ts'
import { findUkPostcodes } from './shapes/uk-postcode.ts'
import { findIncompleteDates } from './shapes/incomplete-date.ts'

/**
 * Returns every identifier in `text`, in order of start. Identifiers never overlap: only the surest is reported. A text with markup
 * is searched as a person reads it.
 */
export const findIdentifiers = (text: string): IdentifierFinding[] =>
  toCodePoints(text, runSteps(findInMarkup(text, findAsWritten)))

/** Offsets are UTF-16 units. */
function* findAsWritten(text: string): Steps<IdentifierFinding[]> {
  const findings: Finding[] = []
  for (const copy of matchingCopies(text)) findings.push(...(yield* findIdentifiersInCopy(copy)))
  return toUnits(text, resolveOverlaps(findings))
}

const SURROGATE = /[\ud800-\udfff]/

/** Converts offsets from code points to UTF-16 units. */
function toUnits(text: string, found: IdentifierFinding[]): IdentifierFinding[] {
  if (found.length === 0 || !SURROGATE.test(text)) return found
  const unitAt = [0]
  for (const character of text) unitAt.push((unitAt.at(-1) ?? 0) + character.length)
  return found.map(({ shape, start, end }) => ({ shape, start: unitAt[start] ?? start, end: unitAt[end] ?? end }))
}

/** Converts offsets from UTF-16 units to code points. */
function toCodePoints(text: string, found: readonly IdentifierFinding[]): IdentifierFinding[] {
  const isSame = found.length === 0 || !SURROGATE.test(text)
  const pointAt = new Int32Array(isSame ? 0 : text.length + 1)
  let points = 0
  let unit = 0
  for (const character of isSame ? '' : text) {
    pointAt.fill(points, unit, unit + character.length)
    unit += character.length
    points += 1
  }
  if (!isSame) pointAt[unit] = points
  return found.map(({ shape, start, end }) => ({ shape, start: pointAt[start] ?? start, end: pointAt[end] ?? end }))
}

/** The anchor of most shapes: every value has a digit in its folded copy, except numbers that are spelled in words. */
const DIGIT = '\\d+'
/** An anchor for postcodes: letters may be typed for all digits of a labelled one. */
const POSTCODE_LABEL = 'code|\\bzip\\b'
const AT = '@+|&commat|\\bdot\\b|[ _]-?at-?[ _](?=[a-z0-9-]{1,63}(?:(?: \\. ?|\\.)[a-z]|_dot))|[([{<] ?at ?[)\\]}>]'

export type Finder<S extends Shape> = {
  /** @param dates the dates that were found before */
  readonly find: (text: string, dates: readonly Finding[]) => Finding<S>[]
  /**
   * The source of a pattern. A long text is searched only near its matches, so every value of the shape must contain one. A shape
   * whose values can be letters alone needs another anchor besides DIGIT, or long prompts pass with such a value.
   */
  readonly anchor: string
  /** The fewest letters in a row that a value with its label has. */
  readonly letters: 0 | 1 | 2
  /** True if the finder also searches copies in which letters or words are read as digits. */
  readonly inAlteredCopies: boolean
}

export const DIGITS = { anchor: DIGIT, inAlteredCopies: true } as const
export const AS_WRITTEN = { inAlteredCopies: false } as const

const DATE_FINDERS: readonly Finder<IdentifierShape>[] = [
  { find: findNumericDates, letters: 0, ...DIGITS },
  { find: findNamedMonthDates, letters: 2, ...DIGITS },
  { find: findIncompleteDates, letters: 2, ...DIGITS },
]

const OTHER_FINDERS: readonly Finder<IdentifierShape>[] = [
  { find: findDatesOfBirth, letters: 1, ...DIGITS },
  { find: findPpsNumbers, letters: 1, ...DIGITS },
  { find: findPhoneNumbers, letters: 0, ...DIGITS },
  { find: findHealthNumbers, letters: 0, ...DIGITS },
  { find: findLabelledRecordNumbers, letters: 1, ...DIGITS },
  { find: findUnlabelledRecordNumbers, letters: 0, ...DIGITS },
  { find: findEircodes, letters: 1, anchor: `${DIGIT}|${POSTCODE_LABEL}`, ...AS_WRITTEN },
  { find: findUkPostcodes, letters: 1, anchor: `${DIGIT}|${POSTCODE_LABEL}`, ...AS_WRITTEN },
  { find: findEmailAddresses, letters: 1, anchor: AT, ...AS_WRITTEN },
]

/** The finders of identifiers. Dates come first, because the search for dates of birth needs them. */
export const IDENTIFIER_FINDERS: readonly Finder<IdentifierShape>[] = [...DATE_FINDERS, ...OTHER_FINDERS]

/** Finds all identifiers in one copy. Each finder is one step. */
export function* findIdentifiersInCopy(copy: MatchingCopy): Steps<Finding[]> {
  const dates = yield* runFinders(DATE_FINDERS, copy, [])
  const others = yield* runFinders(OTHER_FINDERS, copy, dates)
  return toOriginalRanges(copy, [...dates, ...others])
}

/** The share of a copy's search that one finder costs. */
const SHARE = 1 / 16

/** Runs the finders one after the other. Returns ranges of the copy. */
export function* runFinders<S extends Shape>(
  finders: readonly Finder<S>[],
  { text, altered }: MatchingCopy,
  dates: readonly Finding[],
): Steps<Finding<S>[]> {
  const letters = lettersInRow(text)
  const findings: Finding<S>[] = []
  for (const finder of finders) {
    if (finder.letters > letters || (altered !== undefined && !finder.inAlteredCopies)) continue
    for (const finding of finder.find(text, dates)) findings.push(finding)
    yield text.length * SHARE
  }
  return findings
}

/** Returns the most letters in a row in `text`, at most 2. */
function lettersInRow(text: string): number {
  if (/[a-z]{2}/i.test(text)) return 2
  return /[a-z]/i.test(text) ? 1 : 0
}

/** Converts findings to ranges of the text. In a derived copy, only findings over changed characters are new. */
export function toOriginalRanges<S extends Shape>(copy: MatchingCopy, findings: Finding<S>[]): Finding<S>[] {
  const { altered, origin } = copy
  const added =
    altered === undefined ? findings : findings.filter(({ start, end }) => altered.subarray(start, end).includes(1))
  if (origin === undefined) return added
  for (const finding of added) {
    const { start, end } = originalRange(copy, finding.start, finding.end)
    finding.start = start
    finding.end = end
  }
  return added
}
