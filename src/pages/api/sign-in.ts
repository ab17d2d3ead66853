// Signs people in and out, and makes the path of the sign-in page. A browser's tabs share one session, so each tab tells the others
// who is signed in.
import type { Infer } from '../../platform/once.ts'
import type { SignedInSchema, UserSchema } from '../../accounts/sign-in/sign-in.schema.ts'
import { forgetKeys, revokeMadeKey } from './kept-keys.ts'
import { sendRequest, withOwnMessage, type Problem } from './send-request.ts'

export type User = Infer<typeof UserSchema>

const WORDS = { invalid_credentials: 'Wrong e-mail address or password.' }

/** Returns null if the person is signed in, otherwise the problem. */
export async function signIn(given: { email: string; password: string }): Promise<Problem | null> {
  const answer = await sendRequest<Infer<typeof SignedInSchema>>('POST', '/api/auth/login', { body: given })
  if (answer.outcome === 'refused') return withOwnMessage(answer.problem, WORDS)
  forgetKeys()
  tellTabs(answer.body.user.id)
  return null
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

/** Returns the path of the sign-in page, which leads back to the current page. */
export const signInPath = (): string =>
  `/sign-in?to=${encodeURIComponent(location.pathname + location.search + location.hash)}`

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
