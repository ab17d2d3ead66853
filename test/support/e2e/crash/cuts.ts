// Cuts of a call: before and after each step of its life, and in the middle of those that write.
import { isWarm, type Cut, type View } from './crash-run.ts'
import type { Arm, Step } from './steps.ts'

/** Steps that are reached once a call are armed for a call in the middle of the load. */
const IN_LOAD = 60
const killedAt = (step: Step, nth = IN_LOAD): Arm => ({ step, nth, action: 'kill' })

/** Events of streams that have begun and not ended. */
const eventsOfStreams = ({ sent }: View): number[] => {
  const streams = sent.filter(({ kind, isWhole }) => kind === 'stream' && !isWhole)
  return isWarm(sent) ? streams.map(({ text }) => text.split('\n\n').length - 1) : []
}

const hasOpen = ({ sent, requests }: View, behaviour: string): boolean =>
  isWarm(sent) && requests().some((request) => request.behaviour === behaviour && request.state === 'open')

export const CUTS: readonly Cut[] = [
  { name: 'before a request is decided about', arm: killedAt('admit:before') },
  { name: 'when a request is decided about and nothing is on disk', arm: killedAt('admit:during') },
  { name: 'when a decision is on disk and the Worker does not know it', arm: killedAt('admit:after') },
  { name: 'when a refusal is on disk and the Worker does not know it', arm: killedAt('block:after', 10) },
  { name: 'when a loop’s refusal is on disk and the Worker does not know it', arm: killedAt('suppress:after', 10) },
  { name: 'before a record is signed', arm: killedAt('sign:before') },
  { name: 'when a record is signed, before the request goes to its provider', arm: killedAt('sign:after') },
  {
    name: 'when a provider has the request and has said nothing',
    behave: { provider: 'openai', behaviour: 'never' },
    when: (view) => hasOpen(view, 'never'),
  },
  {
    name: 'when a provider has begun to answer',
    behave: { provider: 'anthropic', behaviour: 'silent' },
    when: (view) => hasOpen(view, 'silent'),
  },
  {
    name: 'when the first byte of a stream has reached its caller',
    when: (view) => eventsOfStreams(view).some((events) => events > 0 && events <= 2),
  },
  { name: 'in the middle of a stream', when: (view) => eventsOfStreams(view).some((events) => events >= 10) },
  {
    name: 'when an answer has just arrived whole',
    when: ({ sent }) => sent.filter(({ kind, isWhole }) => kind === 'whole' && isWhole).length >= IN_LOAD,
  },
  { name: 'before what was asked and answered is put away', arm: killedAt('keep:before', 30) },
  { name: 'when that is put away and the request is not settled', arm: killedAt('keep:after', 30) },
  { name: 'before a request is settled', arm: killedAt('settle:before') },
  { name: 'when a request is settled and nothing is on disk', arm: killedAt('settle:during') },
  { name: 'when a settlement is on disk and the Worker does not know it', arm: killedAt('settle:after') },
]

/** Cuts of what an organisation writes beside its calls: its snapshot, its readings, its operator's acts. */
export const OTHER_CUTS: readonly Cut[] = [
  { name: 'when the newest snapshot is written and its turn is not over', arm: killedAt('snapshot:during', 2) },
  { name: 'when the snapshot after the next is written', arm: killedAt('snapshot:during', 4) },
  { name: 'before a letter may be read', arm: killedAt('read:before', 1) },
  { name: 'when a letter may be read and nothing is on disk', arm: killedAt('read:during', 1) },
  { name: 'when a reading is on disk and no reader has the letter', arm: killedAt('read:after', 1) },
  { name: 'when a letter is read and that is not written', arm: killedAt('account:before', 1) },
  { name: 'when the end of a reading is written and nothing is on disk', arm: killedAt('account:during', 1) },
  { name: 'when the end of a reading is on disk and nobody has it', arm: killedAt('account:after', 1) },
  { name: 'when a setting is changed and nothing is on disk', arm: killedAt('change:during', 2) },
  { name: 'when a change is on disk and D1 does not know it', arm: killedAt('copy:before', 2) },
  { name: 'when D1 has a change and the operator does not know it', arm: killedAt('copy:after', 2) },
  { name: 'when a key is made and nothing is on disk', arm: killedAt('issue:during', 2) },
  { name: 'when a key is on disk and the operator does not have it', arm: killedAt('issue:after', 2) },
]

