// How a call ends: one table. Signed words, outcomes, what people see, counts and numbers in databases follow from it. Pure, and
// without imports, so that everybody may load it.

/** The outcome that a record signs, and the status that responses and headers have for it. Both are on the wire. */
const STATUSES = { ALLOWED: 'passed', SUPPRESSED: 'suppressed', BLOCKED: 'blocked' } as const
export type RecordOutcome = keyof typeof STATUSES
export type RecordStatus = (typeof STATUSES)[RecordOutcome]

export const RECORD_OUTCOMES = ['ALLOWED', 'BLOCKED', 'SUPPRESSED'] as const satisfies readonly RecordOutcome[]

export const RECORD_STATUSES = Object.values(STATUSES)

export const recordStatusOf = (signed: RecordOutcome): RecordStatus => STATUSES[signed]

/**
 * The outcomes that people see, in the order of charts and lists. A failed call, and one whose answer was stopped, passed for the
 * policy, the record and the API. `signed`: the outcome in its record. `style`: of its mark in charts. `ink`: its colour in print.
 */
export const SHOWN_OUTCOMES = [
  { name: 'passed', says: 'Passed', style: 1, outcome: 'passed', signed: 'ALLOWED', ink: '#123f5a' },
  { name: 'held', says: 'Held', style: 2, outcome: 'held', signed: 'BLOCKED', ink: '#c9a227' },
  { name: 'blocked', says: 'Blocked', style: 3, outcome: 'blocked', signed: 'BLOCKED', ink: '#8b1e3f' },
  { name: 'suppressed', says: 'Suppressed', style: 4, outcome: 'suppressed', signed: 'SUPPRESSED', ink: '#7d8ba1' },
  { name: 'failed', says: 'Failed', style: 5, outcome: 'passed', signed: 'ALLOWED', ink: '#c8702a' },
  { name: 'stopped', says: 'Answer stopped', style: 11, outcome: 'passed', signed: 'ALLOWED', ink: '#5f4b8b' },
] as const satisfies readonly {
  name: string
  says: string
  style: number
  outcome: string
  signed: RecordOutcome
  ink: `#${string}`
}[]

export type ShownOutcome = (typeof SHOWN_OUTCOMES)[number]['name']

export const NOT_PASSED = SHOWN_OUTCOMES.map(({ name }) => name).filter((name) => name !== 'passed')

/** The API's outcomes of decided calls: one for each call. */
export type Outcome = (typeof SHOWN_OUTCOMES)[number]['outcome']

export const OUTCOMES = ['passed', 'held', 'blocked', 'suppressed'] as const satisfies readonly Outcome[]

const defineEnding = <const Name extends string, const Shown extends ShownOutcome>(
  name: Name,
  shown: Shown,
  [number, index]: readonly [number: number, index: number | null],
  says: string,
  means: string,
) => ({ name, shown, number, index, says, means })

/**
 * How a call ended. A call that waited for a person and then ran has the ending of its run. `number`: stored in databases, never
 * changed. `index`: the number of its part of the call index, in which filters find it: 1 ran, 2 held, 3 blocked, 4 suppressed. Null if it
 * simply completed: then it has no row.
 */
export const ENDINGS = [
  defineEnding('completed', 'passed', [1, null], 'Answered', 'The model’s answer was passed on to its end.'),
  defineEnding(
    'failed',
    'failed',
    [2, 1],
    'Failed at the provider',
    'The provider did not answer, or answered with an error.',
  ),
  defineEnding(
    'cancelled',
    'passed',
    [3, 1],
    'Cancelled by the caller',
    'The program that asked left before the answer was complete.',
  ),
  defineEnding('interrupted', 'failed', [4, 1], 'Interrupted', 'It was sent, and how it ended is not known.'),
  defineEnding(
    'cached',
    'passed',
    [5, null],
    'Answered from stored answers',
    'Answered from stored answers, and nothing was sent.',
  ),
  defineEnding(
    'blocked',
    'blocked',
    [6, 3],
    'Blocked',
    'Refused by a rule of the policy, by the tier or by the enabled providers.',
  ),
  defineEnding('suppressed', 'suppressed', [7, 4], 'Suppressed', 'Refused as part of a loop.'),
  defineEnding(
    'awaiting_approval',
    'held',
    [8, 2],
    'Waits for a person',
    'It waits for a person, or was approved and not sent again.',
  ),
  defineEnding('denied', 'held', [9, 2], 'Denied', 'A person denied it.'),
  defineEnding('expired', 'held', [10, 2], 'Expired', 'Nobody decided in time, or nobody used the approval in time.'),
  defineEnding('withdrawn', 'held', [11, 2], 'Withdrawn', 'Its policy or key changed while it waited.'),
  defineEnding(
    'withheld',
    'stopped',
    [12, 1],
    'Answer stopped',
    'Its answer had a value that the policy does not let out.',
  ),
] as const

