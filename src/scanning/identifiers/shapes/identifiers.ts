// The eleven shapes of the referral service's public contract. The front page loads these, but no accounts and tokens.
import { dateOfBirth } from './date-of-birth.ts'
import { date } from './date.ts'
import { eircode } from './eircode.ts'
import { emailAddress } from './email-address.ts'
import { chiNumber, healthAndCareNumber, nhsNumber } from './health-number.ts'
import { phoneNumber } from './phone-number.ts'
import { ppsNumber } from './pps-number.ts'
import { recordNumber } from './record-number.ts'
import { ukPostcode } from './uk-postcode.ts'

/** The order is that of published enumerations: add a shape at the end. */
export const IDENTIFIERS = [
  ppsNumber,
  eircode,
  date,
  dateOfBirth,
  phoneNumber,
  nhsNumber,
  chiNumber,
  healthAndCareNumber,
  emailAddress,
  ukPostcode,
  recordNumber,
]

export const IDENTIFIER_SHAPES = IDENTIFIERS.map(({ id }) => id)
export type IdentifierShape = (typeof IDENTIFIER_SHAPES)[number]