/** An organisation's full tiles on their way into files. */
export const TILE_CUTS: readonly Cut[] = [
  { name: 'before a tile is put', arm: killedAt('store:before', 1) },
  { name: 'when a tile is put and its object does not know it', arm: killedAt('store:after', 1) },
  { name: 'before a tile is in the second bucket', arm: killedAt('store_mirror:before', 1) },
  {
    name: 'when a tile is in the second bucket and its object does not know it',
    arm: killedAt('store_mirror:after', 1),
  },
  { name: 'when the object knows of a tile and nothing is on disk', arm: killedAt('shelve:during', 1) },
]

/** The public log's full tiles, in both buckets, and its checkpoint. */
export const PUBLIC_TILE_CUTS: readonly Cut[] = [
  { name: 'before a full tile is in the second bucket', arm: killedAt('mirror:before', 1) },
  { name: 'when a full tile is in the second bucket', arm: killedAt('mirror:after', 1) },
  { name: 'when the log knows of a full tile and nothing is on disk', arm: killedAt('unload:during', 1) },
  { name: 'before a checkpoint is served', arm: killedAt('checkpoint:before', 2) },
  { name: 'when a checkpoint is served', arm: killedAt('checkpoint:after', 2) },
]

const armAt = (step: Step, nth: number, action: 'abort' | 'fail'): Arm =>
  action === 'abort' ? { step, nth, action } : { step, nth, action, statement: null }

/** An object ends, or its storage fails, while it writes what is not a call. */
export const OTHER_ABORTS: readonly Arm[] = [
  armAt('snapshot:during', 2, 'abort'),
  armAt('snapshot:during', 4, 'abort'),
  armAt('issue:after', 2, 'abort'),
  armAt('change:after', 2, 'abort'),
  armAt('read:after', 1, 'abort'),
  armAt('account:before', 2, 'abort'),
]

export const OTHER_FAILURES: readonly Arm[] = [
  armAt('snapshot:during', 2, 'fail'),
  // The failed turn dropped what it had read, so the next turn reads it again.
  armAt('recall:during', 3, 'fail'),
  armAt('recall:during', 4, 'fail'),
  armAt('issue:before', 2, 'fail'),
  armAt('change:before', 2, 'fail'),
  armAt('copy:before', 2, 'fail'),
  armAt('read:before', 1, 'fail'),
  armAt('account:before', 1, 'fail'),
]

/** Comes about once an organisation has another full tile. */
export const A_TILE: readonly Arm[] = [armAt('store:after', 1, 'abort')]

export const TILE_ABORTS: readonly Arm[] = [armAt('store:before', 1, 'abort'), armAt('shelve:during', 1, 'abort')]

export const TILE_FAILURES: readonly Arm[] = [armAt('store:before', 1, 'fail'), armAt('shelve:during', 1, 'fail')]

/**
 * While entries leave an organisation's database, each in a life of its own. In this order each finds as much to do as the one before: what failed is not tried again for a quarter of an hour.
 */
export const LEAVING_ARMS: readonly Arm[] = [
  armAt('plan:during', 1, 'fail'),
  killedAt('plan:during', 1),
  armAt('seal:before', 1, 'fail'),
  killedAt('seal:before', 1),
  killedAt('seal:after', 1),
  armAt('leave:during', 1, 'fail'),
  killedAt('leave:during', 1),
  armAt('drop:during', 1, 'fail'),
  killedAt('drop:during', 1),
]

/** The same while sealed objects are deleted whose retention is over. */
export const PURGING_ARMS: readonly Arm[] = [
  armAt('purge:before', 1, 'fail'),
  killedAt('purge:before', 1),
  killedAt('purge:after', 1),
  armAt('unlist:during', 1, 'fail'),
  killedAt('unlist:during', 1),
]

