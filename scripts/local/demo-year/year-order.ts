// The messages between npm start and the Worker that fills the year.
import { z } from 'zod'

/** The keys of the invented hospital, by what they are for. */
export const KEY_NAMES = ['triage', 'letters', 'portal', 'coding'] as const
export type KeyName = (typeof KEY_NAMES)[number]

const person = z.templateLiteral(['usr_', z.string()])

export const YearOrderSchema = z.strictObject({
  organisationId: z.templateLiteral(['org_', z.string()]),
  /** Key ids. */
  keys: z.record(z.enum(KEY_NAMES), z.templateLiteral(['key_', z.string()])),
  owner: person,
  /** The people who decide about approvals, with their roles. */
  approvers: z.array(z.strictObject({ id: person, role: z.string() })).min(2),
  /** 00:00 UTC of the first day, in milliseconds since the epoch. */
  begins: z.int(),
  days: z.int().min(1),
  /** On an average day. */
  callsADay: z.int().min(1),
})

export type YearOrder = z.infer<typeof YearOrderSchema>

export const DayFilledSchema = z.strictObject({ decisions: z.int(), entries: z.int() })

/** `decisions`: calls that were decided about; `entries`: the size of the log afterwards. */
export type DayFilled = z.infer<typeof DayFilledSchema>

/** A call that a person has approved: its attestation_id, and its body as it was sent. Null where there was none. */
export const ApprovedCallSchema = z
  .strictObject({ attestationId: z.string(), body: z.record(z.string(), z.unknown()) })
  .nullable()

export type ApprovedCall = z.infer<typeof ApprovedCallSchema>

/** The paths of the door, which only the Worker that fills the year has. */
export const CLOCK_PATH = '/_demo-year/clock'
export const BEGIN_PATH = '/_demo-year/begin'
export const DAY_PATH = '/_demo-year/days/'
export const END_PATH = '/_demo-year/end'
