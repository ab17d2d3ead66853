// The messages and paths between npm start and the Worker that fills the demo year.
import * as z from 'zod'

/** The invented hospital's keys, named by their use. */
export const KEY_NAMES = ['triage', 'letters', 'portal', 'coding'] as const
export type KeyName = (typeof KEY_NAMES)[number]

const person = z.templateLiteral(['usr_', z.string()])

export const FillYearRequestSchema = z.strictObject({
  organisationId: z.templateLiteral(['org_', z.string()]),
  /** The ids of the keys. */
  keys: z.record(z.enum(KEY_NAMES), z.templateLiteral(['key_', z.string()])),
  owner: person,
  /** The people who decide about approvals, with their roles. */
  approvers: z.array(z.strictObject({ id: person, role: z.string() })).min(2),
  /** 00:00 UTC of the first day, in milliseconds since the epoch. */
  begins: z.int(),
  days: z.int().min(1),
  /** The number of calls on an average day. */
  callsADay: z.int().min(1),
})

export type FillYearRequest = z.infer<typeof FillYearRequestSchema>

/** The keys of the calls from a time on, in milliseconds since the epoch. */
export const KeyChangeSchema = z.strictObject({ from: z.int(), keys: FillYearRequestSchema.shape.keys })

export type KeyChange = z.infer<typeof KeyChangeSchema>

export const DayFilledSchema = z.strictObject({ decisions: z.int(), entries: z.int() })

/** A filled day. `decisions`: recorded decisions. `entries`: the size of the log afterwards. */
export type DayFilled = z.infer<typeof DayFilledSchema>

/** An approved call: its attestation_id and its body as sent. Null if there was none. */
export const ApprovedCallSchema = z
  .strictObject({ attestationId: z.string(), body: z.record(z.string(), z.unknown()) })
  .nullable()

export type ApprovedCall = z.infer<typeof ApprovedCallSchema>

/** The paths that only the Worker that fills the year has. */
export const CLOCK_PATH = '/_demo-year/clock'
export const BEGIN_PATH = '/_demo-year/begin'
export const KEYS_PATH = '/_demo-year/keys'
export const DAY_PATH = '/_demo-year/days/'
export const END_PATH = '/_demo-year/end'
