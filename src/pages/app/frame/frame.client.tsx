// What stands around every page of the dashboard: the organisation, the person, how times are shown, how much waits.
import { render } from 'preact'
import { useState } from 'preact/hooks'
import { call } from '../../api/call.ts'
import { inOrganisation, type Session } from '../../api/session.ts'
import { TIMES_SHOWN, timesShown, type TimesShown } from '../../parts/times-shown.ts'

export function showFrame(session: Session): void {
  const who = document.querySelector('#who')
  if (who !== null) render(<Who session={session} />, who)
  for (const link of document.querySelectorAll<HTMLAnchorElement>('#side a')) {
    if (link.pathname === location.pathname) link.setAttribute('aria-current', 'page')
    link.href = inOrganisation(session, link.pathname)
  }
}

const WORDS: Readonly<Record<TimesShown, string>> = {
  relative: 'how long ago',
  utc: 'exact, UTC',
  local: 'exact, here',
}

function Who({ session }: { session: Session }) {
  const { user, organisation } = session
  const [shown, setShown] = useState(timesShown.value)
  return (
    <>
      {organisation !== null && <Organisation session={session} />}
      <label class="row small">
        Times
        <select
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
      </label>
      <span>{user.name}</span>
      <button type="button" class="button" onClick={() => void signOut()}>
        Sign out
      </button>
    </>
  )
}

function Organisation({ session: { user, organisation } }: { session: Session }) {
  if (organisation === null) return null
  if (user.organisations.length === 1) return <strong>{organisation.name}</strong>
  return (
    <label class="row small">
      Organisation
      <select
        value={organisation.id}
        onChange={({ currentTarget: { value } }) => location.assign(`${location.pathname}?org=${value}`)}
      >
        {user.organisations.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}

async function signOut(): Promise<void> {
  await call('POST', '/api/auth/logout', { body: {} })
  location.assign('/sign-in')
}
