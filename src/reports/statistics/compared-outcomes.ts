// The outcomes by which groups of calls are compared, with their words for pages and reports.
import { countIn, WHOLE_ENDINGS, type Endings } from '../../evidence/records/call-endings.ts'

/** Calls by how they ended; `refused`: the completed ones that the model refused to answer. */
export type Counts = Endings & { refused: number }

const compared = <const Name extends string>(
  name: Name,
  [title, says]: readonly [title: string, says: string],
  isFavourable: boolean,
  count: ((counts: Counts) => number) | null,
) => ({ name, title, says, isFavourable, count })

/** `title`: its name on pages. `says`: of calls in a sentence. `count`: of the calls that have it; null for one of approvals. */
export const COMPARED_OUTCOMES = [
  compared('answered', ['answered', 'were answered'], true, (counts) =>
    Math.max(0, WHOLE_ENDINGS.reduce((sum, ending) => sum + counts[ending], 0) - counts.refused),
  ),
  compared('refused', ['refused by the model', 'the model refused'], false, ({ refused }) => refused),
  compared(
    'held',
    ['held for a person, never run', 'were held and never ran'],
    false,
    (counts) => countIn(counts, 'held') - counts.awaiting_approval,
  ),
  compared('blocked', ['blocked', 'were blocked'], false, ({ blocked }) => blocked),
  compared('suppressed', ['suppressed as a loop', 'were suppressed'], false, ({ suppressed }) => suppressed),
  compared('failed', ['failed or interrupted', 'failed'], false, (counts) => countIn(counts, 'failed')),
  compared('approved', ['approved by people', 'people granted'], true, null),
] as const

type Row = (typeof COMPARED_OUTCOMES)[number]
export type ComparedOutcome = Row['name']

/** Outcomes of calls. `approved` is an outcome of approvals only. */
export type ComparedCallOutcome = Exclude<ComparedOutcome, 'approved'>

export const COMPARED_NAMES: readonly ComparedOutcome[] = COMPARED_OUTCOMES.map(({ name }) => name)

export const comparedOutcome = (outcome: ComparedOutcome): Row =>
  COMPARED_OUTCOMES.find(({ name }) => name === outcome) ?? COMPARED_OUTCOMES[0]

export const countCompared = (counts: Counts, outcome: ComparedCallOutcome): number =>
  comparedOutcome(outcome).count?.(counts) ?? 0

/** The outcomes whose rates are watched. A kind of alarm is an outcome and `_rate`. */
export const RATED_OUTCOMES = ['failed', 'blocked', 'suppressed', 'refused'] as const satisfies ComparedCallOutcome[]
type RatedOutcome = (typeof RATED_OUTCOMES)[number]

export const rateKindOf = (outcome: RatedOutcome): `${RatedOutcome}_rate` => `${outcome}_rate`

/** Returns the outcome that a kind of alarm counts; undefined for a daily measure. */
export const ratedOutcomeOf = (kind: string): RatedOutcome | undefined =>
  RATED_OUTCOMES.find((outcome) => rateKindOf(outcome) === kind)
