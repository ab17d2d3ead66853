// The menus of the person and of the organisations: links to the account and to the person's organisations, the format of times, and
// the button to sign out.
import { useState } from 'preact/hooks'
import type { Problem } from '../../api/send-request.ts'
import { signOut } from '../../api/sign-in.ts'
import { ActButton } from '../../parts/button.view.tsx'
import { SelectField } from '../../parts/fields.view.tsx'
import { ProblemNotice } from '../../parts/answer-notices.view.tsx'
import { TIME_FORMATS, chosenTimeFormat, useTimeFormat, type TimeFormat } from '../../parts/times.view.tsx'
import { deviceZone, formatDay } from '../../text/format.ts'
import { roleWithArticle, tierName } from '../../text/id-labels.ts'
import { inOrganisation, session } from '../session.ts'
import { OnlyRead, Stack, Row, Soft } from '../../parts/layout.view.tsx'
import { Menu } from '../../parts/surfaces.view.tsx'

const TIME_FORMAT_LABELS: Readonly<Record<TimeFormat, string>> = {
  relative: 'How long ago',
  utc: 'Exact, in UTC',
  local: `Exact, in the time of this device (${deviceZone()})`,
}

export function AccountMenu() {
  const { user, organisation } = session()
  const [problem, setProblem] = useState<Problem | null>(null)
  const leave = async (): Promise<void> => {
    const refused = await signOut()
    if (refused === null) location.assign('/sign-in')
    else setProblem(refused)
  }
  return (
    <Stack>
      <p>
        <strong>{user.name}</strong>
        <br />
        <Soft>{user.email}</Soft>
      </p>
      {organisation !== null && (
        <p>
          <Soft>
            {roleWithArticle(organisation.role)} of {organisation.name}
            {organisation.ends_at !== null && `, until ${formatDay(organisation.ends_at.slice(0, 10))}`}
          </Soft>
        </p>
      )}
      <Times />
      <Row as="p" isApart>
        <a href={inOrganisation('/app/account')}>Account</a>
        {organisation !== null && <a href={inOrganisation('/app/notices')}>Notices</a>}
        <ActButton act={leave}>Sign out</ActButton>
      </Row>
      {problem !== null && <ProblemNotice problem={problem} />}
    </Stack>
  )
}

/** The person's organisations, and the way to a new one. */
export const OrganisationMenu = () => (
  <>
    <OrganisationLinks />
    <Menu>
      <li>
        <a href="/app/organisation">Create an organisation</a>
      </li>
    </Menu>
  </>
)

/** Links to this page, one for each organisation of the person. */
export function OrganisationLinks() {
  const { user, organisation } = session()
  return (
    <Menu>
      {user.organisations.map(({ id, name, tier, role }) => (
        <li key={id}>
          <a href={`${location.pathname}?org=${id}`} aria-current={id === organisation?.id ? 'true' : undefined}>
            <span>
              {name}
              <br />
              <Soft as="small">
                {tierName(tier)} tier, {role}
              </Soft>
            </span>
          </a>
        </li>
      ))}
    </Menu>
  )
}

/** Which form and zone times have on all pages. */
export const Times = ({ isLabelHidden = false }: { isLabelHidden?: boolean }) => (
  <SelectField
    label={isLabelHidden ? <OnlyRead>Times</OnlyRead> : 'Times'}
    value={useTimeFormat()}
    onValue={(value) => chosenTimeFormat.set(TIME_FORMATS.find((one) => one === value) ?? 'relative')}
    options={TIME_FORMATS.map((one) => [one, TIME_FORMAT_LABELS[one]])}
  />
)
