// The identifier guard: which identifier shapes a letter holds, and where. Pure; it never returns the letter's characters.
import { runSteps, type Steps } from '../../platform/steps.ts'
import type { Finding } from './finding.ts'
import type { Identifier, IdentifierShape, Shape } from './identifier-shapes.ts'
import { matchingCopies } from './normalise/matching-copies.ts'
import { originalRange, type MatchingCopy } from './normalise/matching-copy.ts'
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
import { findWeekdayDates } from './shapes/weekday-date.ts'

/** Every identifier shape in `text`, in order of start; each stretch once, under its most specific name. */
export function findIdentifiers(text: string): Identifier[] {
  const findings = matchingCopies(text).flatMap((copy) => runSteps(findIdentifiersInCopy(copy)))
  return findings.length === 0 ? [] : resolveOverlaps(findings)
}

/** Stands in every value of a shape as the folded copy has it, except numbers spelled in words. */
const FIGURE = '\\d+'
/** Letters may stand for all figures of a labelled postcode. */
const POSTCODE_LABEL = 'code|\\bzip\\b'
const AT = '@+|&commat|\\bdot\\b|[([{<] ?at ?[)\\]}>]'

export type Finder<S extends Shape> = {
  /** @param dates what was found before as a date */
  readonly find: (text: string, dates: readonly Finding[]) => Finding<S>[]
  /**
   * The source of a pattern. A long text is searched only near its matches, so every value of the shape must contain one. A shape
   * whose values can be letters alone needs one beside FIGURE, or long prompts pass with it.
   */
  readonly anchor: string
  /** How many letters in a row its values and labels have at least. */
  readonly letters: 0 | 1 | 2
  /** Letters read as digits and spelled numbers matter to figures only. */
  readonly inSecondReadings: boolean
}

export const FIGURES = { anchor: FIGURE, inSecondReadings: true } as const
export const AS_WRITTEN = { inSecondReadings: false } as const

const DATES: readonly Finder<IdentifierShape>[] = [
  { find: findNumericDates, letters: 0, ...FIGURES },
  { find: findNamedMonthDates, letters: 2, ...FIGURES },
  { find: findWeekdayDates, letters: 2, ...FIGURES },
]

const OTHERS: readonly Finder<IdentifierShape>[] = [
  { find: findDatesOfBirth, letters: 1, ...FIGURES },
  { find: findPpsNumbers, letters: 1, ...FIGURES },
  { find: findPhoneNumbers, letters: 0, ...FIGURES },
  { find: findHealthNumbers, letters: 0, ...FIGURES },
  { find: findLabelledRecordNumbers, letters: 1, ...FIGURES },
  { find: findUnlabelledRecordNumbers, letters: 0, ...FIGURES },
  { find: findEircodes, letters: 1, anchor: `${FIGURE}|${POSTCODE_LABEL}`, ...AS_WRITTEN },
  { find: findUkPostcodes, letters: 1, anchor: `${FIGURE}|${POSTCODE_LABEL}`, ...AS_WRITTEN },
  { find: findEmailAddresses, letters: 1, anchor: AT, ...AS_WRITTEN },
]

/** How identifiers are found; dates come first, because the search for dates of birth needs them. */
export const IDENTIFIER_FINDERS: readonly Finder<IdentifierShape>[] = [...DATES, ...OTHERS]

/** A step is one shape searched for, which goes through the text a few times. */
export function* findIdentifiersInCopy(copy: MatchingCopy): Steps<Finding[]> {
  const dates = yield* findBy(DATES, copy, [])
  const others = yield* findBy(OTHERS, copy, dates)
  return inOriginal(copy, [...dates, ...others])
}

/** One search is about this share of all the searches through a copy. */
const SHARE = 1 / 16

/** Runs the finders one after the other. Returns ranges of the copy. */
export function* findBy<S extends Shape>(
  finders: readonly Finder<S>[],
  { text, altered }: MatchingCopy,
  dates: readonly Finding[],
): Steps<Finding<S>[]> {
  const letters = lettersInRow(text)
  const findings: Finding<S>[] = []
  for (const finder of finders) {
    if (finder.letters > letters || (altered !== undefined && !finder.inSecondReadings)) continue
    for (const finding of finder.find(text, dates)) findings.push(finding)
    yield text.length * SHARE
  }
  return findings
}

/** At most 2. */
function lettersInRow(text: string): number {
  if (/[a-z]{2}/i.test(text)) return 2
  return /[a-z]/i.test(text) ? 1 : 0
}

/** The findings as ranges of the text. In a copy derived from another, only what is read differently there is new. */
export function inOriginal<S extends Shape>(copy: MatchingCopy, findings: Finding<S>[]): Finding<S>[] {
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
