// The organisations that somebody is a member of, and leaving one.
import { useState } from 'preact/hooks'
import { may } from '../../../accounts/access/roles.policy.ts'
import type { Problem } from '../../api/call.ts'
import type { Membership, Session } from '../../api/session.ts'
import { DialogForm } from '../../parts/dialog-form.view.tsx'
import { Empty } from '../../parts/empty.view.tsx'
import { Table, type Column } from '../../parts/table.view.tsx'
import { callIn } from '../call-in.ts'

export function Memberships({ session }: { session: Session }) {
  const { organisations } = session.user
  const [leaving, setLeaving] = useState<Membership | null>(null)
  const columns: readonly Column<Membership>[] = [
    { name: 'Organisation', cell: ({ id, name }) => <a href={`/app?org=${id}`}>{name}</a> },
    { name: 'Your role', cell: ({ role }) => role },
    { name: 'Tier', cell: ({ tier }) => tier },
    {
      name: 'Leave it',
      cell: (row) => (
        <button type="button" class="button" onClick={() => setLeaving(row)}>
          Leave<span class="only-read"> {row.name}</span>
        </button>
      ),
    },
  ]
  const found = (
    <p>
      <a class="button" href="/app/organisation">
        Found an organisation
      </a>
    </p>
  )
  return (
    <section class="stack">
      <h2>Organisations</h2>
      {organisations.length === 0 ? (
        <Empty title="You are in no organisation" action={found}>
          Found one, or ask somebody to invite you: it will be here, with your role.
        </Empty>
      ) : (
        <>
          <Table
            caption="Organisations that you are a member of"
            isCaptionHidden
            columns={columns}
            rows={organisations}
            keyOf={({ id }) => id}
          />
          {found}
        </>
      )}
      {leaving !== null && <Leave session={session} from={leaving} onClose={() => setLeaving(null)} />}
    </section>
  )
}

type LeaveGiven = { session: Session; from: Membership; onClose: () => void }

function Leave({ session, from, onClose }: LeaveGiven) {
  const [revokesKeys, setRevokesKeys] = useState(false)
  const leave = async (): Promise<Problem | null> => {
    const within = { ...session, organisation: from }
    const answer = await callIn(within, 'DELETE', `/api/members/${session.user.id}`, {
      query: { revoke_keys: revokesKeys },
    })
    if (answer.outcome === 'refused') return answer.problem
    location.assign('/app/account')
    return null
  }
  return (
    <DialogForm title={`Leave ${from.name}`} button="Leave" isDanger ask={leave} onClose={onClose}>
      <p>
        From now on you see nothing of it, and only its owners and admins can let you in again, by an invitation. What
        you did in it stays in its log, by your id. The invitations that you made end.
      </p>
      {may(from.role, 'keys:own') && (
        <label class="choice">
          <input
            type="checkbox"
            checked={revokesKeys}
            onChange={({ currentTarget: { checked } }) => setRevokesKeys(checked)}
          />
          <span>
            Revoke the keys that I have made, and the keys that those made. They are the organisation’s and go on
            working otherwise; what is revoked stays revoked.
          </span>
        </label>
      )}
    </DialogForm>
  )
}
