// The sign-in page: by password, passkey or identity provider. Says why sign-in by a provider failed.
import { ownMember } from '../../platform/json.ts'
import { loadOptions } from '../api/passkeys.ts'
import { sendRequest } from '../api/send-request.ts'
import { keepDemo, type User } from '../api/sign-in.ts'
import { showEntrance } from './beside.view.tsx'
import { IdentityProviders, safeReturnPath, SignInForm, storedReturnPath } from './sign-in-form.view.tsx'
import { Notice } from '../parts/page-blocks.view.tsx'
import { Text } from '../parts/layout.view.tsx'
import { beganWith, type Begun } from '../parts/second-step.view.tsx'

const parameters = new URL(location.href).searchParams

function SignIn({ begun }: { begun: Begun }) {
  const error = parameters.get('error')
  // Why sign-in by an identity provider failed: the service says it in the URL.
  const [happened, next] = ownMember(REFUSAL_WORDS, error ?? '') ?? ['You were not signed in.', 'Begin again.']
  const to = safeReturnPath(error === null ? parameters.get('to') : storedReturnPath())
  const goOn = async (): Promise<null> => {
    const me = await sendRequest<User>('GET', '/api/auth/me')
    if (me.outcome === 'answered') keepDemo(me.body.organisations[0])
    location.replace(to)
    return null
  }
  return (
    <>
      {error !== null && (
        <Notice tone="warn" role="alert" title={happened}>
          {next}
        </Notice>
      )}
      <SignInForm button="Sign in" begun={begun} onSignedIn={goOn}>
        <Text as="p" size="small">
          <a href="/reset">Forgot your password?</a>
        </Text>
        <IdentityProviders to={to} />
      </SignInForm>
    </>
  )
}

const REFUSAL_WORDS: Readonly<Record<string, [happened: string, next: string]>> = {
  expired: [
    'Signing in was not finished.',
    'It took longer than ten minutes, came back in another browser or a second time, or something could not be reached. Begin again.',
  ],
  refused: [
    'You were not signed in.',
    'The provider said no, or its answer did not pass a check, or nobody has invited this address. Ask an owner of your organisation for an invitation.',
  ],
  not_confirmed: [
    'You were not confirmed.',
    'Your session goes on as it was. The provider did not say when it last asked who you are, or named somebody else. Sign in to go on.',
  ],
  email_not_verified: [
    'Your address is not proven yet.',
    'The provider does not prove it, or there is an account with it that has not proven it. Sign in as before, or confirm the address by the link that was mailed.',
  ],
}

// After an identity provider, the service leads to the second step.
const begun = parameters.get('step') === 'second-factor' ? beganWith(await loadOptions('second_factor')) : null
showEntrance(<SignIn begun={begun} />)
if (begun === null) document.querySelector<HTMLElement>('input[type=email]')?.focus()
