// All shapes that a scan can find, in three groups: the identifiers of the referral service, account numbers, and access tokens.
// Also the type of a reported finding.

/** The eleven shapes of the referral service's public contract. */
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

/** Access tokens of services. */
export const TOKEN_SHAPES = [
  'aqta_key',
  'openai_key',
  'anthropic_key',
  'github_token',
  'slack_token',
  'aws_access_key',
  'google_api_key',
  'stripe_key',
  'json_web_token',
  'private_key',
] as const

export type TokenShape = (typeof TOKEN_SHAPES)[number]

/** Account numbers. */
export const ACCOUNT_SHAPES = ['payment_card', 'iban'] as const

export type AccountShape = (typeof ACCOUNT_SHAPES)[number]

/**
 * All shapes. A long prompt is searched only near the anchors that each finder declares (`Finder.anchor`). Tests search for every
 * shape in long prompts (find-shapes.test.ts, accounts.test.ts).
 */
export const SHAPES = [...IDENTIFIER_SHAPES, ...ACCOUNT_SHAPES, ...TOKEN_SHAPES] as const

export type Shape = (typeof SHAPES)[number]

/** `start` and `end` are offsets into the text as sent. `end` is exclusive. */
export type ReportedFinding<S extends Shape = Shape> = { shape: S; start: number; end: number }

/** A finding with offsets in code points. */
export type IdentifierFinding = ReportedFinding<IdentifierShape>
