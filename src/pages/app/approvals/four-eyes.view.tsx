// Four eyes as two faces: who made the key that asks, and who may decide.
import { may } from '../../../accounts/access/roles.policy.ts'
import { FromTo, Person } from '../../parts/faces.view.tsx'
import { key, people as peopleSign } from '../../parts/icons.ts'
import { plural } from '../../text/format.ts'
import type { People } from '../key-and-person-names.view.tsx'
import { session } from '../session.ts'
import { approvalsGiven, makerOf, whyCannotDecide, type Approval } from './approval-words.ts'

type Props = { of: Approval; people: People }

export function FourEyes({ of, people }: Props) {
  const mayDecide = whyCannotDecide(of) === null
  const others = otherDeciders(of, people)
  return (
    <FromTo
      from={<Maker of={of} />}
      to={
        <Person
          name={mayDecide ? session().user.name : (others[0] ?? null)}
          icon={peopleSign}
          isYou={mayDecide}
          called={mayDecide ? session().user.name : listed(others) || 'Somebody else'}
        >
          {mayDecide && others.length > 0 && `or ${listed(others)} `}
          may decide. {neededText(of)}
        </Person>
      }
    />
  )
}

function Maker({ of }: Pick<Props, 'of'>) {
  const { user } = session()
  const maker = makerOf(of)
  const isYou = maker?.id === user.id
  const isOperator = maker?.id === 'operator'
  const name = isYou ? user.name : (maker?.name ?? null)
  return (
    <Person name={name} icon={key} isYou={isYou} called={isOperator ? 'The operator' : (name ?? 'A member')}>
      made the key{isOperator ? '.' : ', and cannot decide.'}
    </Person>
  )
}

/** The names of other members who may decide about it, as far as this person sees the members. */
export function otherDeciders(of: Approval, { members }: People): readonly string[] {
  const { user } = session()
  return members
    .filter(({ id, role }) => id !== user.id && id !== of.key_person?.id && may(role, 'approvals:decide'))
    .filter(({ id }) => !of.decisions.some((one) => one.decided_by === id && one.counts))
    .map(({ name }) => name)
}

const MOST_NAMED = 2

export function listed(names: readonly string[]): string {
  const more = names.length - MOST_NAMED
  if (more > 0) return `${names.slice(0, MOST_NAMED).join(', ')} or ${plural(more, 'other')}`
  return names.join(' or ')
}

function neededText(of: Approval): string {
  if (of.approvals_required === 1) return 'One approval is needed.'
  return `Two people must approve: ${approvalsGiven(of)} of 2 so far.`
}
