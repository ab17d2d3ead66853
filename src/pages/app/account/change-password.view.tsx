// Changing one's password, which ends all other sessions.
import { useState } from 'preact/hooks'
import type { Problem } from '../../api/call.ts'
import type { Session } from '../../api/session.ts'
import { Done } from '../../parts/done.view.tsx'
import { Form } from '../../parts/form.view.tsx'
import { NewPassword } from '../../parts/new-password.view.tsx'
import { PasswordField } from '../../parts/password-field.view.tsx'
import { UsernameOf } from '../../parts/username-of.view.tsx'
import { callIn } from '../call-in.ts'

type Given = { session: Session; onChanged: () => void }

const NOTHING = { current: '', new: '' }

export function ChangePassword({ session, onChanged }: Given) {
  const [given, setGiven] = useState(NOTHING)
  const [changes, setChanges] = useState(0)

  const change = async (): Promise<Problem | null> => {
    const answer = await callIn(session, 'POST', '/api/auth/password', { body: given })
    if (answer.outcome === 'refused') return answer.problem
    setGiven(NOTHING)
    setChanges(changes + 1)
    onChanged()
    return null
  }

  return (
    <section class="stack">
      <h2>Password</h2>
      {changes > 0 && (
        <Done key={changes}>
          <p>The password is changed</p>
          <p>All other sessions were ended, and a mail tells you of it.</p>
        </Done>
      )}
      {session.user.methods.includes('password') ? (
        <div class="card slim">
          <Form button="Change the password" ask={change}>
            <PasswordField
              label="Current password"
              autocomplete="current-password"
              value={given.current}
              onValue={(current) => setGiven({ ...given, current })}
            />
            <NewPassword
              label="New password"
              value={given.new}
              whose={session.user}
              onValue={(value) => setGiven({ ...given, new: value })}
            />
            <p class="soft">All other sessions end with it.</p>
            <UsernameOf email={session.user.email} />
          </Form>
        </div>
      ) : (
        <p>
          You have none: you sign in by a provider. <a href="/reset">A link by mail</a> sets one.
        </p>
      )}
    </section>
  )
}
