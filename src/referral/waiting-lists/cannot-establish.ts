// The sentences that say what published figures do not tell. They are sent with every list and answer. Without them, a figure
// could be taken for more than a count on one day.
import type { AgeGroup, DatasetKind, Layout } from './dataset.ts'

const EVERY_LIST: readonly string[] = [
  'How long this patient would wait. The bands count how long people had waited so far on the archive date; those who were seen before that date are no longer counted.',
  'How things stand today. The figures are weeks old when they are published, and may be much older when they are read.',
  'How urgent the people on the list are. Urgent, soon and routine referrals are one number, and hospitals see people by clinical priority.',
  'Exact small numbers. The publisher rounds, hides or moves small counts, so the bands need not add up to the total.',
]

const LIST_OF_A_HOSPITAL: readonly string[] = [
  "Whether this hospital accepts the referral, this practice's referrals, this condition or a sub-specialty, or how many consultants it has.",
]

const LIST_WITHOUT_HOSPITAL: readonly string[] = [
  'Which hospitals run this specialty, or how the people counted are spread over them: the published file has one national row and no hospitals.',
]

const OTHER_KINDS: Record<DatasetKind, string> = {
  outpatient:
    'Waits for anything but a first outpatient appointment: these outpatient figures do not count people waiting for treatment as an inpatient or a day case, or for an endoscopy.',
  inpatient_day_case:
    'Waits for an outpatient appointment: these inpatient and day case figures count people waiting for treatment, not for a first appointment, and not for a gastrointestinal endoscopy.',
  gi_endoscopy:
    'Waits for anything but a gastrointestinal endoscopy: these endoscopy figures do not count people waiting for an outpatient appointment or for other treatment as an inpatient or a day case.',
}

/** Returns the limits of one list, which depend on the kind of the file and on whether it names hospitals. */
export function cannotEstablishOfList({ kind, layout }: { kind: DatasetKind; layout: Layout }): string[] {
  return [
    OTHER_KINDS[kind],
    ...EVERY_LIST,
    ...(layout === 'wide_specialty' ? LIST_WITHOUT_HOSPITAL : LIST_OF_A_HOSPITAL),
  ]
}

const EVERY_ANSWER: readonly string[] = [
  'Any average or expected wait. The published files hold counts only and carry no average.',
  'How many people were treated or taken off a list. A smaller number can mean treatment, a check of the list, a transfer or a death.',
  'Waits for review appointments, of people whose entry is suspended, or for a planned procedure: these are not counted, or are published elsewhere.',
  "Whether the patient counts as an adult or a child at a given hospital. The age coding follows the hospital's designation, not age alone.",
  'Whether the counts are right. Each hospital answers for the figures it submits.',
  "This patient's own place on a list. The publisher's advice is to ask the hospital.",
]

const ANSWER_WITH_HOSPITALS: readonly string[] = [
  'Which hospital is better, nearer or more suitable. The lists are in the order of the file, which means nothing else.',
  'That a hospital not listed does not run the specialty. It may have too few people waiting to be shown, may not have reported, or may be counted under another hospital.',
  'That nobody waits in a band that is not listed: the file only has rows for the bands it counts people in.',
]

const ANSWER_WITHOUT_HOSPITALS: readonly string[] = [
  'Which hospitals run this specialty, and what the figures are at any one of them. The published file counts the whole country by specialty and does not tell hospitals apart.',
]

const CASE_TYPES_TOGETHER =
  'Waits as an inpatient apart from waits as a day case: the two case types are counted together in each list.'

/** Returns the limits of the whole answer, in words that fit the served file. */
export function cannotEstablishOfAnswer({
  kind,
  layout,
  ageGroup,
  hasLists,
}: {
  kind: DatasetKind
  layout: Layout
  ageGroup: AgeGroup
  hasLists: boolean
}): string[] {
  return [
    ...(hasLists ? [] : [noLists(ageGroup)]),
    ...(layout === 'wide_specialty' ? ANSWER_WITHOUT_HOSPITALS : ANSWER_WITH_HOSPITALS),
    OTHER_KINDS[kind],
    ...(kind === 'outpatient' ? [] : [CASE_TYPES_TOGETHER]),
    ...EVERY_ANSWER,
  ]
}

function noLists(ageGroup: AgeGroup): string {
  return `That no ${ageGroup === 'Adult' ? 'adult' : 'child'} waits in this specialty. The file publishes no list for this age group; small counts are moved to rows that collect several specialties.`
}
