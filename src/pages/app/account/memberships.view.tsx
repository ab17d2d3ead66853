// Account page: lists the organisations that the person is a member of, and lets them leave one.
import { useState } from 'preact/hooks'
import { refusalOf } from '../../api/send-request.ts'
import { Button } from '../../parts/button.view.tsx'
import { DialogForm } from '../../parts/dialog.view.tsx'
import { OnlyRead } from '../../parts/layout.view.tsx'
import { ButtonLink, HeadedCard } from '../../parts/surfaces.view.tsx'
import { Table, type Column } from '../../parts/table.view.tsx'
import { EmptyNotice } from '../../parts/list-table.view.tsx'
import { EndingKeys, useMemberKeys } from '../members/member-keys.view.tsx'
import { callApi, session, type Membership } from '../session.ts'
import { formatDay } from '../../text/format.ts'
import { roleName, tierName } from '../../text/id-labels.ts'

export function Memberships() {
  const { organisations } = session().user
  const [leaving, setLeaving] = useState<Membership | null>(null)
  const columns: readonly Column<Membership>[] = [
    { name: 'Organisation', cell: ({ id, name }) => <a href={`/app?org=${id}`}>{name}</a> },
    {
      name: 'Your role',
      cell: ({ role, ends_at: end }) => roleName(role) + (end === null ? '' : `, until ${formatDay(end.slice(0, 10))}`),
    },
    { name: 'Tier', cell: ({ tier }) => tierName(tier) },
    {
      name: 'Act',
      cell: (row) => (
        <Button onClick={() => setLeaving(row)}>
          Leave<OnlyRead> {row.name}</OnlyRead>
        </Button>
      ),
    },
  ]
  const createOrganisationLink = (
    <p>
      <ButtonLink href="/app/organisation">Create an organisation</ButtonLink>
    </p>
  )
  return (
    <HeadedCard title="Organisations" isList>
      {organisations.length === 0 ? (
        <EmptyNotice title="You are in no organisation" action={createOrganisationLink}>
          Create one, or ask somebody to invite you: it will be here, with your role.
        </EmptyNotice>
      ) : (
        <>
          <Table
            caption="Organisations that you are a member of"
            isCaptionHidden
            columns={columns}
            rows={organisations}
            keyOf={({ id }) => id}
          />
          {createOrganisationLink}
        </>
      )}
      {leaving !== null && <Leave from={leaving} onClose={() => setLeaving(null)} />}
    </HeadedCard>
  )
}

function Leave({ from, onClose }: { from: Membership; onClose: () => void }) {
  const keys = useMemberKeys(session().user.id, null, from)
  const leave = () =>
    refusalOf(callApi('DELETE', `/api/members/${session().user.id}`, { organisation: from }), () =>
      location.assign('/app/account'),
    )
  return (
    <DialogForm
      title={`Leave ${from.name}`}
      button="Leave"
      isDanger
      isReady={keys !== null}
      ask={leave}
      onClose={onClose}
    >
      <p>
        From now on you see nothing of it, and only its owners and admins can let you in again, by an invitation. What
        you did in it stays in its log, by your id. The invitations that you made end.
      </p>
      <EndingKeys of={keys} />
    </DialogForm>
  )
}
