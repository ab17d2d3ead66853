// Who has signed in, for which organisation, how this browser shows times, and the way out.
import { useState } from 'preact/hooks'
import { call, type Problem } from '../../api/call.ts'
import { inOrganisation, type Session } from '../../api/session.ts'
import { tellTabs } from '../../api/tabs.ts'
import { ActButton } from '../../parts/act-button.view.tsx'
import { Field } from '../../parts/field.view.tsx'
import { ProblemNotice } from '../../parts/problem-notice.view.tsx'
import { TIMES_SHOWN, timesShown, type TimesShown } from '../../parts/times-shown.ts'
import { OrganisationLinks } from '../organisation-links.view.tsx'

const WORDS: Readonly<Record<TimesShown, string>> = {
  relative: 'How long ago',
  utc: 'Exact, in UTC',
  local: 'Exact, in the time of this device',
}

export function Who({ session }: { session: Session }) {
  const { user, organisation } = session
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
          <OrganisationLinks session={session} />
        </nav>
      )}
      <Times />
      <p class="row between">
        <a href={inOrganisation(session, '/app/account')}>Your account</a>
        <SignOut onProblem={setProblem} />
      </p>
      {problem !== null && <ProblemNotice problem={problem} />}
    </div>
  )
}

function Times() {
  const [shown, setShown] = useState(timesShown.value)
  return (
    <Field label="Times">
      {(control) => (
        <select
          {...control}
          value={shown}
          onChange={({ currentTarget: { value } }) => {
            const chosen = TIMES_SHOWN.find((one) => one === value) ?? 'relative'
            timesShown.set(chosen)
            setShown(chosen)
          }}
        >
          {TIMES_SHOWN.map((one) => (
            <option key={one} value={one}>
              {WORDS[one]}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

function SignOut({ onProblem }: { onProblem: (problem: Problem) => void }) {
  const signOut = async (): Promise<void> => {
    const answer = await call('POST', '/api/auth/logout', { body: {} })
    // Whose session has ended meanwhile is signed out as well.
    if (answer.outcome === 'refused' && answer.problem.status !== 401) return onProblem(answer.problem)
    tellTabs(null)
    location.assign('/sign-in')
  }
  return <ActButton act={signOut}>Sign out</ActButton>
}
