// The identifier guard: which identifier shapes a letter holds, and where. Pure; it never returns the letter's characters.
import type { Finding } from './finding.ts'
import type { Identifier } from './identifier-shapes.ts'
import { matchingCopies } from './normalise/matching-copies.ts'
import { originalRange } from './normalise/matching-copy.ts'
import type { MatchingCopy } from './normalise/matching-copy.ts'
import { resolveOverlaps } from './overlaps.ts'
import { findDatesOfBirth } from './shapes/date-of-birth.ts'
import { findEircodes } from './shapes/eircode.ts'
import { findEmailAddresses } from './shapes/email-address.ts'
import { findHealthNumbers } from './shapes/health-number.ts'
import { findLabelledRecordNumbers } from './shapes/labelled-record-number.ts'
import { findNamedMonthDates } from './shapes/named-month-date.ts'
import { findNumericDates } from './shapes/numeric-date.ts'
import { findPhoneNumbers } from './shapes/phone-number.ts'
import { findPpsNumbers } from './shapes/pps-number.ts'
import { findUnlabelledRecordNumbers } from './shapes/record-number.ts'
import { findUkPostcodes } from './shapes/uk-postcode.ts'
import { findWeekdayDates } from './shapes/weekday-date.ts'

export { IDENTIFIER_SHAPES } from './identifier-shapes.ts'
export type { Identifier, IdentifierShape } from './identifier-shapes.ts'

/** Every identifier shape in `text`, in order of start; each stretch once, under its most specific name. */
export function findIdentifiers(text: string): Identifier[] {
  const findings = matchingCopies(text).flatMap((copy) => findInCopy(copy))
  return findings.length === 0 ? [] : resolveOverlaps(findings)
}

function findInCopy(copy: MatchingCopy): Finding[] {
  const { text, altered } = copy
  const dates = [...findNumericDates(text), ...findNamedMonthDates(text), ...findWeekdayDates(text)]
  const findings = [
    ...dates,
    ...findDatesOfBirth(text, dates),
    ...findPpsNumbers(text),
    ...findPhoneNumbers(text),
    ...findHealthNumbers(text),
    ...findLabelledRecordNumbers(text),
    ...findUnlabelledRecordNumbers(text),
  ]
  // Letters read as digits and spelled numbers matter to figures only; addresses do their own folding.
  if (altered === undefined) findings.push(...findEircodes(text), ...findUkPostcodes(text), ...findEmailAddresses(text))
  return findings
    .filter(({ start, end }) => altered === undefined || altered.subarray(start, end).includes(1))
    .map((finding) => {
      const { start, end } = originalRange(copy, finding.start, finding.end)
      return { shape: finding.shape, certainty: finding.certainty, start, end }
    })
}
