// The part of the menu about the person and the organisation. It also sets how times are shown, and signs out.
import { useState } from 'preact/hooks'
import type { Problem } from '../../api/call.ts'
import { signOut } from '../../api/sign-in.ts'
import { ActButton } from '../../parts/button.view.tsx'
import { SelectField } from '../../parts/fields.view.tsx'
import { ProblemNotice } from '../../parts/notices.view.tsx'
import { TIMES_SHOWN, timesShown, type TimesShown } from '../../parts/times.view.tsx'
import { inOrganisation, session } from '../session.ts'

const WORDS: Readonly<Record<TimesShown, string>> = {
  relative: 'How long ago',
  utc: 'Exact, in UTC',
  local: 'Exact, in the time of this device',
}

export function Who() {
  const { user, organisation } = session()
  const [problem, setProblem] = useState<Problem | null>(null)
  return (
    <div class="stack">
      <p>
        <strong>{user.name}</strong>
        <br />
        <span class="soft">{user.email}</span>
      </p>
      {organisation !== null && (
        <p>
          {organisation.role} of <strong>{organisation.name}</strong>
          <br />
          <span class="soft">tier {organisation.tier}</span>
        </p>
      )}
      {user.organisations.length > 1 && (
        <nav aria-labelledby="organisations">
          <p id="organisations" class="soft">
            Your organisations
          </p>
          <OrganisationLinks />
        </nav>
      )}
      <Times />
      <p class="row between">
        <a href={inOrganisation('/app/account')}>Your account</a>
        <SignOut onProblem={setProblem} />
      </p>
      {problem !== null && <ProblemNotice problem={problem} />}
    </div>
  )
}

/** Links to this page, one for each organisation of the person. */
export function OrganisationLinks() {
  const { user, organisation } = session()
  return (
    <ul>
      {user.organisations.map(({ id, name }) => (
        <li key={id}>
          {id === organisation?.id ? (
            <strong aria-current="true">{name}</strong>
          ) : (
            <a href={`${location.pathname}?org=${id}`}>{name}</a>
          )}
        </li>
      ))}
    </ul>
  )
}

function Times() {
  const [shown, setShown] = useState(timesShown.value)
  const show = (value: string): void => {
    const chosen = TIMES_SHOWN.find((one) => one === value) ?? 'relative'
    timesShown.set(chosen)
    setShown(chosen)
  }
  return (
    <SelectField
      label="Times"
      value={shown}
      onValue={show}
      options={TIMES_SHOWN.map((one) => [one, WORDS[one]] as const)}
    />
  )
}

function SignOut({ onProblem }: { onProblem: (problem: Problem) => void }) {
  const leave = async (): Promise<void> => {
    const problem = await signOut()
    if (problem === null) location.assign('/sign-in')
    else onProblem(problem)
  }
  return <ActButton act={leave}>Sign out</ActButton>
}
