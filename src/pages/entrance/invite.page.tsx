// The page behind an invitation's link. A person joins as the signed-in person, by signing in, or with a new account.
import type { MembershipSchema } from '../../accounts/members/members.schema.ts'
import { sendRequest, type Problem, withOwnMessage } from '../api/send-request.ts'
import { signOut, tellTabs, type User } from '../api/sign-in.ts'
import { useAnswer } from '../api/use-answer.ts'
import { ActButton } from '../parts/button.view.tsx'
import { FieldGroup } from '../parts/field-group.view.tsx'
import { Radio } from '../parts/fields.view.tsx'
import { Form } from '../parts/form.view.tsx'
import { ProblemNotice, Skeleton } from '../parts/answer-notices.view.tsx'
import { AccountForm, NOBODY } from './account-form.view.tsx'
import { showEntrance } from './beside.view.tsx'
import { roleWithArticle, ROLE_DESCRIPTIONS } from '../text/id-labels.ts'
import { IdentityProviders, SignInForm } from './sign-in-form.view.tsx'
import { NewTitle, NoToken, takeToken } from './sign-in-parts.view.tsx'
import { useState } from 'preact/hooks'
import type { Infer } from '../../platform/once.ts'
import { Note, Soft } from '../parts/layout.view.tsx'
import { ButtonLink } from '../parts/surfaces.view.tsx'

type Membership = Infer<typeof MembershipSchema>

function Invite({ token }: { token: string | null }) {
  const [joined, setJoined] = useState<Membership | null>(null)
  const [refused, setRefused] = useState<Problem | null>(null)
  const [who, reloadUser] = useAnswer<User>((signal) => sendRequest('GET', '/api/auth/me', { signal }), [])
  if (token === null) return <NoToken of="the invitation" />
  if (joined !== null) return <Joined membership={joined} />
  if (who.state === 'loading') return <Skeleton lines={14} />

  const accept: Accept = async (newcomer) => {
    setRefused(null)
    const request = { body: { token, ...newcomer } }
    const answer = await sendRequest<Membership>('POST', '/api/members/invitations/accept', request)
    if (answer.outcome === 'refused') {
      const problem = { ...answer.problem, fields: answer.problem.fields.filter(({ path }) => path !== 'token') }
      setRefused(newcomer === null ? problem : withOwnMessage(problem, NEWCOMER_PROBLEM_WORDS))
      // The person may have signed in or out meanwhile, in this form or in another tab.
      if (answer.problem.status !== 0) reloadUser()
      return null
    }
    // Joining signs a newcomer in.
    if (newcomer !== null) tellTabs(null)
    setJoined(answer.body)
    return null
  }

  if (who.state === 'refused' && who.problem.status !== 401)
    return <ProblemNotice problem={who.problem} onRetry={reloadUser} />
  return (
    <>
      {who.state === 'answered' ? (
        <JoinSignedIn user={who.body} accept={accept} onSignedOut={reloadUser} onProblem={setRefused} />
      ) : (
        <JoinSignedOut accept={accept} />
      )}
      {refused !== null && <ProblemNotice problem={refused} />}
    </>
  )
}

const NEWCOMER_PROBLEM_WORDS = {
  conflict: 'The invited address has an account already. Choose “I have an account” above, and sign in.',
}

/** Accepts the invitation. Returns null, as the page itself shows a refusal. @param newcomer name and password of a new account */
type Accept = (newcomer: { name: string; password: string } | null) => Promise<null>

type SignedInProps = {
  user: User
  accept: Accept
  onSignedOut: () => void
  onProblem: (problem: Problem | null) => void
}

function JoinSignedIn({ user, accept, onSignedOut, onProblem }: SignedInProps) {
  const leave = async (): Promise<void> => {
    const problem = await signOut()
    onProblem(problem)
    if (problem === null) onSignedOut()
  }
  return (
    <>
      <Form button="Join the organisation" ask={() => accept(null)}>
        <p>
          You are signed in as <strong>{user.name}</strong> ({user.email}). The invitation must be for this address.
        </p>
      </Form>
      <p>
        <ActButton act={leave}>Sign out, and join with another account</ActButton>
      </p>
    </>
  )
}

const ACCOUNT_CHOICES = [
  ['new', 'I am new here'],
  ['known', 'I have an account'],
] as const

function JoinSignedOut({ accept }: { accept: Accept }) {
  const [way, setWay] = useState<'new' | 'known'>('new')
  const [given, setGiven] = useState(NOBODY)
  const { name, password } = given
  return (
    <>
      <FieldGroup legend="Who are you?" gap={4}>
        {ACCOUNT_CHOICES.map(([one, words]) => (
          <Radio key={one} name="way" isChosen={way === one} onChoose={() => setWay(one)}>
            {words}
          </Radio>
        ))}
      </FieldGroup>
      {way === 'new' ? (
        <AccountForm
          button="Make an account and join"
          isInvited
          given={given}
          onGiven={setGiven}
          ask={() => accept({ name, password })}
        >
          <Soft as="p">The account has the address that was invited.</Soft>
        </AccountForm>
      ) : (
        <SignInForm button="Sign in and join" onSignedIn={() => accept(null)}>
          <Note as="p">
            If you sign in with an account elsewhere, you come back without the invitation: open its link again then. It
            works until it is accepted.
          </Note>
          <IdentityProviders to="/invite" />
        </SignInForm>
      )}
    </>
  )
}

const Joined = ({ membership: { organisation, role } }: { membership: Membership }) => (
  <>
    <NewTitle>You are a member</NewTitle>
    <p>
      You joined <strong>{organisation.name}</strong> as {roleWithArticle(role)}. {ROLE_DESCRIPTIONS[role]}
    </p>
    <p>
      <ButtonLink look="first" href={`/app?org=${organisation.id}`}>
        Go to the dashboard
      </ButtonLink>
    </p>
  </>
)

showEntrance(<Invite token={takeToken()} />)
