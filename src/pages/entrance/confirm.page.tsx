// The page behind the link in a sign-up mail. It creates the account and signs the person in.
import { sendRequest, withOwnMessage, refusalOf } from '../api/send-request.ts'
import { tellTabs, type User } from '../api/sign-in.ts'
import { Form } from '../parts/form.view.tsx'
import { NoToken, takeToken } from './sign-in-parts.view.tsx'
import { ExampleBeside, showBeside } from './beside.view.tsx'
import { showInIsland } from '../parts/island.ts'
import { enableSearch } from '../search/open-search.ts'

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
  const confirm = async () => {
    const problem = await refusalOf(
      sendRequest<User>('POST', '/api/auth/verify-email', { body: { token } }),
      (user) => {
        tellTabs(user.id)
        location.replace(user.organisations.length === 0 ? '/app/organisation' : '/app')
      },
    )
    return problem && withOwnMessage(problem, WORDS)
  }
  return (
    <div class="stack">
      <Form button="Confirm and sign in" ask={confirm}>
        <p>The account has the name and the password that were chosen when you signed up.</p>
        <p class="notice warn">
          Was it not you who signed up just now? Then close this page: somebody else knows the password. Without this
          button there is no account.
        </p>
      </Form>
      <p class="row small">
        <a href="/sign-in">Sign in</a>
        <a href="/sign-up">Sign up</a>
      </p>
    </div>
  )
}

showInIsland(<Confirm token={takeToken()} />)
showBeside(<ExampleBeside />)
enableSearch()
