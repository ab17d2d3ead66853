// Account page: lists the organisations that the person is a member of, and lets them leave one.
import { useMemo, useState } from 'preact/hooks'
import { refusalOf } from '../../api/send-request.ts'
import { Button } from '../../parts/button.view.tsx'
import { DialogForm } from '../../parts/dialog.view.tsx'
import { columnsOf, type Column, type View } from '../../parts/grid/columns.tsx'
import { DataGrid } from '../../parts/grid/data-grid.view.tsx'
import { OnlyRead } from '../../parts/layout.view.tsx'
import { ButtonLink, EmptyNotice, HeadedCard } from '../../parts/surfaces.view.tsx'
import { EndingKeys, useMemberKeys } from '../members/member-keys.view.tsx'
import { callApi, session, type Membership } from '../session.ts'
import { useView } from '../use-view.ts'
import { formatMinute } from '../../text/format.ts'
import { roleName, tierName } from '../../text/id-labels.ts'

export function Memberships() {
  const { organisations } = session().user
  const [leaving, setLeaving] = useState<Membership | null>(null)
  const createOrganisationLink = <ButtonLink href="/app/organisation">Create an organisation</ButtonLink>
  const hasNone = organisations.length === 0
  return (
    <HeadedCard title="Organisations" isList act={!hasNone && createOrganisationLink}>
      <DataGrid
        label="Organisations that you are a member of"
        noun="organisation"
        columns={useMemo(() => columnsFor(setLeaving), [])}
        rows={organisations}
        keyOf={({ id }) => id}
        view={useView()}
        link={({ id }, name) => <a href={`/app?org=${id}`}>{name}</a>}
        empty={
          <EmptyNotice title="You are in no organisation" action={<p>{createOrganisationLink}</p>}>
            Create one, or ask somebody to invite you: it will be here, with your role.
          </EmptyNotice>
        }
      />
      {leaving !== null && <Leave from={leaving} onClose={() => setLeaving(null)} />}
    </HeadedCard>
  )
}

const membership = columnsOf<Membership>()

const roleText = ({ role, ends_at: end }: Membership, { isLocal }: View): string =>
  roleName(role) + (end === null ? '' : `, until ${formatMinute(end, isLocal)}`)

const columnsFor = (onLeave: (from: Membership) => void): readonly Column<Membership>[] => [
  membership.own({
    id: 'name',
    head: 'Organisation',
    kind: 'name',
    cell: ({ name }) => name,
    plain: ({ name }) => name,
  }),
  membership.own({ id: 'role', head: 'Your role', kind: 'text', cell: roleText, plain: roleText }),
  membership.text({ id: 'tier', head: 'Tier', of: 'tier', format: tierName }),
  membership.act((from) => (
    <Button onClick={() => onLeave(from)}>
      Leave<OnlyRead> {from.name}</OnlyRead>
    </Button>
  )),
]

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