type EndingRow = (typeof ENDINGS)[number]
export type Ending = EndingRow['name']

/** Endings of calls that ran: a settlement has one of them. */
export type SettledEnding = Extract<EndingRow, { shown: 'passed' | 'failed' | 'stopped' }>['name']

export const ENDING_NAMES: readonly Ending[] = ENDINGS.map(({ name }) => name)

export const SETTLED_ENDINGS: readonly SettledEnding[] = ENDINGS.flatMap((row) =>
  row.shown === 'passed' || row.shown === 'failed' || row.shown === 'stopped' ? [row.name] : [],
)

/** Endings of calls that simply completed, with a whole answer: the call index has no row for them. */
export const WHOLE_ENDINGS: readonly Ending[] = ENDINGS.flatMap(({ name, index }) => (index === null ? [name] : []))

const ROWS: ReadonlyMap<string, EndingRow> = new Map(ENDINGS.map((row) => [row.name, row]))
const BY_NUMBER: ReadonlyMap<number, Ending> = new Map(ENDINGS.map(({ name, number }) => [number, name]))
const SHOWN_ROWS: ReadonlyMap<string, (typeof SHOWN_OUTCOMES)[number]> = new Map(
  SHOWN_OUTCOMES.map((row) => [row.name, row]),
)

/** Returns undefined for a word that is no ending, such as that of a call that still runs. */
export const findEnding = (name: string): EndingRow | undefined => ROWS.get(name)

/** Throws for an ending that is not in the table: a word from elsewhere is looked for with `findEnding` first. */
function rowOf(ending: Ending): EndingRow {
  const row = ROWS.get(ending)
  if (row === undefined) throw new RangeError('no call ends so')
  return row
}

function shownRow(shown: ShownOutcome) {
  const row = SHOWN_ROWS.get(shown)
  if (row === undefined) throw new RangeError('no call has this outcome')
  return row
}

/**
 * Returns the ending that a call's settlement names. A newer version may have written a word that is not in the table, before a
 * rollback: how that call ended is not known, so it is `interrupted`.
 */
export const settledEndingOf = (ended: unknown): SettledEnding =>
  SETTLED_ENDINGS.find((name) => name === ended) ?? 'interrupted'

export const endingNumber = (ending: Ending): number => rowOf(ending).number

/** Returns the ending with a number of the database. Throws if none has it. */
export function endingOf(number: number): Ending {
  const ending = BY_NUMBER.get(number)
  if (ending === undefined) throw new RangeError('no call ends so')
  return ending
}

/** Returns the number of the part of the call index that such calls are in; null if the index has no row for them. */
export const indexNumberOf = (ending: Ending): number | null => rowOf(ending).index

export const outcomeOf = (ending: Ending): Outcome => shownRow(rowOf(ending).shown).outcome

export const signedOutcomeOf = (outcome: Outcome): RecordOutcome => shownRow(outcome).signed

export const outcomeName = (shown: ShownOutcome): string => shownRow(shown).says

/** Returns what people see. @param ending null or no word of the table if it is not known: then the outcome tells */
export const shownOutcomeOf = (outcome: ShownOutcome, ending: string | null): ShownOutcome =>
  (ending === null ? undefined : findEnding(ending)?.shown) ?? outcome

export const endingsIn = (shown: ShownOutcome): Ending[] =>
  ENDINGS.flatMap((row) => (row.shown === shown ? [row.name] : []))

export const membersOf = <Name extends string, T>(names: readonly Name[], make: (name: Name) => T): Record<Name, T> =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its keys are the names
  Object.fromEntries(names.map((name) => [name, make(name)])) as Record<Name, T>

/** How many calls ended in each way. */
export type Endings = Record<Ending, number>

export const NO_ENDINGS: Readonly<Endings> = membersOf(ENDING_NAMES, () => 0)

export const countIn = (counts: Readonly<Endings>, shown: ShownOutcome): number =>
  endingsIn(shown).reduce((sum, ending) => sum + counts[ending], 0)

/** The members that responses have for counts: each outcome, and after it the endings that add up to it. */
export const COUNTED_NAMES: readonly (Outcome | Ending)[] = [
  ...new Set(
    OUTCOMES.flatMap((outcome) => [[outcome], ENDING_NAMES.filter((name) => outcomeOf(name) === outcome)].flat()),
  ),
]

export const outcomeCounts = (counts: Readonly<Endings>): Record<Outcome | Ending, number> =>
  membersOf(COUNTED_NAMES, (name) =>
    ENDING_NAMES.reduce((sum, one) => (one === name || outcomeOf(one) === name ? sum + counts[one] : sum), 0),
  )
