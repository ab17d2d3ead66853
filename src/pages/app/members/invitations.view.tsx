// Invitations that wait, inviting somebody, taking an invitation back.
import { useState } from 'preact/hooks'
import type { z } from 'zod'
import { neededToInvite } from '../../../accounts/members/members.policy.ts'
import type { InvitationSchema } from '../../../accounts/members/members.schema.ts'
import type { List } from '../../../platform/list.schema.ts'
import type { Problem } from '../../api/call.ts'
import type { Session } from '../../api/session.ts'
import { useList } from '../../api/use-list.ts'
import { ActButton } from '../../parts/act-button.view.tsx'
import { Done } from '../../parts/done.view.tsx'
import { Empty } from '../../parts/empty.view.tsx'
import { ListOf } from '../../parts/list.view.tsx'
import { Moment } from '../../parts/moment.view.tsx'
import { ProblemNotice } from '../../parts/problem-notice.view.tsx'
import { Table, type Column } from '../../parts/table.view.tsx'
import { callIn } from '../call-in.ts'
import { mayIn } from '../may-in.ts'
import { Invite } from './invite.view.tsx'

type Invitation = z.infer<typeof InvitationSchema>

const LINE = `curl -s "$URL/api/members/invitations" -b "__Host-session=$SESSION" -H "origin: $URL" \\
  -H 'content-type: application/json' -d '{"email": "dr.mary@example.org", "role": "clinician"}'`

/** @param on counts what ends invitations elsewhere on the page */
export function Invitations({ session, on }: { session: Session; on: number }) {
  const listed = useList<Invitation>(
    (cursor, signal) =>
      callIn<List<Invitation>>(session, 'GET', '/api/members/invitations', { query: { cursor }, signal }),
    [on],
  )
  const [isInviting, setInviting] = useState(false)
  const [takenBack, setTakenBack] = useState<Invitation | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)

  const takeBack = async ({ id }: Invitation): Promise<void> => {
    const answer = await callIn<Invitation>(session, 'DELETE', `/api/members/invitations/${id}`)
    const isTakenBack = answer.outcome === 'answered'
    setProblem(isTakenBack ? null : answer.problem)
    setTakenBack(isTakenBack ? answer.body : null)
    // Whom somebody else has just taken back, or who has joined, is in the list no more either.
    listed.again()
  }

  const columns: readonly Column<Invitation>[] = [
    { name: 'E-mail address', cell: ({ email }) => email },
    { name: 'Role', cell: ({ role }) => role },
    { name: 'Invited', cell: (row) => <Moment at={row.created_at} /> },
    { name: 'Ends', cell: (row) => <Moment at={row.expires_at} /> },
    {
      name: 'Take back',
      cell: (row) =>
        mayIn(session, neededToInvite(row.role).permission) && (
          <ActButton act={() => takeBack(row)}>
            Take back<span class="only-read"> the invitation of {row.email}</span>
          </ActButton>
        ),
    },
  ]

  const invite = (
    <p>
      <button type="button" class="button first" onClick={() => setInviting(true)}>
        Invite somebody
      </button>
    </p>
  )

  return (
    <section class="stack">
      <h2>Invitations</h2>
      {takenBack !== null && (
        <Done key={takenBack.id}>
          <p>The invitation of {takenBack.email} is taken back. Its link does nothing any more.</p>
        </Done>
      )}
      {problem !== null && <ProblemNotice problem={problem} />}
      {listed.rows.length > 0 && invite}
      <ListOf
        listed={listed}
        noun="invitation"
        empty={
          <Empty title="Nobody is invited" action={invite} line={LINE}>
            Whom you invite is here until they join, for seven days.
          </Empty>
        }
      >
        {(rows) => (
          <Table
            caption="Invitations that wait, newest first"
            isCaptionHidden
            columns={columns}
            rows={rows}
            keyOf={({ id }) => id}
          />
        )}
      </ListOf>
      {isInviting && (
        <Invite
          session={session}
          onClose={(isInvited) => {
            setInviting(false)
            if (isInvited) listed.again()
          }}
        />
      )}
    </section>
  )
}
