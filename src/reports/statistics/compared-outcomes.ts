// The outcomes by which groups of calls are compared, with their words for pages and reports.
import { countIn, type Endings } from '../../evidence/records/call-endings.ts'

/** Calls by how they ended; `refused`: the completed ones that the model refused to answer. */
export type Counts = Endings & { refused: number }

/**
 * `title`: its name on pages. `says`: of calls in a sentence. `count`: how many calls have it; null for an outcome of approvals.
 */
export const COMPARED_OUTCOMES = [
  {
    name: 'answered',
    title: 'answered',
    says: 'were answered',
    isFavourable: true,
    count: ({ completed, cached, refused }: Counts) => Math.max(0, completed + cached - refused),
  },
  {
    name: 'refused',
    title: 'refused by the model',
    says: 'the model refused',
    isFavourable: false,
    count: ({ refused }: Counts) => refused,
  },
  {
    name: 'held',
    title: 'held for a person, never run',
    says: 'were held and never ran',
    isFavourable: false,
    count: (counts: Counts) => countIn(counts, 'held') - counts.awaiting_approval,
  },
  {
    name: 'blocked',
    title: 'blocked',
    says: 'were blocked',
    isFavourable: false,
    count: ({ blocked }: Counts) => blocked,
  },
  {
    name: 'suppressed',
    title: 'suppressed as a loop',
    says: 'were suppressed',
    isFavourable: false,
    count: ({ suppressed }: Counts) => suppressed,
  },
  {
    name: 'failed',
    title: 'failed or interrupted',
    says: 'failed',
    isFavourable: false,
    count: (counts: Counts) => countIn(counts, 'failed'),
  },
  { name: 'approved', title: 'approved by people', says: 'people granted', isFavourable: true, count: null },
] as const satisfies readonly {
  name: string
  title: string
  says: string
  isFavourable: boolean
  count: ((counts: Counts) => number) | null
}[]

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
