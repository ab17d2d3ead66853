// Signs people in and out, and makes the path of the sign-in page. A browser's tabs share one session, so each tab tells the others
// who is signed in.
import type { Infer } from '../../platform/once.ts'
import type { SecondStepRequiredSchema } from '../../accounts/second-factor/second-factor.schema.ts'
import type { SignedInSchema, UserSchema } from '../../accounts/sign-in/sign-in.schema.ts'
import { forgetKeys, revokeMadeKey } from './kept-keys.ts'
import { sendRequest, withOwnMessage, type Answer, type Problem } from './send-request.ts'

export type User = Infer<typeof UserSchema>

const WORDS = { invalid_credentials: 'Wrong e-mail address or password.' }

/** A session, or that a second factor is needed besides: the status is 202 then, and nobody is signed in yet. */
type SignedIn = Infer<typeof SignedInSchema> | Infer<typeof SecondStepRequiredSchema>

/** Signs a person in. @param by the route below /api/auth */
export async function signIn(
  by: 'login' | 'login/second-factor' | 'passkeys/sign-in',
  body: object,
): Promise<Answer<SignedIn>> {
  const answer = await sendRequest<SignedIn>('POST', `/api/auth/${by}`, { body })
  if (answer.outcome === 'refused')
    return by === 'login' ? { ...answer, problem: withOwnMessage(answer.problem, WORDS) } : answer
  if (answer.body.object === 'session') {
    forgetKeys()
    tellTabs(answer.body.user.id)
  }
  return answer
}

/** True if the organisation is a demo, whose data is invented. Its id, org_xxxxxxxx-xxxx-8…, is a UUID of version 8. */
export const isDemoOrganisation = (id: string): boolean => id[18] === '8'

/** Keeps that the organisation is a demo, so that the next page has room for the note from the start (frame/theme.ts). */
export function keepDemo(organisation: { id: string } | null | undefined): boolean {
  const isDemo = isDemoOrganisation(organisation?.id ?? '')
  if (isDemo) localStorage.setItem('demo', '')
  else localStorage.removeItem('demo')
  return isDemo
}

const beforeSignOut: (() => Promise<unknown>)[] = [revokeMadeKey]

/** Runs the act before this page signs the person out, while their session still permits it. */
export const onSignOut = (act: () => Promise<unknown>): void => void beforeSignOut.push(act)

/** Returns null if nobody is signed in any more, even if the session had already ended. What the tab kept is gone then. */
export async function signOut(): Promise<Problem | null> {
  await Promise.allSettled(beforeSignOut.map((act) => act()))
  const answer = await sendRequest('POST', '/api/auth/logout', { body: {} })
  if (answer.outcome === 'refused' && answer.problem.status !== 401) return answer.problem
  sessionStorage.clear()
  tellTabs(null)
  return null
}

/** Returns the path of the current page, with its query and fragment. */
export const currentPath = (): string => location.pathname + location.search + location.hash

/** Returns the path of the sign-in page, which leads back to the current page. */
export const signInPath = (): string => `/sign-in?to=${encodeURIComponent(currentPath())}`

/** The channel between tabs. The sending tab does not receive its own messages. */
const tabs = new BroadcastChannel('session')

/** Tells the other tabs who is signed in. @param personId null if nobody is, or if the person is not known */
export function tellTabs(personId: string | null): void {
  if (personId === null) forgetKeys()
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel is of one origin alone
  tabs.postMessage(personId)
}

/** Reloads the page, without what it kept, when another tab reports another person: it shows and changes the first person's data. */
export function reloadIfPersonChanges(personId: string): void {
  tabs.addEventListener('message', ({ data }) => {
    if (data === personId) return
    sessionStorage.clear()
    location.reload()
  })
}
