// The sign-up page. It shows the same result whether or not the e-mail address has an account.
import { useState } from 'preact/hooks'
import { sendRequest, type Problem } from '../api/send-request.ts'
import { Notice } from '../parts/page-blocks.view.tsx'
import { AccountForm, NOBODY } from './account-form.view.tsx'
import { showEntrance, StepsBeside } from './beside.view.tsx'
import { focusFirstField, LookInMail } from './sign-in-parts.view.tsx'

function SignUp() {
  const [given, setGiven] = useState(NOBODY)
  const [outcome, setOutcome] = useState<'mailed' | 'by_invitation' | null>(null)

  const signUp = async (): Promise<Problem | null> => {
    const answer = await sendRequest('POST', '/api/auth/signup', { body: given })
    if (answer.outcome === 'refused' && answer.problem.code !== 'role_required') return answer.problem
    setOutcome(answer.outcome === 'answered' ? 'mailed' : 'by_invitation')
    return null
  }

  if (outcome === 'by_invitation')
    return (
      <Notice role="status" title="People come by invitation here.">
        Ask an owner or an admin of your organisation to invite you, and open the link of the invitation. Nothing that
        you typed was stored.
      </Notice>
    )
  if (outcome === 'mailed') {
    return (
      <LookInMail email={given.email} onAgain={() => setOutcome(null)}>
        <p>
          Open its link within 24 hours to confirm the address. Nothing is created before that. If the address has an
          account already, the mail says so instead.
        </p>
      </LookInMail>
    )
  }
  return <AccountForm button="Sign up" given={given} onGiven={setGiven} ask={signUp} />
}

showEntrance(<SignUp />, <StepsBeside />)
focusFirstField()
