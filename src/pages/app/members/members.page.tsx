// The members page: members and invitations in one list, the form that invites, and what each role may do.
import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { may, ROLES, type Role } from '../../../accounts/access/roles.policy.ts'
import type { Problem } from '../../api/send-request.ts'
import type { LoadedList } from '../../api/use-list.ts'
import { DoneNotice, ProblemNotice } from '../../parts/answer-notices.view.tsx'
import { Button } from '../../parts/button.view.tsx'
import { Icon } from '../../parts/icon.view.tsx'
import { plus } from '../../parts/icons.ts'
import { Row } from '../../parts/layout.view.tsx'
import { Segments } from '../../parts/surfaces.view.tsx'
import { showToast } from '../../parts/toast.view.tsx'
import { ParameterLink, useUrlParameters } from '../../parts/url-parameters.view.tsx'
import { plural } from '../../text/format.ts'
import { PageHead } from '../frame/page-head.view.tsx'
import { nameIn, type Member } from '../key-and-person-names.view.tsx'
import { ForRole, openPage } from '../open-page.tsx'
import { callApi, hasTierFeature, useApiList } from '../session.ts'
import {
  ChangeAccessEnd,
  ChangeRole,
  newRoleText,
  RemoveMember,
  sendRole,
  InviteMember,
} from './invite-member.view.tsx'
import { describeKeys } from './member-keys.view.tsx'
import { MemberList, type Invitation, type Person } from './member-list.view.tsx'
import { ResetFactor } from './reset-factor.view.tsx'
import { lostRights, Roles } from './roles.view.tsx'

const Members = () => (
  <>
    <ForRole access={{ needs: 'members:manage', what: 'the members' }}>
      <People />
    </ForRole>
    <Roles />
  </>
)

type Asking =
  | { act: 'remove' | 'change_end' | 'reset'; member: Member }
  | { act: 'change_role'; member: Member; role: Role }

/** The members and the invitations, and what can be done about them. */
function People() {
  const [address] = useUrlParameters()
  const factor = address.get('second_factor') === 'none' ? 'none' : ''
  const members = useApiList<Member>('/api/members', { second_factor: factor, limit: 100 })
  const invitations = useApiList<Invitation>('/api/members/invitations', { limit: 100 })
  const [isInviting, setInviting] = useInviting()
  const [asking, setAsking] = useState<Asking | null>(null)
  const [done, setDone] = useState<{ at: number; text: string } | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)

  // Removing a member cancels their invitations, and a new role may too.
  const reload = (): void => {
    members.again()
    invitations.again()
  }
  const end = (text: string): void => {
    setAsking(null)
    setProblem(null)
    setDone({ at: Date.now(), text })
    reload()
  }
  const giveRole = async (member: Member, role: Role, undo?: () => void): Promise<void> => {
    const isBack = role === member.role && member.status === 'active'
    const answer = await sendRole(member, role, isBack && member.ends_at !== null ? { ends_at: member.ends_at } : {})
    setProblem(answer.outcome === 'refused' ? answer.problem : null)
    if (answer.outcome === 'answered') showToast(newRoleText(answer.body) + describeKeys(answer.body.keys), undo)
    reload()
  }
  const changeRole = (member: Member, role: Role): void => {
    setDone(null)
    if (role === 'owner' || lostRights(member.role, role).length > 0) setAsking({ act: 'change_role', member, role })
    else void giveRole(member, role, () => void giveRole(member, member.role))
  }
  const cancel = async ({ id, email }: Invitation): Promise<void> => {
    const answer = await callApi<Invitation>('DELETE', `/api/members/invitations/${id}`)
    if (answer.outcome === 'answered') {
      end(`The invitation of ${email} is cancelled. Its link does nothing any more.`)
      return
    }
    setProblem(answer.problem)
    // Somebody else may have cancelled it, or the person has joined.
    reload()
  }

  const nameOf = useCallback((id: string) => nameIn(members.rows, id), [members.rows])
  const both = useBoth(members, invitations, reload)
  const listed = factor === '' ? both : { ...both, rows: members.rows }
  return (
    <>
      <PageHead
        {...(factor === '' && both.rows.length > 0 && { lead: leadOf(members.rows, invitations.rows, !both.hasMore) })}
      >
        <Button look="first" onClick={() => setInviting(true)}>
          <Icon of={plus} />
          Invite a member
        </Button>
      </PageHead>
      {done !== null && <DoneNotice key={done.at}>{done.text}</DoneNotice>}
      {problem !== null && <ProblemNotice problem={problem} />}
      <Row>
        <Segments label="Second factor">
          {(['', 'none'] as const).map((one) => (
            <ParameterLink key={one} change={{ second_factor: one }} isCurrent={one === factor}>
              {one === '' ? 'All' : 'Without a second factor'}
            </ParameterLink>
          ))}
        </Segments>
      </Row>
      <MemberList
        listed={listed}
        nameOf={nameOf}
        onRole={changeRole}
        onEnd={(member) => setAsking({ act: 'change_end', member })}
        onRemove={(member) => setAsking({ act: 'remove', member })}
        onReset={(member) => setAsking({ act: 'reset', member })}
        onCancel={cancel}
      />
      {asking?.act === 'change_role' && <ChangeRole {...asking} onClose={() => setAsking(null)} onDone={end} />}
      {asking?.act === 'change_end' && <ChangeAccessEnd {...asking} onClose={() => setAsking(null)} onDone={end} />}
      {asking?.act === 'remove' && <RemoveMember {...asking} onClose={() => setAsking(null)} onDone={end} />}
      {asking?.act === 'reset' && (
        <ResetFactor {...{ ...asking, nameOf }} onClose={() => setAsking(null)} onDone={end} />
      )}
      {isInviting && (
        <InviteMember
          onClose={(isInvited) => {
            setInviting(false)
            if (isInvited) invitations.again()
          }}
        />
      )}
    </>
  )
}

