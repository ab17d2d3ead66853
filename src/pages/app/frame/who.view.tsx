// Who has signed in, for which organisation, how this browser shows times, and the way out.
import { useState } from 'preact/hooks'
import { call, type Problem } from '../../api/call.ts'
import { inOrganisation, type Session } from '../../api/session.ts'
import { Field } from '../../parts/field.view.tsx'
import { ProblemNotice } from '../../parts/problem-notice.view.tsx'
import { TIMES_SHOWN, timesShown, type TimesShown } from '../../parts/times-shown.ts'

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
      {user.organisations.length > 1 && <Organisations session={session} />}
      <Times />
      <p class="row between">
        <a href={inOrganisation(session, '/app/account')}>Your account</a>
        <SignOut onProblem={setProblem} />
      </p>
      {problem !== null && <ProblemNotice problem={problem} />}
    </div>
  )
}

function Organisations({ session: { user, organisation } }: { session: Session }) {
  return (
    <Field label="Organisation">
      {(control) => (
        <select
          {...control}
          value={organisation?.id ?? ''}
          onChange={({ currentTarget: { value } }) => location.assign(`${location.pathname}?org=${value}`)}
        >
          {user.organisations.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
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
    if (answer.outcome === 'answered' || answer.problem.status === 401) location.assign('/sign-in')
    else onProblem(answer.problem)
  }
  return (
    <button type="button" class="button" onClick={() => void signOut()}>
      Sign out
    </button>
  )
}