/** All in one life: an object that ends is woken again, and goes on. */
export const LEAVING_ABORTS: readonly Arm[] = [armAt('seal:after', 1, 'abort'), armAt('leave:during', 1, 'abort')]

export const PURGING_ABORT: Arm = armAt('unlist:during', 1, 'abort')

/** On the way of receipts to the public log's readers, each at a time when some have got there before. */
const PUBLISHING: readonly (readonly [name: string, step: Step, nth: number])[] = [
  ['before the public log takes receipts', 'take:before', 3],
  ['when the public log has taken receipts and nothing is on disk', 'take:during', 3],
  ['when receipts are in the public log and their ledger does not know it', 'take:after', 3],
  ['when receipts are handed over, and their ledger knows it', 'alarm:after', 3],
  ['before the leaves of the next head are on disk', 'sync:before', 3],
  ['before the next head is signed', 'head:before', 3],
  ['when a head is signed and not stored', 'head:after', 3],
  ['before a signed head is on disk', 'sync:before', 4],
  ['when a signed head is on disk and nobody has it', 'sync:after', 4],
  ['before a tile is put', 'tile:before', 5],
  ['when some tiles are put and no head is served of them', 'tile:after', 5],
  ['before an attestation is in the index', 'index:before', 10],
  ['when it is in the index and nothing is on disk', 'index:during', 10],
  ['when some attestations are in the index and others are not', 'index:after', 10],
  ['before a head is served', 'serve:before', 3],
  ['when a head is served and the log does not know it', 'serve:after', 3],
  ['before the tiles go that have become full', 'prune:before', 1],
  ['when the tiles are gone that have become full', 'prune:after', 1],
]

export const PUBLISHING_CUTS: readonly Cut[] = PUBLISHING.map(([name, step, nth]) => ({
  name,
  arm: killedAt(step, nth),
}))

/** While what was cut off is settled as interrupted. */
export const ALARM_STEPS = ['alarm:before', 'alarm:during', 'alarm:after'] as const

const aborts = (steps: readonly Step[], apart: number): Arm[] =>
  steps.map((step, at) => ({ step, nth: apart * (at + 1), action: 'abort' }))

/** An object ends, and with it what it holds in memory; the process goes on. */
export const ABORTS = aborts(['admit:before', 'admit:after', 'settle:before', 'settle:after'], 30)

/** The runtime lets some seconds pass before it repeats an alarm that was aborted: one a step is enough. */
export const PUBLISHING_ABORTS: readonly Arm[] = [
  ...aborts(['take:before', 'serve:after', 'take:after'], 2),
  armAt('unload:during', 1, 'abort'),
  armAt('checkpoint:after', 1, 'abort'),
]

const FIRST_FAILURE = 20
const BETWEEN_FAILURES = 8

/** The database fails: at a statement of a turn, counted from 1, or (null) at its end. */
export const failureAt = (step: 'admit:before' | 'settle:before', statement: number | null, nth = 1): Arm => ({
  step,
  nth,
  action: 'fail',
  statement,
})

/** At each of the first statements of a turn, and at its end. */
export const failures = (step: 'admit:before' | 'settle:before', statements: number): Arm[] =>
  [...Array.from({ length: statements }, (_, at) => at + 1), null].map((statement, at) =>
    failureAt(step, statement, FIRST_FAILURE + BETWEEN_FAILURES * at),
  )

/** The public log's database, its disk, its files and its index fail, one after the other. */
export const PUBLISHING_FAILURES: readonly Arm[] = [
  ...[1, 3, null].map((statement, at): Arm => ({ step: 'take:before', nth: 2 * (at + 1), action: 'fail', statement })),
  ...[1, null].map((statement, at): Arm => ({ step: 'index:before', nth: 8 * (at + 1), action: 'fail', statement })),
  ...(['sync:before', 'tile:before', 'serve:before'] as const).map((step, at) => armAt(step, 3 * (at + 1), 'fail')),
  armAt('prune:before', 1, 'fail'),
  armAt('mirror:before', 1, 'fail'),
  armAt('unload:during', 1, 'fail'),
  armAt('checkpoint:before', 2, 'fail'),
]
