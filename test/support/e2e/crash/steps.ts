// The points of a call's life at which the service under test can be stopped, and how. Shared by the Worker that stops
// there (test/support/e2e/crash/worker/crash-worker.ts) and by whoever arms it. Pure.
import * as z from 'zod'
import { ERASURE_STEPS } from '../../../../src/organisation/erasure/erasure.ts'

/**
 * Turns of the objects: what an organisation does (`read` and `account`: a reading begins and ends; `change` and `issue`: acts of
 * the operator; `decide`: a person’s decision about an approval), what the public log and its index do.
 */
const VERBS = ['admit', 'settle', 'decide', 'read', 'account', 'change', 'issue', 'alarm', 'take', 'index'] as const
export type Verb = (typeof VERBS)[number]

/**
 * Deeds between the turns: signing, and writing the public log to disk and to files (`mirror`: full tiles again). `store`: an
 * organisation's own tiles, `store_mirror`: the same again, `seal`: what leaves it. `purge`: sealed objects are deleted after
 * their retention. `copy`: D1 gets an organisation's settings. `keep`: the Worker stores requests and responses.
 */
const DEEDS = [
  'sign',
  'head',
  'sync',
  'tile',
  'mirror',
  'serve',
  'checkpoint',
  'prune',
  'store',
  'store_mirror',
  'seal',
  'purge',
  'copy',
  'keep',
] as const
export type Deed = (typeof DEEDS)[number]

/**
 * Writes within a turn, each by a statement of its own: `snapshot` the newest, `shelve` that a tile is stored, `plan` what is to
 * leave, `leave` that it has left, `drop` the entries, `unlist` that a sealed object is deleted; `deliver` that a webhook has taken a message; `unload` the same as `shelve` of the public log.
 * `recall`: a turn reads its memory again.
 */
const WRITES = ['snapshot', 'shelve', 'plan', 'leave', 'drop', 'unlist', 'unload', 'recall', 'deliver'] as const
export type Write = (typeof WRITES)[number]

const STEPS = [
  ...VERBS.flatMap((verb) => [`${verb}:before`, `${verb}:during`, `${verb}:after`] as const),
  ...DEEDS.flatMap((deed) => [`${deed}:before`, `${deed}:after`] as const),
  ...WRITES.map((write) => `${write}:during` as const),
  ...ERASURE_STEPS.map((step) => `erase_${step}:after` as const),
  'block:after',
  'suppress:after',
] as const

/** `during`: the turn has done its work, but it is not over, so nothing of it is on disk yet. */
export type Step = (typeof STEPS)[number]

const at = { step: z.enum(STEPS), nth: z.int().min(1) }

/**
 * Says what happens when a step is reached for the nth time. `kill`: the process ends. `abort`: the object ends. `fail`: its
 * database refuses the next turn of that verb that reaches a statement, or its end. Statements count from 1 within its
 * transactions. For other steps, the files or the disk refuse what was about to be done.
 */
const ArmSchema = z.discriminatedUnion('action', [
  z.object({ ...at, action: z.enum(['kill', 'abort']) }),
  z.object({ ...at, action: z.literal('fail'), statement: z.int().min(1).nullable() }),
])

export type Arm = z.infer<typeof ArmSchema>

/** The setting CRASH of the Worker under test. */
export const CrashSettingSchema = z.object({
  /** URL to which a step is reported at which the process is to be killed. */
  control: z.url(),
  arms: z.array(ArmSchema).readonly(),
  /** How far the Worker's clock is ahead of the machine's. */
  clockAheadMs: z.int().min(0),
  /** How much sooner than asked the objects' alarms go off. */
  alarmSpeed: z.int().min(1),
})

export type CrashSetting = z.infer<typeof CrashSettingSchema>

/** Asked of the Worker under test, with the organisation's id: wakes its object as the alarm would. */
export const ALARM_PATH = '/crash/alarm/'

/** The second bucket is this folder of the first. */
export const MIRROR_FOLDER = 'mirror/'

/** Line that the Worker prints on its standard output to be killed at once, in the middle of a turn. */
export const KILL_LINE = 'countersign-crash: kill me'

/** Asked with the organisation's id: what its object holds in memory. */
export const CHECK_PATH = '/crash/check/'

/** Takes a statement and its values as JSON: runs it in D1, as nobody but a test can. */
export const DATABASE_PATH = '/crash/database'

export const StatementSchema = z.object({
  sql: z.string(),
  values: z.array(z.union([z.string(), z.number(), z.null()])),
})

export const ToldSchema = z.object({
  /** Paths at which the state in memory differs from the sum of all events at hand. */
  differences: z.array(z.string()),
  /** Paths at which a start, with the newest snapshot, would read something else than that sum. */
  differencesAtStart: z.array(z.string()),
  /** Places at which the counts of calls differ from the entries. */
  usageDifferences: z.array(z.string()),
  /** The position of the next entry. */
  next: z.int(),
  months: z.array(z.object({ month: z.int(), requests: z.int(), spentMicroeur: z.int(), reservedMicroeur: z.int() })),
  open: z.array(z.object({ position: z.int(), microeur: z.int() })),
  /** Readings that have begun and not ended. */
  readings: z.array(z.object({ position: z.int(), microeur: z.int() })),
  /** Cost of readings per key and UTC day, in micro-euro. */
  days: z.array(z.object({ keyId: z.string(), day: z.int(), microeur: z.int() })),
  settingsVersion: z.int(),
  policyVersion: z.int(),
  /** Those that may still be decided or used. */
  approvals: z.array(z.object({ id: z.string(), state: z.string() })),
  /** The counted calls of the whole organisation, on the last day on which it had any. */
  today: z.object({ day: z.int(), calls: z.int() }),
})

export type Told = z.infer<typeof ToldSchema>
