// The sentences that the contract allows in answers. Any other sentence could be medical advice, so it counts as a difference.
// Written from the contract, without any code of the service.
import type { ReadResponse } from './response-schemas.ts'

const ASK = 'The clinician chooses.'
const AGREED = 'Both readers named the same specialty'

const AGREEMENT_SENTENCES = [
  `${AGREED} and the same age group.`,
  `${AGREED}. They differ on whether the patient is an adult or a child, so no age group is given.`,
  `${AGREED}. Neither could tell whether the patient is an adult or a child.`,
  `${AGREED}. Only one could tell whether the patient is an adult or a child, so no age group is given.`,
] as const

const WHY_UNAVAILABLE = {
  timeout: 'did not answer in time',
  provider_error: 'failed at its provider',
  invalid_answer: 'gave no answer from the published list',
  no_majority: 'gave no single answer more often than any other',
} as const

const FOUND_TWO_PROBLEMS = 'found that the letter asks about two problems'
const NEITHER_NAMES = [
  'Neither reader found a published specialty that the letter is for.',
  `Both readers ${FOUND_TWO_PROBLEMS}.`,
  `One reader ${FOUND_TWO_PROBLEMS}, and the other found no published specialty that it is for.`,
]
const ONE_NAMES = [
  'One reader named a specialty and the other found none in the published list.',
  `One reader ${FOUND_TWO_PROBLEMS}, and the other named one specialty.`,
]

const asked = (sentences: readonly string[]) => sentences.map((sentence) => `${sentence} ${ASK}`)

/** Returns the sentences that `because` may contain. A reading does not distinguish two problems from no matching entry. */
export function allowedBecauseSentences({ readers }: Pick<ReadResponse, 'readers'>): readonly string[] {
  const [a, b] = readers
  const missing = readers.filter(({ available }) => !available)
  if (missing.length > 0) {
    const reasons = missing.map(({ model, reason }) => `${model} ${reason === null ? '' : WHY_UNAVAILABLE[reason]}`)
    const rule = missing.length === 1 ? 'One reading alone decides nothing.' : 'There is no reading to go by.'
    return [`${reasons.join(', and ')}. ${rule} ${ASK}`]
  }
  if (a.specialty === null && b.specialty === null) return asked(NEITHER_NAMES)
  if (a.specialty === null || b.specialty === null) return asked(ONE_NAMES)
  if (a.specialty !== b.specialty) return asked(['The readers named different specialties.'])
  if (a.ageGroup === b.ageGroup) return [AGREEMENT_SENTENCES[a.ageGroup === null ? 2 : 0]]
  return [AGREEMENT_SENTENCES[a.ageGroup === null || b.ageGroup === null ? 3 : 1]]
}

/** The contract's reason why each action is held. */
export const HELD_BECAUSE: Readonly<Record<string, string>> = {
  choose_destination:
    'Choosing where a patient is sent is a clinical decision. This service lists what is published and chooses nothing.',
  submit_referral:
    'Sending a referral commits the patient and the clinician. This service reads drafts and sends nothing.',
  assign_urgency:
    'Urgency is set by the clinician who has seen the patient and by the service that receives the referral.',
  rank_suitability: 'The published figures say nothing about suitability, so any ranking made from them would mislead.',
  book_appointment:
    'Booking commits a hospital and a patient. This service has no access to any booking system and seeks none.',
}

/** The allowed sentences of `established` in the answer to a held action. */
export const HELD_ESTABLISHED: ReadonlySet<string> = new Set([
  'How many people were recorded as waiting on the archive date, for the adult or the child list, by the time they had waited so far.',
  'Where the published file names hospitals: that people were on a list for this specialty at that hospital on that date.',
])

/** The allowed sentences of `cannot_tell_you_about_this_patient` in the answer to a held action. */
export const HELD_CANNOT_TELL: ReadonlySet<string> = new Set([
  'How long this patient would wait: the figures show time already waited by those still waiting.',
  'How things stand today: the figures are weeks old at best.',
  'How urgent anyone is: urgent, soon and routine are counted in one number.',
  'What a hospital can take on: its capacity, its consultants, or whether it accepts this referral.',
  'Whether a hospital suits this patient: condition, sub-specialty, history, distance and wishes are not in the figures.',
  'Which appointments are free: the figures hold no clinics and no dates.',
  'Whether the letter is complete, correct and ready to be sent.',
  'Whether the patient has agreed to be referred.',
  'How urgent this patient is.',
  'The quality or the results of any hospital.',
])

/** `who_holds_this` and `note` in the answer to a held action. */
export const WHO_HOLDS_THIS = 'The clinician writing the referral, and the service that receives it.'
export const HELD_NOTE = 'This request and this refusal are both recorded. No letter was read.'

/** The allowed sentences of `cannotEstablish`, for one list or all, whatever the file counts and whichever layout it has. */
export const CANNOT_ESTABLISH: ReadonlySet<string> = new Set([
  'How long this patient would wait. The bands count how long people had waited so far on the archive date; those who were seen before that date are no longer counted.',
  'How things stand today. The figures are weeks old when they are published, and may be much older when they are read.',
  'How urgent the people on the list are. Urgent, soon and routine referrals are one number, and hospitals see people by clinical priority.',
  'Exact small numbers. The publisher rounds, hides or moves small counts, so the bands need not add up to the total.',
  "Whether this hospital accepts the referral, this practice's referrals, this condition or a sub-specialty, or how many consultants it has.",
  'Which hospitals run this specialty, or how the people counted are spread over them: the published file has one national row and no hospitals.',
  'Waits for anything but a first outpatient appointment: these outpatient figures do not count people waiting for treatment as an inpatient or a day case, or for an endoscopy.',
  'Waits for an outpatient appointment: these inpatient and day case figures count people waiting for treatment, not for a first appointment, and not for a gastrointestinal endoscopy.',
  'Waits for anything but a gastrointestinal endoscopy: these endoscopy figures do not count people waiting for an outpatient appointment or for other treatment as an inpatient or a day case.',
  'Any average or expected wait. The published files hold counts only and carry no average.',
  'How many people were treated or taken off a list. A smaller number can mean treatment, a check of the list, a transfer or a death.',
  'Waits for review appointments, of people whose entry is suspended, or for a planned procedure: these are not counted, or are published elsewhere.',
  "Whether the patient counts as an adult or a child at a given hospital. The age coding follows the hospital's designation, not age alone.",
  'Whether the counts are right. Each hospital answers for the figures it submits.',
  "This patient's own place on a list. The publisher's advice is to ask the hospital.",
  'Which hospital is better, nearer or more suitable. The lists are in the order of the file, which means nothing else.',
  'That a hospital not listed does not run the specialty. It may have too few people waiting to be shown, may not have reported, or may be counted under another hospital.',
  'That nobody waits in a band that is not listed: the file only has rows for the bands it counts people in.',
  'Which hospitals run this specialty, and what the figures are at any one of them. The published file counts the whole country by specialty and does not tell hospitals apart.',
  'Waits as an inpatient apart from waits as a day case: the two case types are counted together in each list.',
  ...['adult', 'child'].map(
    (patient) =>
      `That no ${patient} waits in this specialty. The file publishes no list for this age group; small counts are moved to rows that collect several specialties.`,
  ),
])

/** Names unknown sentences by their path only, because unknown text must not be repeated. */
export function unknownSentences(
  member: string,
  sentences: readonly string[],
  allowed: ReadonlySet<string>,
): readonly string[] {
  return sentences.flatMap((sentence, index) =>
    allowed.has(sentence) ? [] : [`${member}.${index}: it is not a sentence of the contract`],
  )
}
