// The identifier guard of letters and of the front page: finds identifiers. Returns shapes and offsets, never a letter's text. The
// scan of prompts (find-shapes.ts) uses the same finders.
import { runSteps, type Steps } from '../../platform/computation-steps.ts'
import type { Finder, Finding, ReportedFinding } from './finding.ts'
import { findInMarkup } from './markup/find-in-markup.ts'
import { matchingCopies } from './normalise/make-matching-copies.ts'
import { originalRange, SURROGATE, unitsByCodePoint, type MatchingCopy } from './normalise/matching-copy.ts'
import { resolveOverlaps } from './overlaps.ts'
import { date } from './shapes/date.ts'
import { IDENTIFIERS, type IdentifierShape } from './shapes/identifiers.ts'

/** A finding with offsets in code points. */
export type IdentifierFinding = ReportedFinding<IdentifierShape>

/**
 * Returns every identifier in `text`, in order of start. Identifiers never overlap: only the surest is reported. A text with markup
 * is searched as a person reads it.
 */
export const findIdentifiers = (text: string): IdentifierFinding[] =>
  toCodePoints(text, runSteps(findInMarkup(text, findAsWritten)))

/** Offsets are UTF-16 units. */
function* findAsWritten(text: string): Steps<IdentifierFinding[]> {
  const findings: Finding<IdentifierShape>[] = []
  for (const copy of matchingCopies(text)) findings.push(...(yield* findIdentifiersInCopy(copy)))
  const unitAt = unitsByCodePoint(text)
  const toUnit = (point: number): number => unitAt?.[point] ?? point
  return resolveOverlaps(findings).map(({ shape, start, end }) => ({ shape, start: toUnit(start), end: toUnit(end) }))
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

/** Each once, because three kinds of health numbers share theirs. */
export const IDENTIFIER_FINDERS: ReadonlySet<Finder<IdentifierShape>> = new Set(
  IDENTIFIERS.flatMap<Finder<IdentifierShape>>(({ finders }) => finders),
)

/** Dates come first, because the search for dates of birth needs them. */
const OTHERS = [...IDENTIFIER_FINDERS].filter((finder) => !date.finders.some((one) => one === finder))

/** Finds all identifiers in one copy. Each finder is one step. */
export function* findIdentifiersInCopy(copy: MatchingCopy): Steps<Finding<IdentifierShape>[]> {
  const dates = yield* runFinders(date.finders, copy, [])
  const others = yield* runFinders(OTHERS, copy, dates)
  return toOriginalRanges(copy, [...dates, ...others])
}

/** The share of a copy's search that one finder costs. */
const SHARE = 1 / 16

/** Runs the finders one after the other. Returns ranges of the copy. */
export function* runFinders<S extends string>(
  finders: readonly Finder<S>[],
  { text, altered }: MatchingCopy,
  dates: readonly Finding<'date'>[],
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
export function toOriginalRanges<S extends string>(copy: MatchingCopy, findings: Finding<S>[]): Finding<S>[] {
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
