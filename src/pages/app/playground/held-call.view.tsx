// Playground: a call that waits for a person: who may approve it, how long, and the button that sends it again once it is approved.
import { useLayoutEffect, useState } from 'preact/hooks'
import { may, rolesWith } from '../../../accounts/access/roles.policy.ts'
import type { ApprovalState } from '../../../organisation/journal/state/approval.schema.ts'
import type { ShownApprovalWithRecords } from '../../../organisation/approvals/approval-response.schema.ts'
import { Button } from '../../parts/button.view.tsx'
import { CopyButton } from '../../parts/copy-button.view.tsx'
import { Facts, Notice } from '../../parts/page-blocks.view.tsx'
import { useNow } from '../../parts/times.view.tsx'
import { useLoadedPeople } from '../key-and-person-names.view.tsx'
import { callApi, hasPermission, inOrganisation, session } from '../session.ts'
import { ruleName } from '../../text/rule-names.ts'
import { STATES } from '../approvals/approval-words.ts'
import { endOfKey } from './playground-key.ts'
import type { CallResult } from './send-call.ts'
import { Text, Row, OnlyRead, Note } from '../../parts/layout.view.tsx'
import { Remark, ButtonLink } from '../../parts/surfaces.view.tsx'

type Props = { result: CallResult; onApproved: (approval: string) => void }

export function HeldCall({ result: { problem, request }, onApproved }: Props) {
  const { approval_id: id, expires_at: until } = problem?.error ?? {}
  const approval = typeof id === 'string' ? id : ''
  const state = useApprovalState(approval)
  const approvers = useApprovers()
  const [keyEnd] = useState(endOfKey)
  // Without an id nothing waits: there are too many requests already, or the approval that was sent is of no use.
  if (approval === '') return <p>{problem?.message}</p>
  const link = inOrganisation(`/app/approvals?id=${encodeURIComponent(approval)}`)
  return (
    <>
      <p>Your policy holds this call until another person approves it. Nothing was sent to a provider.</p>
      {state === 'pending' && <Until end={Math.min(keyEnd, Date.parse(String(until)))} />}
      <Facts
        facts={[
          ['Held by', ruleName('human_approval')],
          [
            'Who may approve',
            <>
              {approvers}
              <Note as="p">Not you: you made the key.</Note>
            </>,
          ],
          ['Request', [STATES[state].words, NEXT[state]].join('')],
        ]}
      />
      <Note as="p">
        After approval the same call is sent again with{' '}
        <Text isOneLine>
          <code>x-aqta-approval</code>
        </Text>
        .
      </Note>
      <Row as="p">
        {state === 'approved' ? (
          <Button onClick={() => onApproved(approval)}>Send the approved call</Button>
        ) : (
          <ButtonLink href={link} target="_blank">
            See the request <OnlyRead>(in a new tab)</OnlyRead>
          </ButtonLink>
        )}
        <CopyButton
          look=""
          text={JSON.stringify(request.body, null, 2)}
          label="Copy request text"
          what="to compare it"
        />
        <CopyButton look="" text={`${location.origin}${link}`} label="Copy approver link" what="to this request" />
      </Row>
    </>
  )
}

/** Only the key of this page can send the call again, and only this tab has the key. @param end of the key or of the request */
function Until({ end }: { end: number }) {
  const at = new Date(end).toISOString()
  if (end <= useNow()) {
    return <Remark tone="warn">The playground’s key has ended. Send the call again to ask anew.</Remark>
  }
  return (
    <Notice
      tone="warn"
      title={
        <>
          It must be approved by <time dateTime={at}>{at.slice('YYYY-MM-DDT'.length, -':00.000Z'.length)} UTC</time>
        </>
      }
    >
      The playground’s key ends then. Keep this tab open: only this tab can send the approved call.
    </Notice>
  )
}

/** What follows the word for a state. */
const NEXT: Readonly<Partial<Record<ApprovalState, string>>> = {
  pending: ' for a person',
  approved: ': send it within the hour',
  denied: ': change the call, or ask that person why',
  expired: ': send the call again to ask once more',
  withdrawn: ': the policy or the key has changed',
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

/** Returns the names of those who may approve, for roles that see the members; their roles for others. */
function useApprovers(): string {
  const { members } = useLoadedPeople() ?? { members: [] }
  if (members.length === 0) return `Another person with the role ${rolesWith('approvals:decide').join(', ')}`
  const names = members
    .filter(({ id, role }) => may(role, 'approvals:decide') && id !== session().user.id)
    .map(({ name }) => name)
  return names.length === 0 ? 'Nobody else yet: invite a second person under Members' : names.join(', ')
}
