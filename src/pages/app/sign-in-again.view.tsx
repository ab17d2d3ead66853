// The dialog that asks a person to sign in again, without leaving the page, before an act that needs it.
import { Button } from '../parts/button.view.tsx'
import { showInFront } from '../parts/island.ts'
import { useState } from 'preact/hooks'
import type { Problem } from '../api/send-request.ts'
import { signIn, signInPath, type User } from '../api/sign-in.ts'
import { Dialog } from '../parts/dialog.view.tsx'
import { Form } from '../parts/form.view.tsx'
import { PasswordField, HiddenUsername } from '../parts/password.view.tsx'
import { Row, Soft } from '../parts/layout.view.tsx'
import { ButtonLink } from '../parts/surfaces.view.tsx'

/** Resolves to true when the person has signed in again, to false if they cancel. */
export const signInAgain = (user: User, why: keyof typeof WHY): Promise<boolean> =>
  new Promise((resolve) =>
    showInFront((close) => (
      <SignInAgainDialog
        user={user}
        why={why}
        onEnd={(isFresh) => {
          close()
          resolve(isFresh)
        }}
      />
    )),
  )

const WHY = {
  fresh_sign_in_required: 'This can be done only within 15 minutes of signing in.',
  session_required: 'Your session is over.',
}

type Props = { user: User; onEnd: (isFresh: boolean) => void }

const SignInAgainDialog = ({ user, why, onEnd }: Props & { why: keyof typeof WHY }) => (
  <Dialog title="Sign in again" onClose={() => onEnd(false)}>
    <p>{WHY[why]}</p>
    {user.methods.includes('password') ? (
      <PasswordForm user={user} onEnd={onEnd} />
    ) : (
      <>
        <p>
          Sign in by your provider and come back to this page. What you filled in here is not kept: do it once more
          then.
        </p>
        <Row as="p">
          <ButtonLink look="first" href={signInPath()}>
            Sign in again
          </ButtonLink>
          <Button onClick={() => onEnd(false)}>Cancel</Button>
        </Row>
      </>
    )}
  </Dialog>
)

function PasswordForm({ user: { email }, onEnd }: Props) {
  const [password, setPassword] = useState('')
  const ask = async (): Promise<Problem | null> => {
    const problem = await signIn({ email, password })
    if (problem === null) onEnd(true)
    return problem
  }
  return (
    <Form button="Sign in and go on" ask={ask} onCancel={() => onEnd(false)}>
      <Soft as="p">What you typed is still on the page, and is sent once you have signed in.</Soft>
      <PasswordField
        label={`Password of ${email}`}
        autocomplete="current-password"
        value={password}
        onValue={setPassword}
      />
      <HiddenUsername email={email} />
    </Form>
  )
}
