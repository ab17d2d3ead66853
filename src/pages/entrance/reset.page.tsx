// The page for a forgotten password: asks for a mailed link, and sets a new password after the link was followed.
import { useState } from 'preact/hooks'
import { sendRequest, withOwnMessage, refusalOf, type Problem } from '../api/send-request.ts'
import { OpenedHeading } from '../parts/answer-notices.view.tsx'
import { Form } from '../parts/form.view.tsx'
import { EmailField } from '../parts/fields.view.tsx'
import { NewPassword } from '../parts/new-password.view.tsx'
import { InsecureNotice, LookInMail, takeToken } from './sign-in-parts.view.tsx'
import { ExampleBeside, showBeside } from './beside.view.tsx'
import { showInIsland } from '../parts/island.ts'
import { enableSearch } from '../search/open-search.ts'

export function RequestReset() {
  const [email, setEmail] = useState('')
  const [isSent, setSent] = useState(false)
  const request = () =>
    refusalOf(sendRequest('POST', '/api/auth/password-reset', { body: { email } }), () => setSent(true))
  if (isSent) {
    return (
      <LookInMail email={email} onAgain={() => setSent(false)}>
        <p>
          Open its link within 30 minutes to choose the password. If no account has this address, no mail comes, and
          this page says the same.
        </p>
      </LookInMail>
    )
  }
  return (
    <div class="stack">
      <InsecureNotice />
      <Form button="Mail me a link" ask={request}>
        <EmailField hint="Your password stays as it is until you set a new one." value={email} onValue={setEmail} />
      </Form>
      <p class="small">
        <a href="/sign-in">Back to signing in</a>
      </p>
    </div>
  )
}

const WORDS_OF_TOKEN = 'The link was used already, is older than 30 minutes, or is not whole. Ask for a new one.'

export function SetNewPassword({ token }: { token: string }) {
  const [password, setPassword] = useState('')
  const [isSet, setIsSet] = useState(false)
  const reset = async (): Promise<Problem | null> => {
    const request = sendRequest('POST', '/api/auth/password-reset/confirm', { body: { token, password } })
    const problem = await refusalOf(request, () => setIsSet(true))
    return problem?.param === 'token' ? withOwnMessage(problem, { invalid_request: WORDS_OF_TOKEN }) : problem
  }
  if (isSet) return <PasswordSet />
  return (
    <div class="stack">
      <InsecureNotice />
      <Form button="Set the password" ask={reset}>
        <NewPassword label="New password" value={password} onValue={setPassword} whose={{ email: '', name: '' }} />
        <p class="soft">This ends all sessions of the account, everywhere.</p>
      </Form>
      <p class="small">
        <a href="/reset">Ask for another link</a>
      </p>
    </div>
  )
}

const PasswordSet = () => (
  <div class="stack">
    <OpenedHeading>The password is set</OpenedHeading>
    <p>All sessions were ended. Sign in with the new password.</p>
    <p>
      <a class="button first" href="/sign-in">
        Sign in
      </a>
    </p>
  </div>
)

const token = takeToken()
showInIsland(token === null ? <RequestReset /> : <SetNewPassword token={token} />)
showBeside(<ExampleBeside />)
enableSearch()
