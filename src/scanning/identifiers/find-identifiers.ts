// The identifier guard of letters and of the front page: finds identifiers. Returns shapes and offsets, never a letter's text. The
// scan of prompts (find-shapes.ts) uses the same finders.
import { runSteps, type Steps } from '../../platform/computation-steps.ts'
import type { Finder, Finding } from './finding.ts'
import type { IdentifierFinding, Shape } from './shapes/shape-table.ts'
import { matchingCopies } from './normalise/make-matching-copies.ts'
import { originalRange, type MatchingCopy } from './normalise/matching-copy.ts'
import { findInMarkup } from './markup/find-in-markup.ts'
import { resolveOverlaps } from './overlaps.ts'
import { datesOfBirth } from './shapes/date-of-birth.ts'
import { eircodes } from './shapes/eircode.ts'
import { emailAddresses } from './shapes/email-address.ts'
import { healthNumbers } from './shapes/health-number.ts'
import { labelledRecordNumbers, unlabelledRecordNumbers } from './shapes/record-number.ts'
import { namedMonthDates } from './shapes/named-month-date.ts'
import { numericDates } from './shapes/numeric-date.ts'
import { phoneNumbers } from './shapes/phone-number.ts'
import { ppsNumbers } from './shapes/pps-number.ts'
import { ukPostcodes } from './shapes/uk-postcode.ts'
import { incompleteDates } from './shapes/incomplete-date.ts'

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

/** These come first, because the search for dates of birth needs them. */
const DATES: readonly Finder[] = [numericDates, namedMonthDates, incompleteDates]

const OTHERS: readonly Finder[] = [
  datesOfBirth,
  ppsNumbers,
  phoneNumbers,
  healthNumbers,
  labelledRecordNumbers,
  unlabelledRecordNumbers,
  eircodes,
  ukPostcodes,
  emailAddresses,
]

export const IDENTIFIER_FINDERS: readonly Finder[] = [...DATES, ...OTHERS]

/** Finds all identifiers in one copy. Each finder is one step. */
export function* findIdentifiersInCopy(copy: MatchingCopy): Steps<Finding[]> {
  const dates = yield* runFinders(DATES, copy, [])
  const others = yield* runFinders(OTHERS, copy, dates)
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
