// Shared by the pages before sign-in: the sign-in form, the identity providers, notices, the path to return to, and the tokens of
// mailed links.
import type { IdentityProvidersSchema, OAuthRedirectSchema } from '../../accounts/oauth/oauth.schema.ts'
import { returnPath } from '../../accounts/oauth/return-path.policy.ts'
import { type Problem, sendRequest } from '../api/send-request.ts'
import { signIn } from '../api/sign-in.ts'
import { useAnswer } from '../api/use-answer.ts'
import { ActButton, Button } from '../parts/button.view.tsx'
import { Form } from '../parts/form.view.tsx'
import { EmailField } from '../parts/fields.view.tsx'
import { ProblemNotice, Skeleton } from '../parts/answer-notices.view.tsx'
import { PasswordField } from '../parts/password.view.tsx'
import { useLayoutEffect, useState } from 'preact/hooks'
import type { Infer } from '../../platform/once.ts'
import { Notice } from '../parts/page-blocks.view.tsx'
import type { ComponentChildren } from 'preact'
import { FieldGroup } from '../parts/field-group.view.tsx'
import { Soft } from '../parts/layout.view.tsx'

type Props = {
  button: string
  /** Continues after sign-in. Returns null, or why it failed. */
  onSignedIn: () => Promise<Problem | null>
}

export function PasswordSignIn({ button, onSignedIn }: Props) {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const ask = async (): Promise<Problem | null> => (await signIn({ email, password })) ?? onSignedIn()
  return (
    <Form button={button} ask={ask}>
      <EmailField value={email} onValue={setEmail} />
      <PasswordField label="Password" autocomplete="current-password" value={password} onValue={setPassword} />
    </Form>
  )
}

/** The buttons of the identity providers. @param to the path to return to after signing in */
export function IdentityProviders({ to }: { to: string }) {
  const [loaded, again] = useAnswer<Infer<typeof IdentityProvidersSchema>>(
    (signal) => sendRequest('GET', '/api/auth/providers', { signal }),
    [],
  )
  const [problem, setProblem] = useState<Problem | null>(null)
  if (loaded.state === 'loading') return <Skeleton lines={3} />
  if (loaded.state === 'refused') return <ProblemNotice problem={loaded.problem} onRetry={again} />
  if (loaded.body.data.length === 0) return null

  const begin = async (provider: string): Promise<void> => {
    const request = { body: { provider, return_to: to } }
    const answer = await sendRequest<Infer<typeof OAuthRedirectSchema>>('POST', '/api/auth/oauth-signin', request)
    if (answer.outcome === 'refused') return setProblem(answer.problem)
    // After a refusal by the provider, the URL does not have the path.
    sessionStorage.setItem(RETURN_PATH_KEY, to)
    const { protocol, hostname, href } = new URL(answer.body.authorization_url)
    if (protocol === 'https:' || (protocol === 'http:' && hostname === 'localhost')) location.assign(href)
  }

  return (
    <FieldGroup legend="Or with an account elsewhere" gap={4}>
      {loaded.body.data.map(({ id, label }) => (
        <p key={id}>
          <ActButton act={() => begin(id)}>Continue with {label}</ActButton>
        </p>
      ))}
      {problem !== null && <ProblemNotice problem={problem} />}
    </FieldGroup>
  )
}

const OWN_NAMES = new Set(['localhost', '127.0.0.1'])

/** Warns about plain http: others can read what is typed, and the session works only on this machine's own names. */
export function InsecureNotice() {
  if (location.protocol === 'https:' || OWN_NAMES.has(location.hostname)) return null
  return (
    <Notice tone="warn" role="note" title="This page came over plain http.">
      Others on the network can read what you type, and your browser will drop the session, so signing in seems to do
      nothing. Open it by its https address or, on the machine that it runs on, by 127.0.0.1.
    </Notice>
  )
}

/** Returns a safe path to open after sign-in. @param to the URL's member `to`, which anybody can write into a link */
export function safeReturnPath(to: string | null): string {
  const path = returnPath(to ?? '/')
  return path === '/' ? '/app' : path
}

const RETURN_PATH_KEY = 'after-sign-in'

export const storedReturnPath = (): string | null => sessionStorage.getItem(RETURN_PATH_KEY)

/** The notice for a page opened without its link. @param of what contains the link, such as “the invitation” */
export function NoToken({ of, children }: { of: string; children?: ComponentChildren }) {
  return (
    <Notice title={`Open this page by the link in ${of}.`}>
      <p>
        The link works once, and is in this page’s address for a moment only: when the page is loaded again, open the
        link again.
      </p>
      {children}
    </Notice>
  )
}

/** Replaces the title of the page, without its lead. It takes the focus, so that the keyboard continues there. */
export function NewTitle({ children }: { children: string }) {
  useLayoutEffect(() => {
    const [title, lead] = document.querySelectorAll<HTMLElement>('h1, h1 + p')
    if (title === undefined || lead === undefined) return
    const { textContent } = title
    Object.assign(title, { textContent: children, tabIndex: -1 }).focus()
    lead.hidden = true
    return () => {
      title.textContent = textContent
      lead.hidden = false
    }
  }, [])
  return null
}

type LookProps = { email: string; children: ComponentChildren; onAgain: () => void }

/** Asks the person to look for a mail. Does not reveal whether the e-mail address has an account. */
export function LookInMail({ email, children, onAgain }: LookProps) {
  return (
    <>
      <NewTitle>Look into your mail</NewTitle>
      <p>
        The next step was mailed to <strong>{email}</strong>.
      </p>
      {children}
      <Soft as="p">
        Nothing came? Look in the spam folder, wait a minute, and check the address above for a mistake. Some services
        send no mail: ask the operator of this one.
      </Soft>
      <p>
        <Button onClick={onAgain}>Back to the form</Button>
      </p>
    </>
  )
}

/** Without a token, the part after the # is empty, or that of the link past the head of the page. */
/** Any other hash is a place on the page. */
const tokenIn = (hash: string): string | null => /^#((?:h\.)?[\w-]{43})$/.exec(hash)?.[1] ?? null

/** Takes the token from the URL. Returns null if the page was opened without one. */
export function takeToken(): string | null {
  // A second link in the same tab changes only the part after the #, so the browser loads nothing.
  addEventListener('hashchange', () => {
    if (tokenIn(location.hash) !== null) location.reload()
  })
  const token = tokenIn(location.hash)
  if (token !== null) history.replaceState(null, '', location.pathname + location.search)
  return token
}
