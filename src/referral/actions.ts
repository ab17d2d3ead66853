// The fixed table of actions of the referral API, and the answers to held ones. Allowed actions read and commit nothing. Held
// actions would commit something, so they are always refused. Any other action is unknown.
import * as z from 'zod'
import { READING_ACTIONS } from '../evidence/records/reading-words.ts'
import { once, type Infer } from '../platform/once.ts'

export const ALLOWED_ACTIONS = READING_ACTIONS
export type AllowedAction = (typeof ALLOWED_ACTIONS)[number]

export const HELD_ACTIONS = [
  'choose_destination',
  'submit_referral',
  'assign_urgency',
  'rank_suitability',
  'book_appointment',
] as const
export type HeldAction = (typeof HELD_ACTIONS)[number]

export const DEFAULT_ACTION: AllowedAction = 'identify_specialty'

export const isAllowedAction = (action: string): action is AllowedAction =>
  (ALLOWED_ACTIONS as readonly string[]).includes(action)

export const isHeldAction = (action: string): action is HeldAction =>
  (HELD_ACTIONS as readonly string[]).includes(action)

/** The contract fixes these seven members. */
export const HeldResponseSchema = once(() =>
  z
    .strictObject({
      action: z.enum(HELD_ACTIONS),
      decision: z.literal('held'),
      because: z.string(),
      established: z.array(z.string()).meta({ description: 'What the published figures do establish.' }),
      cannot_tell_you_about_this_patient: z.array(z.string()),
      who_holds_this: z.string(),
      note: z.string(),
    })
    .meta({ id: 'HeldResponse', description: 'The action is held: nothing was read and nothing was done.' }),
)

export type HeldResponse = Infer<typeof HeldResponseSchema>

const COUNTS =
  'How many people were recorded as waiting on the archive date, for the adult or the child list, by the time they had waited so far.'
const WHERE =
  'Where the published file names hospitals: that people were on a list for this specialty at that hospital on that date.'

const OWN_WAIT = 'How long this patient would wait: the figures show time already waited by those still waiting.'
const PRESENT = 'How things stand today: the figures are weeks old at best.'
const URGENCY_MIX = 'How urgent anyone is: urgent, soon and routine are counted in one number.'
const CAPACITY = 'What a hospital can take on: its capacity, its consultants, or whether it accepts this referral.'
const FIT =
  'Whether a hospital suits this patient: condition, sub-specialty, history, distance and wishes are not in the figures.'
const CLINIC_DATES = 'Which appointments are free: the figures hold no clinics and no dates.'

const WORDING: Record<HeldAction, { because: string; established: string[]; cannotTell: string[] }> = {
  choose_destination: {
    because:
      'Choosing where a patient is sent is a clinical decision. This service lists what is published and chooses nothing.',
    established: [COUNTS, WHERE],
    cannotTell: [FIT, CAPACITY, OWN_WAIT, PRESENT],
  },
  submit_referral: {
    because: 'Sending a referral commits the patient and the clinician. This service reads drafts and sends nothing.',
    established: [COUNTS, WHERE],
    cannotTell: [
      'Whether the letter is complete, correct and ready to be sent.',
      'Whether the patient has agreed to be referred.',
      CAPACITY,
      PRESENT,
    ],
  },
  assign_urgency: {
    because: 'Urgency is set by the clinician who has seen the patient and by the service that receives the referral.',
    established: [COUNTS],
    cannotTell: ['How urgent this patient is.', URGENCY_MIX, OWN_WAIT],
  },
  rank_suitability: {
    because: 'The published figures say nothing about suitability, so any ranking made from them would mislead.',
    established: [COUNTS, WHERE],
    cannotTell: [FIT, 'The quality or the results of any hospital.', CAPACITY, OWN_WAIT],
  },
  book_appointment: {
    because:
      'Booking commits a hospital and a patient. This service has no access to any booking system and seeks none.',
    established: [COUNTS, WHERE],
    cannotTell: [CLINIC_DATES, OWN_WAIT, CAPACITY, PRESENT],
  },
}

export function holdAction(action: HeldAction): HeldResponse {
  const { because, established, cannotTell } = WORDING[action]
  return {
    action,
    decision: 'held',
    because,
    established,
    cannot_tell_you_about_this_patient: cannotTell,
    who_holds_this: 'The clinician writing the referral, and the service that receives it.',
    note: 'This request and this refusal are both recorded. No letter was read.',
  }
}
