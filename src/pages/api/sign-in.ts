// Signs in and out. The tabs of a browser share one session, so each tab tells the others who is signed in.
import type { z } from 'zod'
import type { SignedInSchema, UserSchema } from '../../accounts/sign-in/sign-in.schema.ts'
import { call, inWords, type Problem } from './call.ts'

export type User = z.infer<typeof UserSchema>

const WORDS = { invalid_credentials: 'The e-mail address and the password do not belong together.' }

/** Null if somebody has signed in. */
export async function signIn(given: { email: string; password: string }): Promise<Problem | null> {
  const answer = await call<z.infer<typeof SignedInSchema>>('POST', '/api/auth/login', { body: given })
  if (answer.outcome === 'refused') return inWords(answer.problem, WORDS)
  tellTabs(answer.body.user.id)
  return null
}

/** Null if nobody is signed in any more, also where the session had ended before. */
export async function signOut(): Promise<Problem | null> {
  const answer = await call('POST', '/api/auth/logout', { body: {} })
  if (answer.outcome === 'refused' && answer.problem.status !== 401) return answer.problem
  tellTabs(null)
  return null
}

/** Leads back to where we are. */
export const signInAddress = (): string =>
  `/sign-in?to=${encodeURIComponent(location.pathname + location.search + location.hash)}`

/** The tab that sends does not hear it. */
const tabs = new BroadcastChannel('session')

/** @param personId whose session it is from now on; null if there is none, or it is not known whose */
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel is of one origin alone
export const tellTabs = (personId: string | null): void => tabs.postMessage(personId)

/** A page that shows one person's data, and would act for another by now, is loaded again. */
export function reloadForOthers(personId: string): void {
  tabs.addEventListener('message', ({ data }) => {
    if (data !== personId) location.reload()
  })
}
