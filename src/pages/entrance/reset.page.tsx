// The page for a forgotten password or lost second factors: mails a link, and by it sets a password or removes the factors.
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

/** By what is reset: the words of the form that asks for a link, and of the page that the link leads to. */
const RESETS = {
  password: {
    hint: 'Your password stays as it is until you set a new one.',
    mailed:
      'Open its link within 30 minutes to choose the password. If no account has this address, no mail comes, and this page says the same.',
    button: 'Set the password',
    about: 'This ends all sessions of the account, everywhere.',
    title: 'The password is set',
    next: 'Sign in with the new password.',
  },
  factor: {
    hint: 'You get a link if two owners or admins of your organisation agreed to the reset at least a day ago.',
    mailed:
      'Open its link within 24 hours; it needs your password. If no reset is due for this address, no mail comes, and this page says the same.',
    button: 'Remove my second factors',
    about: 'This removes all passkeys, the authenticator app and the recovery codes, and ends all sessions.',
    title: 'Your second factors are removed',
    next: 'Sign in with your password, and set up a new one.',
  },
}

function RequestReset({ of }: { of: keyof typeof RESETS }) {
  const { hint, mailed } = RESETS[of]
  const [email, setEmail] = useState('')
  const [isSent, setSent] = useState(false)
  const request = () =>
    refusalOf(sendRequest('POST', `/api/auth/${of}-reset`, { body: { email } }), () => setSent(true))
  if (isSent)
    return (
      <LookInMail email={email} onAgain={() => setSent(false)}>
        <p>{mailed}</p>
      </LookInMail>
    )
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

function UseLink({ of, token }: { of: keyof typeof RESETS; token: string }) {
  const { button, about, title, next } = RESETS[of]
  const isFactor = of === 'factor'
  const [password, setPassword] = useState('')
  const [isDone, setDone] = useState(false)
  const send = async (): Promise<Problem | null> => {
    const request = sendRequest('POST', `/api/auth/${of}-reset/confirm`, { body: { token, password } })
    return saidOfToken(await refusalOf(request, () => setDone(true)))
  }
  if (isDone)
    return (
      <>
        <NewTitle>{title}</NewTitle>
        <p>All sessions were ended. {next}</p>
        <p>
          <ButtonLink look="first" href="/sign-in">
            Sign in
          </ButtonLink>
        </p>
      </>
    )
  const field = { value: password, onValue: setPassword }
  return (
    <>
      {isFactor && <NewTitle>{FACTOR_TITLE}</NewTitle>}
      <Form button={button} isDanger={isFactor} ask={send}>
        {isFactor ? (
          <PasswordField label="Password" autocomplete="current-password" {...field} />
        ) : (
          <NewPassword label="New password" whose={{ email: '', name: '' }} {...field} />
        )}
        <Soft as="p">{about}</Soft>
      </Form>
      <Text as="p" size="small">
        <a href={isFactor ? '/reset?for=factor' : '/reset'}>Ask for another link</a>
      </Text>
    </>
  )
}

const isOfFactor = new URLSearchParams(location.search).get('for') === 'factor'
const token = takeToken()
if (token === null) showEntrance(<RequestReset of={isOfFactor ? 'factor' : 'password'} />)
else if (token.startsWith('f.')) showEntrance(<UseLink of="factor" token={token.slice(2)} />)
else showEntrance(<UseLink of="password" token={token} />)