/** Owners first, as the roles are in their list. */
const byRole = (one: Member, other: Member): number => ROLES.indexOf(one.role) - ROLES.indexOf(other.role)

/** Returns both as one list. It waits for both, so that nothing jumps, but not again after an act. */
function useBoth(
  members: LoadedList<Member>,
  invitations: LoadedList<Invitation>,
  again: () => void,
): LoadedList<Person> {
  const lists = [members, invitations]
  const isLoading = lists.some(({ state }) => state === 'loading')
  const wasLoaded = useRef(false)
  wasLoaded.current ||= !isLoading
  const refused = lists.find(({ problem }) => problem !== null)
  const withMore = lists.find(({ hasMore }) => hasMore)
  return {
    ...members,
    rows: wasLoaded.current ? [...members.rows.toSorted(byRole), ...invitations.rows] : [],
    state: isLoading ? 'loading' : members.state,
    problem: refused?.problem ?? null,
    hasMore: withMore !== undefined,
    more: (refused ?? withMore ?? members).more,
    again,
  }
}

const HASH = '#invite'

/** Says whether the form is open. The address #invite opens it, too. */
function useInviting(): [isInviting: boolean, setInviting: (isInviting: boolean) => void] {
  const [isInviting, setInviting] = useState(location.hash === HASH)
  useLayoutEffect(() => {
    const look = (): void => {
      if (location.hash === HASH) setInviting(true)
    }
    addEventListener('hashchange', look)
    return () => removeEventListener('hashchange', look)
  }, [])
  const set = (isOpen: boolean): void => {
    setInviting(isOpen)
    // A reload does not open it again.
    if (!isOpen && location.hash === HASH) history.replaceState(null, '', location.pathname + location.search)
  }
  return [isInviting, set]
}

function leadOf(members: readonly Member[], invitations: readonly Invitation[], areAll: boolean): string {
  const more = areAll ? '' : ' or more'
  const deciders = members.filter(({ role }) => may(role, 'approvals:decide')).length
  const open = invitations.length === 0 ? '' : ` and ${plural(invitations.length, 'open invitation')}`
  const people = plural(deciders, 'person', 'people')
  const approving = hasTierFeature('human_approval') ? ` ${people}${more} may approve requests.` : ''
  return `${plural(members.length, 'member')}${more}${open}.${approving}`
}

await openPage('/app/members', Members)
