// The ways to sign in: by address and password or by a passkey, with a second factor if there is one, or by an identity provider. Also the
// path to return to.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { IdentityProvidersSchema } from '../../accounts/oauth/oauth.schema.ts'
import { returnPath } from '../../accounts/oauth/return-path.policy.ts'
import type { Infer } from '../../platform/once.ts'
import { hasPasskeys } from '../api/passkeys.ts'
import { sendRequest, type Problem } from '../api/send-request.ts'
import { goToProvider, RETURN_PATH_KEY } from '../api/identity-providers.ts'
import { useAnswer } from '../api/use-answer.ts'
import { ProblemNotice, Skeleton } from '../parts/answer-notices.view.tsx'
import { ActButton } from '../parts/button.view.tsx'
import { FieldGroup } from '../parts/field-group.view.tsx'
import { EmailField } from '../parts/fields.view.tsx'
import { Form } from '../parts/form.view.tsx'
import { PasswordField } from '../parts/password.view.tsx'
import { PasskeyForm, SignInSteps, type Begun } from '../parts/second-step.view.tsx'
import { NewTitle } from './sign-in-parts.view.tsx'

type Props = {
  button: string
  begun?: Begun
  /** Continues after sign-in. Returns null, or why it failed. */
  onSignedIn: () => Promise<Problem | null>
  /** What the second step hides. */
  children?: ComponentChildren
}

export function SignInForm({ button, begun = null, onSignedIn, children }: Props) {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  return (
    <SignInSteps begun={begun} title={<NewTitle>One more step</NewTitle>} onSignedIn={onSignedIn}>
      {(signInBy) => (
        <>
          <Form button={button} ask={() => signInBy('login', { email, password })}>
            <EmailField autocomplete="username webauthn" value={email} onValue={setEmail} />
            <PasswordField label="Password" autocomplete="current-password" value={password} onValue={setPassword} />
          </Form>
          {hasPasskeys() && (
            <PasskeyForm
              button="Sign in with a passkey"
              look=""
              purpose="sign_in"
              isSuggested
              send={(passkey) => signInBy('passkeys/sign-in', { passkey })}
            />
          )}
          {children}
        </>
      )}
    </SignInSteps>
  )
}

/** The buttons of the identity providers. @param to the path to return to after signing in */
export function IdentityProviders({ to }: { to: string }) {
  const [loaded, again] = useAnswer<Infer<typeof IdentityProvidersSchema>>(
    (signal) => sendRequest('GET', '/api/auth/providers', { signal }),
    [],
  )
  const [problem, setProblem] = useState<Problem | null>(null)
  if (loaded.state === 'loading') return <Skeleton lines={3} />
  if (loaded.state === 'refused') return <ProblemNotice problem={loaded.problem} onRetry={again} />
  if (loaded.body.data.length === 0) return null

  const begin = async (provider: string): Promise<void> => setProblem(await goToProvider({ provider, return_to: to }))

  return (
    <FieldGroup legend="Or with an account elsewhere" gap={4}>
      {loaded.body.data.map(({ id, label }) => (
        <p key={id}>
          <ActButton act={() => begin(id)}>Continue with {label}</ActButton>
        </p>
      ))}
      {problem !== null && <ProblemNotice problem={problem} />}
    </FieldGroup>
  )
}

/** Returns a safe path to open after sign-in. @param to the URL's member `to`, which anybody can write into a link */
export function safeReturnPath(to: string | null): string {
  const path = returnPath(to ?? '/')
  return path === '/' ? '/app' : path
}

export const storedReturnPath = (): string | null => sessionStorage.getItem(RETURN_PATH_KEY)
