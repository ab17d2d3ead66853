// The page that the link of a sign-up leads to.
import type { User } from '../api/session.ts'
import { call, type Problem } from '../api/call.ts'
import { tellTabs } from '../api/tabs.ts'
import { Form } from '../parts/form.view.tsx'
import { inWords } from '../text/in-words.ts'
import { NoToken } from './no-token.view.tsx'

const WORDS = {
  invalid_request: 'The link was used already, is older than 24 hours, or is not whole. Sign in, or sign up again.',
  conflict: 'There is an account with this address by now. Sign in.',
}

export function Confirm({ token }: { token: string | null }) {
  if (token === null) {
    return (
      <NoToken of="the mail that came after you signed up">
        <p class="row">
          <a href="/sign-in">Sign in</a>
          <a href="/sign-up">Sign up</a>
        </p>
      </NoToken>
    )
  }
  const confirm = async (): Promise<Problem | null> => {
    const answer = await call<User>('POST', '/api/auth/verify-email', { body: { token } })
    if (answer.outcome === 'refused') return inWords(answer.problem, WORDS)
    tellTabs(answer.body.id)
    location.replace(answer.body.organisations.length === 0 ? '/app/organisation' : '/app')
    return null
  }
  return (
    <div class="stack">
      <div class="card">
        <Form button="Confirm and sign in" ask={confirm}>
          <p>This makes the account, with the name and the password that were chosen, and signs you in.</p>
          <p class="notice warn">
            Was it not you who signed up just now? Then close this page: the password is known to whoever it was.
            Without this button there is no account.
          </p>
        </Form>
      </div>
      <p class="row">
        <a href="/sign-in">Sign in</a>
        <a href="/sign-up">Sign up</a>
      </p>
    </div>
  )
}
