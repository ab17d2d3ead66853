// All shapes that a scan can find, a row a shape. Pages load this table, so the finders of the shapes are not in it. Also the type of
// a reported finding.

/** Headings on the policy page. Account numbers are the group `money`, access tokens are `secret`: the rest are identifiers. */
export const SHAPE_GROUPS = {
  person: 'Patient and person',
  contact: 'Contact and address',
  money: 'Money',
  secret: 'Secrets',
} as const

type Group = keyof typeof SHAPE_GROUPS

/**
 * `name` is for use within a sentence. `rank` decides between overlapping findings of equal certainty and length: the lower rank,
 * which has more structure, gives the name. The order is that of published enumerations: add a shape at the end of its kind.
 */
export const SHAPE_TABLE = [
  { id: 'pps_number', group: 'person', rank: 3, name: 'PPS number' },
  { id: 'eircode', group: 'contact', rank: 4, name: 'Eircode' },
  { id: 'date', group: 'person', rank: 6, name: 'date' },
  { id: 'date_of_birth', group: 'person', rank: 2, name: 'date of birth' },
  { id: 'phone_number', group: 'contact', rank: 9, name: 'phone number' },
  { id: 'nhs_number', group: 'person', rank: 10, name: 'NHS number' },
  { id: 'chi_number', group: 'person', rank: 7, name: 'CHI number' },
  { id: 'health_and_care_number', group: 'person', rank: 8, name: 'Health and Care number' },
  { id: 'email_address', group: 'contact', rank: 1, name: 'e-mail address' },
  { id: 'uk_postcode', group: 'contact', rank: 5, name: 'UK postcode' },
  { id: 'hospital_record_number', group: 'person', rank: 11, name: 'hospital record number' },
  { id: 'payment_card', group: 'money', rank: 0, name: 'payment card' },
  { id: 'iban', group: 'money', rank: 0, name: 'IBAN' },
  { id: 'aqta_key', group: 'secret', rank: 0, name: 'Countersign key' },
  { id: 'openai_key', group: 'secret', rank: 0, name: 'OpenAI key' },
  { id: 'anthropic_key', group: 'secret', rank: 0, name: 'Anthropic key' },
  { id: 'github_token', group: 'secret', rank: 0, name: 'GitHub token' },
  { id: 'slack_token', group: 'secret', rank: 0, name: 'Slack token' },
  { id: 'aws_access_key', group: 'secret', rank: 0, name: 'AWS access key' },
  { id: 'google_api_key', group: 'secret', rank: 0, name: 'Google API key' },
  { id: 'stripe_key', group: 'secret', rank: 0, name: 'Stripe key' },
  { id: 'json_web_token', group: 'secret', rank: 0, name: 'JSON Web Token' },
  { id: 'private_key', group: 'secret', rank: 0, name: 'private key' },
] as const satisfies readonly { id: string; group: Group; rank: number; name: string }[]

export type Shape = (typeof SHAPE_TABLE)[number]['id']

/** A long prompt is searched only near the anchors that each finder declares (`Finder.anchor`). */
export const SHAPES: readonly Shape[] = SHAPE_TABLE.map(({ id }) => id)

/** The eleven shapes of the referral service's public contract. */
export const IDENTIFIER_SHAPES = SHAPE_TABLE.flatMap((row) =>
  row.group === 'person' || row.group === 'contact' ? [row.id] : [],
)
export type IdentifierShape = (typeof IDENTIFIER_SHAPES)[number]

export const ACCOUNT_SHAPES = SHAPE_TABLE.flatMap((row) => (row.group === 'money' ? [row.id] : []))
export type AccountShape = (typeof ACCOUNT_SHAPES)[number]

/** Access tokens of services. */
export const TOKEN_SHAPES = SHAPE_TABLE.flatMap((row) => (row.group === 'secret' ? [row.id] : []))
export type TokenShape = (typeof TOKEN_SHAPES)[number]

/** `start` and `end` are offsets into the text as sent. `end` is exclusive. */
export type ReportedFinding<S extends Shape = Shape> = { shape: S; start: number; end: number }

/** A finding with offsets in code points. */
export type IdentifierFinding = ReportedFinding<IdentifierShape>
