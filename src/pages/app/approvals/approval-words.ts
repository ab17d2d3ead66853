// The words for approvals: states, decisions, titles, names. Also why a person cannot decide.
import type { Infer } from '../../../platform/once.ts'
import type {
  DecidedApprovalSchema,
  NamedApproval,
  NamedApprovalWithRecords,
} from '../../../organisation/approvals/approval-response.schema.ts'
import { blocked, check, clock, held, undo, type IconPaths } from '../../parts/icons.ts'
import { personOf, type NameOf } from '../key-and-person-names.view.tsx'
import { hasPermission, session } from '../session.ts'

export type Approval = NamedApproval | NamedApprovalWithRecords
export type Decided = Infer<typeof DecidedApprovalSchema>
export type Decision = Approval['decisions'][number]['decision']
export type State = Approval['state']

type StateWords = { words: string; tone: 'changed' | 'warn' | 'bad' | 'soft'; icon: IconPaths }

/** The one word for each state, for badges, filters, columns, lists and steps. */
export const STATES: Readonly<Record<State, StateWords>> = {
  pending: { words: 'Waiting', tone: 'warn', icon: held },
  approved: { words: 'Approved', tone: 'changed', icon: check },
  claimed: { words: 'Running', tone: 'changed', icon: check },
  executed: { words: 'Ran', tone: 'changed', icon: check },
  denied: { words: 'Denied', tone: 'bad', icon: blocked },
  expired: { words: 'Expired', tone: 'soft', icon: clock },
  withdrawn: { words: 'Withdrawn', tone: 'soft', icon: undo },
}

export const PAST_STATES = Object.keys(STATES).filter((state): state is State => state in STATES && state !== 'pending')

export const DECISION_WORDS: Readonly<Record<Decision, string>> = {
  approve: STATES.approved.words,
  deny: STATES.denied.words,
  escalate: 'Passed on',
}

export const titleOf = ({ model, use_case: useCase }: Approval): string =>
  useCase === null ? model : `${model} for ${useCase}`

/** The first digits of the hash tell equal requests apart. */
export const shortHashOf = ({ request_hash: hash }: Approval): string => hash.slice(0, 8)

export const approvalsGiven = ({ decisions }: Approval): number =>
  decisions.filter(({ decision, counts }) => decision === 'approve' && counts).length

/** Returns why this person cannot decide the approval, or null if the page knows no reason. The service decides. */
export function whyCannotDecide(approval: Approval): string | null {
  if (!hasPermission('approvals:decide')) return 'Owners, admins and clinicians decide.'
  const { id } = session().user
  if (isOwn(approval)) return 'You made the key: somebody else decides.'
  const own = approval.decisions.findLast((one) => one.decided_by === id && one.counts)
  if (own === undefined) return null
  return `You have ${own.decision === 'escalate' ? 'passed it on' : 'approved it'}: it waits for somebody else.`
}

/** True for a request of a key that this person made. */
export const isOwn = ({ key_person: person }: Approval): boolean => person?.id === session().user.id

type Maker = NonNullable<Approval['key_made_by']>

/** Returns the person who made the key that asks, or else the operator or the key that did; null if the key is unknown. */
export const makerOf = ({ key_person: person, key_made_by: maker }: Approval): Maker | null => person ?? maker

export const keyNameOf = ({ key_name: name, key_id: id }: Approval): string => name ?? id

/** Returns the name of a maker or decider of an approval, or the id if there is no name. */
function nameOrId({ id, name }: Maker): string {
  if (id === session().user.id) return 'you'
  return id === 'operator' ? 'the operator' : (name ?? id)
}

/** Returns the name of the maker of a key, never a bare id. */
export const nameOfMaker = (maker: Maker): string => personOf(() => nameOrId(maker), maker.id)

/** Returns the function that names those who decided about an approval. */
export const decidersOf =
  ({ decisions }: Approval): NameOf =>
  (id) =>
    nameOrId({ id, name: decisions.find((one) => one.decided_by === id)?.decided_by_name ?? null })
