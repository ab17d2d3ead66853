// Playground: a call that waits for a person: who may approve it, how long, and the button that sends it again once it is approved.
import { useLayoutEffect, useState } from 'preact/hooks'
import type * as z from 'zod'
import { may, rolesWith } from '../../../accounts/access/roles.policy.ts'
import type { MemberSchema } from '../../../accounts/members/members.schema.ts'
import type { ApprovalState } from '../../../organisation/journal/state/approval.schema.ts'
import type { ShownApprovalWithRecords } from '../../../organisation/approvals/approval-response.schema.ts'
import type { List } from '../../../platform/pagination.schema.ts'
import { answered } from '../../api/send-request.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { Button } from '../../parts/button.view.tsx'
import { CopyButton } from '../../parts/copy-button.view.tsx'
import { Facts, factsIf } from '../../parts/page-blocks.view.tsx'
import { TimeLeft } from '../../parts/times.view.tsx'
import { withSpaces } from '../../text/reword-text.ts'
import { callApi, hasPermission, inOrganisation, session } from '../session.ts'
import type { CallResult } from './send-call.ts'

type Props = { result: CallResult; onApproved: (approval: string) => void }

export function HeldCall({ result: { problem, request }, onApproved }: Props) {
  const { approval_id: id, expires_at: until, reason } = problem?.error ?? {}
  const approval = typeof id === 'string' ? id : ''
  const state = useApprovalState(approval)
  const approvers = useApprovers()
  // Without an id nothing waits: there are too many requests already, or the approval that was sent is of no use.
  if (approval === '') return <p>{problem?.message}</p>
  const link = inOrganisation(`/app/approvals?id=${encodeURIComponent(approval)}`)
  return (
    <>
      <p>Your policy holds this call until another person approves it. Nothing was sent to a provider.</p>
      <Facts
        facts={[
          ['Held by', `human approval${typeof reason === 'string' ? `: ${withSpaces(reason)}` : ''}`],
          ['Who may approve', `${approvers}. You made the key: somebody else decides.`],
          ['Request', STATES[state]],
          ...factsIf(state === 'pending' && typeof until === 'string', [
            'Expires in',
            <TimeLeft until={String(until)} />,
          ]),
        ]}
      />
      <p>
        After approval the same call is sent again with <code>x-aqta-approval</code>. Only the key of this page can send
        it: keep the page open.
      </p>
      <p class="row">
        {state === 'approved' ? (
          <Button onClick={() => onApproved(approval)}>Send the approved call</Button>
        ) : (
          <a class="button" href={link} target="_blank">
            See the request <span class="only-read">(in a new tab)</span>
          </a>
        )}
        <span class="soft small">
          Link for an approver <CopyButton text={`${location.origin}${link}`} what="the link for an approver" />
        </span>
        <span class="soft small">
          The request, to compare{' '}
          <CopyButton text={JSON.stringify(request.body, null, 2)} what="the request, to compare" />
        </span>
      </p>
    </>
  )
}

const STATES: Readonly<Record<ApprovalState, string>> = {
  pending: 'Waits for a person',
  approved: 'Approved: send it within the hour',
  denied: 'Denied: change the call, or ask that person why',
  expired: 'Expired: send the call again to ask once more',
  withdrawn: 'Withdrawn: the policy or the key has changed',
  claimed: 'Approved, and running',
  executed: 'Has run',
}

const LOOK_AGAIN_MS = 3_000

/** Looks at the approval every few seconds, until nobody can change it any more. */
function useApprovalState(id: string): ApprovalState {
  const [state, setState] = useState<ApprovalState>('pending')
  useLayoutEffect(() => {
    if (id === '' || state !== 'pending' || !hasPermission('approvals:read')) return undefined
    const look = async (): Promise<void> => {
      const answer = await callApi<ShownApprovalWithRecords>('GET', `/api/approvals/${id}`)
      if (answer.outcome === 'answered') setState(answer.body.state)
    }
    const timer = setInterval(() => void look(), LOOK_AGAIN_MS)
    return () => clearInterval(timer)
  }, [id, state])
  return state
}

type Members = List<z.infer<typeof MemberSchema>>

/** Returns the names of those who may approve, for roles that see the members; their roles for others. */
function useApprovers(): string {
  const [loaded] = useAnswer<Members | null>(
    (signal) =>
      hasPermission('members:manage')
        ? callApi<Members>('GET', '/api/members', { query: { limit: 100 }, signal })
        : Promise.resolve(answered(null)),
    [],
  )
  const members = loaded.state === 'answered' ? loaded.body : null
  const roles = `Another person with the role ${rolesWith('approvals:decide').join(', ')}`
  if (members === null) return roles
  const names = members.data
    .filter(({ id, role }) => may(role, 'approvals:decide') && id !== session().user.id)
    .map(({ name }) => name)
  return names.length === 0 ? 'Nobody else yet: invite a second person under Members' : names.join(', ')
}
