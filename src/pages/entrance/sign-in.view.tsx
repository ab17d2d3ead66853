// The page of signing in.
import { afterSignIn, keptAfterSignIn } from './after-sign-in.ts'
import { InsecureNotice } from './insecure-notice.view.tsx'
import { PasswordSignIn } from './password-sign-in.view.tsx'
import { ProviderRefusal } from './provider-refusal.view.tsx'
import { Providers } from './providers.view.tsx'

export function SignIn() {
  const members = new URL(location.href).searchParams
  const error = members.get('error')
  const to = afterSignIn(error === null ? members.get('to') : keptAfterSignIn())
  const goOn = async (): Promise<null> => {
    location.replace(to)
    return null
  }
  return (
    <div class="stack">
      <InsecureNotice />
      {error !== null && <ProviderRefusal error={error} />}
      <div class="card">
        <PasswordSignIn button="Sign in" onSignedIn={goOn} />
      </div>
      <p class="row">
        <a href="/reset">Forgot your password?</a>
        <a href="/sign-up">No account yet? Sign up</a>
      </p>
      <Providers to={to} />
    </div>
  )
}
