// What a matching copy of a text holds, as ranges of the text itself.
import type { Finding } from './finding.ts'
import type { AccountShape, Shape } from './identifier-shapes.ts'
import { originalRange } from './normalise/matching-copy.ts'
import type { MatchingCopy } from './normalise/matching-copy.ts'
import { findDatesOfBirth } from './shapes/date-of-birth.ts'
import { findEircodes } from './shapes/eircode.ts'
import { findEmailAddresses } from './shapes/email-address.ts'
import { findHealthNumbers } from './shapes/health-number.ts'
import { findIbans } from './shapes/iban.ts'
import { findLabelledRecordNumbers } from './shapes/labelled-record-number.ts'
import { findNamedMonthDates } from './shapes/named-month-date.ts'
import { findNumericDates } from './shapes/numeric-date.ts'
import { findPaymentCards } from './shapes/payment-card.ts'
import { findPhoneNumbers } from './shapes/phone-number.ts'
import { findPpsNumbers } from './shapes/pps-number.ts'
import { findUnlabelledRecordNumbers } from './shapes/record-number.ts'
import { findUkPostcodes } from './shapes/uk-postcode.ts'
import { findWeekdayDates } from './shapes/weekday-date.ts'

export function findIdentifiersInCopy(copy: MatchingCopy): Finding[] {
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
  return inOriginal(copy, findings)
}

export function findAccountsInCopy(copy: MatchingCopy): Finding<AccountShape>[] {
  return inOriginal(copy, [...findPaymentCards(copy.text), ...findIbans(copy.text)])
}

/** Of a copy derived from another, only what is read differently there is new. */
function inOriginal<S extends Shape>(copy: MatchingCopy, findings: readonly Finding<S>[]): Finding<S>[] {
  const { altered } = copy
  return findings
    .filter(({ start, end }) => altered === undefined || altered.subarray(start, end).includes(1))
    .map((finding) => {
      const { start, end } = originalRange(copy, finding.start, finding.end)
      return { shape: finding.shape, certainty: finding.certainty, start, end }
    })
}
