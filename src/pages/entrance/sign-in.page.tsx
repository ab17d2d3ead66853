// The sign-in page: by password or by an identity provider. Says why sign-in by a provider failed.
import { ownMember } from '../../platform/json.ts'
import { sendRequest } from '../api/send-request.ts'
import { keepDemo, type User } from '../api/sign-in.ts'
import { safeReturnPath, storedReturnPath, PasswordSignIn, IdentityProviders } from './sign-in-parts.view.tsx'
import { showEntrance } from './beside.view.tsx'
import { Notice } from '../parts/page-blocks.view.tsx'
import { Text } from '../parts/layout.view.tsx'

function SignIn() {
  const parameters = new URL(location.href).searchParams
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
      <PasswordSignIn button="Sign in" onSignedIn={goOn} />
      <Text as="p" size="small">
        <a href="/reset">Forgot your password?</a>
      </Text>
      <IdentityProviders to={to} />
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
  email_not_verified: [
    'Your address is not proven yet.',
    'The provider does not prove it, or there is an account with it that has not proven it. Sign in as before, or confirm the address by the link that was mailed.',
  ],
}

showEntrance(<SignIn />)
