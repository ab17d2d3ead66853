// The page for a forgotten password: asks for a mailed link, and sets a new password after the link was followed.
import { useState } from 'preact/hooks'
import { sendRequest, withOwnMessage, refusalOf, type Problem } from '../api/send-request.ts'
import { Form } from '../parts/form.view.tsx'
import { EmailField } from '../parts/fields.view.tsx'
import { NewPassword } from '../parts/new-password.view.tsx'
import { LookInMail, NewTitle, takeToken } from './sign-in-parts.view.tsx'
import { showEntrance } from './beside.view.tsx'
import { Soft, Text } from '../parts/layout.view.tsx'
import { ButtonLink } from '../parts/surfaces.view.tsx'

function RequestReset() {
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
    <>
      <Form button="Mail me a link" ask={request}>
        <EmailField hint="Your password stays as it is until you set a new one." value={email} onValue={setEmail} />
      </Form>
      <Text as="p" size="small">
        <a href="/sign-in">Back to signing in</a>
      </Text>
    </>
  )
}

const WORDS_OF_TOKEN = 'The link was used already, is older than 30 minutes, or is not whole. Ask for a new one.'

function SetNewPassword({ token }: { token: string }) {
  const [password, setPassword] = useState('')
  const [isSet, setIsSet] = useState(false)
  const reset = async (): Promise<Problem | null> => {
    const request = sendRequest('POST', '/api/auth/password-reset/confirm', { body: { token, password } })
    const problem = await refusalOf(request, () => setIsSet(true))
    return problem?.param === 'token' ? withOwnMessage(problem, { invalid_request: WORDS_OF_TOKEN }) : problem
  }
  if (isSet)
    return (
      <>
        <NewTitle>The password is set</NewTitle>
        <p>All sessions were ended. Sign in with the new password.</p>
        <p>
          <ButtonLink look="first" href="/sign-in">
            Sign in
          </ButtonLink>
        </p>
      </>
    )
  return (
    <>
      <Form button="Set the password" ask={reset}>
        <NewPassword label="New password" value={password} onValue={setPassword} whose={{ email: '', name: '' }} />
        <Soft as="p">This ends all sessions of the account, everywhere.</Soft>
      </Form>
      <Text as="p" size="small">
        <a href="/reset">Ask for another link</a>
      </Text>
    </>
  )
}

const token = takeToken()
showEntrance(token === null ? <RequestReset /> : <SetNewPassword token={token} />)
