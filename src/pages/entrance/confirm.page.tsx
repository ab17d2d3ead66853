// The page behind the link in a sign-up mail. It creates the account and signs the person in.
import { sendRequest, withOwnMessage, refusalOf } from '../api/send-request.ts'
import { tellTabs, type User } from '../api/sign-in.ts'
import { Form } from '../parts/form.view.tsx'
import { NoToken, takeToken } from './sign-in-parts.view.tsx'
import { showEntrance } from './beside.view.tsx'
import { Row } from '../parts/layout.view.tsx'
import { Remark } from '../parts/surfaces.view.tsx'

const WORDS = {
  invalid_request: 'The link was used already, is older than 24 hours, or is not whole. Sign in, or sign up again.',
  conflict: 'There is an account with this address by now. Sign in.',
}

function Confirm({ token }: { token: string | null }) {
  if (token === null) {
    return (
      <NoToken of="the mail that came after you signed up">
        <WaysIn />
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
    <>
      <Form button="Confirm and sign in" ask={confirm}>
        <p>The account has the name and the password that were chosen when you signed up.</p>
        <Remark tone="warn">
          Was it not you who signed up just now? Then close this page: somebody else knows the password. Without this
          button there is no account.
        </Remark>
      </Form>
      <WaysIn />
    </>
  )
}

const WaysIn = () => (
  <Row as="p" size="small">
    <a href="/sign-in">Sign in</a>
    <a href="/sign-up">Sign up</a>
  </Row>
)

showEntrance(<Confirm token={takeToken()} />)
