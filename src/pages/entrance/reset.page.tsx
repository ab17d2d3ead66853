// The page for a forgotten password or lost second factors: asks for a mailed link, and after the link was followed sets a new password
// or removes the factors.
import { useState } from 'preact/hooks'
import { sendRequest, withOwnMessage, refusalOf, type Problem } from '../api/send-request.ts'
import { Form } from '../parts/form.view.tsx'
import { EmailField } from '../parts/fields.view.tsx'
import { PasswordField } from '../parts/password.view.tsx'
import { NewPassword } from '../parts/new-password.view.tsx'
import { LookInMail, NewTitle, takeToken } from './sign-in-parts.view.tsx'
import { showEntrance } from './beside.view.tsx'
import { Soft, Text } from '../parts/layout.view.tsx'
import { ButtonLink } from '../parts/surfaces.view.tsx'

const REQUESTS = {
  password: {
    hint: 'Your password stays as it is until you set a new one.',
    next: 'Open its link within 30 minutes to choose the password. If no account has this address, no mail comes, and this page says the same.',
  },
  factor: {
    hint: 'Two owners or admins of your organisation must have agreed to the reset, a day ago or more.',
    next: 'Open its link within 24 hours; it needs your password. If no reset is due for this address, no mail comes, and this page says the same.',
  },
}

function RequestReset({ of }: { of: keyof typeof REQUESTS }) {
  const { hint, next } = REQUESTS[of]
  const [email, setEmail] = useState('')
  const [isSent, setSent] = useState(false)
  const request = () =>
    refusalOf(sendRequest('POST', `/api/auth/${of}-reset`, { body: { email } }), () => setSent(true))
  if (isSent) {
    return (
      <LookInMail email={email} onAgain={() => setSent(false)}>
        <p>{next}</p>
      </LookInMail>
    )
  }
  return (
    <>
      {of === 'factor' && <NewTitle>{FACTOR_TITLE}</NewTitle>}
      <Form button="Mail me a link" ask={request}>
        <EmailField hint={hint} value={email} onValue={setEmail} />
      </Form>
      <Text as="p" size="small">
        <a href="/sign-in">Back to signing in</a>
      </Text>
    </>
  )
}

const FACTOR_TITLE = 'Reset your second factor'

const WORDS_OF_TOKEN = 'The link was used already, is too old, or is not whole. Ask for a new one.'

const saidOfToken = (problem: Problem | null): Problem | null =>
  problem?.param === 'token' ? withOwnMessage(problem, { invalid_request: WORDS_OF_TOKEN }) : problem

function SetNewPassword({ token }: { token: string }) {
  const [password, setPassword] = useState('')
  const [isSet, setIsSet] = useState(false)
  const reset = async (): Promise<Problem | null> => {
    const request = sendRequest('POST', '/api/auth/password-reset/confirm', { body: { token, password } })
    return saidOfToken(await refusalOf(request, () => setIsSet(true)))
  }
  if (isSet) return <Finished title="The password is set">Sign in with the new password.</Finished>
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

function RemoveFactors({ token }: { token: string }) {
  const [password, setPassword] = useState('')
  const [isDone, setDone] = useState(false)
  const remove = async (): Promise<Problem | null> => {
    const request = sendRequest('POST', '/api/auth/factor-reset/confirm', { body: { token, password } })
    return saidOfToken(await refusalOf(request, () => setDone(true)))
  }
  if (isDone)
    return (
      <Finished title="Your second factors are removed">Sign in with your password, and set up a new one.</Finished>
    )
  return (
    <>
      <NewTitle>{FACTOR_TITLE}</NewTitle>
      <Form button="Remove my second factors" ask={remove}>
        <PasswordField label="Password" autocomplete="current-password" value={password} onValue={setPassword} />
        <Soft as="p">
          This removes all passkeys, the authenticator app and the recovery codes, and ends all sessions.
        </Soft>
      </Form>
      <Text as="p" size="small">
        <a href="/reset?for=factor">Ask for another link</a>
      </Text>
    </>
  )
}

const Finished = ({ title, children }: { title: string; children: string }) => (
  <>
    <NewTitle>{title}</NewTitle>
    <p>All sessions were ended. {children}</p>
    <p>
      <ButtonLink look="first" href="/sign-in">
        Sign in
      </ButtonLink>
    </p>
  </>
)

const isOfFactor = new URLSearchParams(location.search).get('for') === 'factor'
const token = takeToken()
if (token === null) showEntrance(<RequestReset of={isOfFactor ? 'factor' : 'password'} />)
else if (token.startsWith('f.')) showEntrance(<RemoveFactors token={token.slice(2)} />)
else showEntrance(<SetNewPassword token={token} />)
