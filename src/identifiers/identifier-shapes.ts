// The eleven identifier shapes of the public contract, and what a finding of one looks like to a caller.

export const IDENTIFIER_SHAPES = [
  'pps_number',
  'eircode',
  'date',
  'date_of_birth',
  'phone_number',
  'nhs_number',
  'chi_number',
  'health_and_care_number',
  'email_address',
  'uk_postcode',
  'hospital_record_number',
] as const

export type IdentifierShape = (typeof IDENTIFIER_SHAPES)[number]

/** `start` and `end` are code-point offsets into the text as sent; `end` is exclusive. */
export type Identifier = { shape: IdentifierShape; start: number; end: number }
