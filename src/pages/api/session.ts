// Who has signed in, and the organisation that the address names. Without a session a page of the dashboard leads to signing in and back.
import type { z } from 'zod'
import type { UserSchema } from '../../accounts/sign-in/sign-in.schema.ts'
import { call, type Problem } from './call.ts'

export type User = z.infer<typeof UserSchema>
export type Membership = User['organisations'][number]

export type Session = {
  user: User
  /** Null where the person is in none, or not in the one that the address names. */
  organisation: Membership | null
}

export type Opened = { outcome: 'opened'; session: Session } | { outcome: 'refused'; problem: Problem }

/** Goes to the page of signing in where there is no session, and then never resolves. */
export async function openSession(): Promise<Opened> {
  const answer = await call<User>('GET', '/api/auth/me')
  if (answer.outcome === 'refused') {
    return answer.problem.status === 401 ? signInFirst() : answer
  }
  const user = answer.body
  const wanted = new URL(location.href).searchParams.get('org')
  // Never another in the place of the one that is named: nobody would see whose data it is.
  const organisation = user.organisations.find(({ id }) => wanted === null || id === wanted) ?? null
  return { outcome: 'opened', session: { user, organisation } }
}

/** Back to where we are, once somebody has signed in. */
export function signInFirst(): Promise<never> {
  location.assign(signInAddress())
  return new Promise(() => undefined)
}

export const signInAddress = (): string =>
  `/sign-in?to=${encodeURIComponent(location.pathname + location.search + location.hash)}`

/** An address of the dashboard with the organisation in it, so that a colleague who follows it sees the same. */
export function inOrganisation({ user, organisation }: Session, path: string): string {
  if (organisation === null || user.organisations.length < 2) return path
  const url = new URL(path, location.origin)
  url.searchParams.set('org', organisation.id)
  return url.pathname + url.search + url.hash
}
