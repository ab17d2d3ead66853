// The closed lists of words in signed readings and outcomes, and the names of both formats.

/** The format's name, in the record and in the command's --profile. */
export const READING_PROFILE = 'reading-1'
export const OUTCOME_PROFILE = 'outcome-1'

/** The actions that a caller may ask for. A reading answers each alike. */
export const READING_ACTIONS = [
  'read',
  'identify_specialty',
  'list_destinations',
  'compare',
  'assemble_evidence',
  'flag',
] as const

export const UNAVAILABLE_REASONS = ['timeout', 'provider_error', 'invalid_answer', 'no_majority'] as const

/** `none`: the reader found no published specialty, or two problems. Or why there is no reading. */
export const READER_STATES = ['named', 'none', ...UNAVAILABLE_REASONS] as const
export type ReaderState = (typeof READER_STATES)[number]

/** `CHOSEN`: the reading was `ask`, so nothing was proposed. */
export const OUTCOME_DECISIONS = ['ACCEPTED', 'OVERRIDDEN', 'CHOSEN'] as const
export type OutcomeDecision = (typeof OUTCOME_DECISIONS)[number]

export const CHOOSER_ROLES = ['referrer', 'triage', 'other'] as const
export type ChooserRole = (typeof CHOOSER_ROLES)[number]

export const CHOICE_REASONS = ['', 'other-specialty', 'letter-incomplete', 'not-a-referral', 'other'] as const
export type ChoiceReason = (typeof CHOICE_REASONS)[number]
