// The sign-up page. It shows the same result whether or not the e-mail address has an account.
import { useState } from 'preact/hooks'
import { sendRequest, type Problem } from '../api/send-request.ts'
import { Form } from '../parts/form.view.tsx'
import { NewPassword } from '../parts/new-password.view.tsx'
import { EmailField, TextField } from '../parts/fields.view.tsx'
import { InsecureNotice, LookInMail } from './sign-in-parts.view.tsx'
import { showBeside, StepsBeside } from './beside.view.tsx'
import { showInIsland } from '../parts/island.ts'
import { Notice } from '../parts/page-blocks.view.tsx'
import { enableSearch } from '../search/open-search.ts'

export function SignUp() {
  const [given, setGiven] = useState({ name: '', email: '', password: '' })
  const [outcome, setOutcome] = useState<'mailed' | 'by_invitation' | null>(null)
  const { name, email, password } = given

  const signUp = async (): Promise<Problem | null> => {
    const answer = await sendRequest('POST', '/api/auth/signup', { body: given })
    if (answer.outcome === 'refused' && answer.problem.code !== 'role_required') return answer.problem
    setOutcome(answer.outcome === 'answered' ? 'mailed' : 'by_invitation')
    return null
  }

  if (outcome === 'by_invitation') return <ByInvitation />
  if (outcome === 'mailed') {
    return (
      <LookInMail email={email} onAgain={() => setOutcome(null)}>
        <p>
          Open its link within 24 hours to confirm the address. Nothing is created before that. If the address has an
          account already, the mail says so instead.
        </p>
      </LookInMail>
    )
  }
  return (
    <div class="stack">
      <InsecureNotice />
      <Form button="Sign up" ask={signUp}>
        {(faultOf) => (
          <>
            <TextField
              label="Your name"
              fault={faultOf('name')}
              hint="Members of your organisation see it."
              autocomplete="name"
              value={name}
              onValue={(value) => setGiven({ ...given, name: value })}
            />
            <EmailField
              fault={faultOf('email')}
              value={email}
              onValue={(value) => setGiven({ ...given, email: value })}
            />
            <NewPassword
              label="Password"
              value={password}
              whose={{ name, email }}
              onValue={(value) => setGiven({ ...given, password: value })}
            />
          </>
        )}
      </Form>
      <p class="small soft">
        Next, we mail you a link: your account is made when you confirm your address with it. Were you invited? Open the
        link of your invitation instead.
      </p>
    </div>
  )
}

const ByInvitation = () => (
  <Notice role="status" title="People come by invitation here.">
    Ask an owner or an admin of your organisation to invite you, and open the link of the invitation. Nothing that you
    typed was stored.
  </Notice>
)

showInIsland(<SignUp />)
showBeside(<StepsBeside />)
enableSearch()
