// The dialog that asks a person to confirm that it is them, or to sign in again, without leaving the page. Its code is loaded when it is
// needed.
import { useState } from 'preact/hooks'
import type { Confirming } from '../../accounts/access/session-proof.policy.ts'
import { refusalOf, sendRequest, type Problem } from '../api/send-request.ts'
import { goToProvider } from '../api/identity-providers.ts'
import { currentPath, signInPath, type User } from '../api/sign-in.ts'
import { Button } from '../parts/button.view.tsx'
import { Dialog } from '../parts/dialog.view.tsx'
import { Form } from '../parts/form.view.tsx'
import { showInFront } from '../parts/island.ts'
import { Row, Soft } from '../parts/layout.view.tsx'
import { PasswordField, HiddenUsername } from '../parts/password.view.tsx'
import { ProofForm, SignInSteps } from '../parts/second-step.view.tsx'
import { ButtonLink } from '../parts/surfaces.view.tsx'

/** Resolves to true when the person has confirmed or signed in again, to false if they cancel. @param why the session is not enough */
export const signInAgain = (user: User, why: Problem): Promise<boolean> =>
  new Promise((resolve) =>
    showInFront((close) => (
      <SignInAgainDialog
        user={user}
        why={why}
        onEnd={(isProved) => {
          close()
          resolve(isProved)
        }}
      />
    )),
  )

type Props = { user: User; onEnd: (isProved: boolean) => void }

/** Members of the refusal `fresh_sign_in_required`. */
type Needed = { methods?: Confirming[]; full?: boolean }

function SignInAgainDialog({ user, why, onEnd }: Props & { why: Problem }) {
  const [isOver, setOver] = useState(why.code === 'session_required')
  const hasPassword = user.methods.includes('password')
  const { methods = [], full = false }: Needed = why.error
  // A code is not everything that a person has, and without a password the provider has the rest.
  const usable = isOver
    ? []
    : methods.filter((method) => method !== 'provider').filter((method) => method !== 'totp' || !full || hasPassword)
  const reason =
    why.code === 'second_factor_required'
      ? 'Your organisation asks for a second factor of the last 24 hours.'
      : 'This needs a confirmation not older than 15 minutes.'
  const cancel = (): void => onEnd(false)
  const confirm = (body: object): Promise<Problem | null> =>
    refusalOf(sendRequest('POST', '/api/auth/confirm', { body }), () => onEnd(true))
  if (usable.length > 0)
    return (
      <Dialog title="Confirm that it is you" onClose={cancel}>
        <p>{reason} What you typed stays, and is sent after it.</p>
        <ProofForm
          purpose="confirm"
          methods={usable}
          passwordOf={full || usable.includes('password') ? user.email : null}
          send={confirm}
          onOver={() => setOver(true)}
          onCancel={cancel}
        />
      </Dialog>
    )
  return (
    <Dialog title={isOver ? 'Sign in again' : 'Confirm that it is you'} onClose={cancel}>
      <p>{isOver ? 'Your session is over.' : reason}</p>
      {isOver && hasPassword ? (
        <PasswordForm user={user} onEnd={onEnd} />
      ) : (
        <ByProvider user={user} confirms={!isOver && methods.includes('provider')} cancel={cancel} />
      )}
    </Dialog>
  )
}

/** Leads to the provider, which confirms the session, or begins another for who has a second factor here. */
function ByProvider({ user, confirms, cancel }: { user: User; confirms: boolean; cancel: () => void }) {
  const { method } = user.session
  const provider = [method, ...user.methods].find((one) => one !== 'password' && one !== 'passkey')
  const text = <p>Your provider leads back to this page. What you filled in here is not kept: do it once more then.</p>
  if (confirms && provider !== undefined)
    return (
      <Form
        button="Go to your provider"
        ask={() => goToProvider({ provider, return_to: currentPath(), confirm: true })}
        onCancel={cancel}
      >
        {text}
      </Form>
    )
  return (
    <>
      {text}
      <Row as="p">
        <ButtonLink look="first" href={signInPath()}>
          Sign in again
        </ButtonLink>
        <Button onClick={cancel}>Cancel</Button>
      </Row>
    </>
  )
}

function PasswordForm({ user: { email }, onEnd }: Props) {
  const [password, setPassword] = useState('')
  const cancel = (): void => onEnd(false)
  const goOn = async (): Promise<null> => {
    onEnd(true)
    return null
  }
  return (
    <SignInSteps title={<p>One more step: confirm that it is you.</p>} onSignedIn={goOn} onCancel={cancel}>
      {(signInBy) => (
        <Form button="Sign in and go on" ask={() => signInBy('login', { email, password })} onCancel={cancel}>
          <Soft as="p">What you typed is still on the page, and is sent once you have signed in.</Soft>
          <PasswordField
            label={`Password of ${email}`}
            autocomplete="current-password"
            value={password}
            onValue={setPassword}
          />
          <HiddenUsername email={email} />
        </Form>
      )}
    </SignInSteps>
  )
}
