// Far-reaching acts ask for somebody who has just signed in: here that is done without leaving the page, and the act after it.
import { render } from 'preact'
import { useState } from 'preact/hooks'
import { call, type Problem } from '../api/call.ts'
import type { User } from '../api/session.ts'
import { Dialog } from '../parts/dialog.view.tsx'
import { Field } from '../parts/field.view.tsx'
import { ProblemNotice } from '../parts/problem-notice.view.tsx'

/** Whether the person has signed in anew; false where they thought better of it. */
export function signInAnew(user: User, why: keyof typeof WHY): Promise<boolean> {
  const place = document.createElement('div')
  document.body.append(place)
  return new Promise((resolve) => {
    const end = (isFresh: boolean): void => {
      render(null, place)
      place.remove()
      resolve(isFresh)
    }
    render(<FreshSignIn user={user} why={why} onEnd={end} />, place)
  })
}

const WHY = {
  fresh_sign_in_required: 'This can be done only within 15 minutes of signing in.',
  session_required: 'Your session is over. What you typed is still on the page, and is sent once you have signed in.',
}

type Given = { user: User; why: keyof typeof WHY; onEnd: (isFresh: boolean) => void }

function FreshSignIn({ user, why, onEnd }: Given) {
  const [password, setPassword] = useState('')
  const [problem, setProblem] = useState<Problem | null>(null)
  const [isAsking, setAsking] = useState(false)

  const signIn = async (): Promise<void> => {
    if (isAsking) return
    setAsking(true)
    const answer = await call('POST', '/api/auth/login', { body: { email: user.email, password } })
    setAsking(false)
    if (answer.outcome === 'answered') onEnd(true)
    else setProblem(answer.problem)
  }

  return (
    <Dialog title="Sign in again" onClose={() => onEnd(false)}>
      <p>{WHY[why]}</p>
      {user.methods.includes('password') ? (
        <form
          class="stack"
          onSubmit={(event) => {
            event.preventDefault()
            void signIn()
          }}
        >
          <Field label={`Password of ${user.email}`}>
            {(control) => (
              <input
                {...control}
                type="password"
                autocomplete="current-password"
                required
                value={password}
                onInput={({ currentTarget: { value } }) => setPassword(value)}
              />
            )}
          </Field>
          <input type="hidden" name="username" autocomplete="username" value={user.email} />
          {problem !== null && <ProblemNotice problem={problem} />}
          <p class="row">
            <button type="submit" class="button first" aria-disabled={isAsking}>
              Sign in and go on
            </button>
            <button type="button" class="button" onClick={() => onEnd(false)}>
              Cancel
            </button>
          </p>
        </form>
      ) : (
        <p class="row">
          <a class="button first" href={`/sign-in?to=${encodeURIComponent(location.pathname + location.search)}`}>
            Sign in again, then come back to this page
          </a>
          <button type="button" class="button" onClick={() => onEnd(false)}>
            Cancel
          </button>
        </p>
      )}
    </Dialog>
  )
}
