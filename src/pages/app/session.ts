// The session of a dashboard page: the person, the organisation that the address names, and requests in their name.
import { may, type Permission } from '../../accounts/access/roles.policy.ts'
import type { List } from '../../platform/pagination.schema.ts'
import {
  allPages,
  call,
  callForFile,
  inWords,
  type Answer,
  type Method,
  type OnBytes,
  type Problem,
  type Query,
  type ReceivedFile,
  type Request,
} from '../api/call.ts'
import { signInAddress, type User } from '../api/sign-in.ts'
import { useAnswer, type LoadedAnswer } from '../api/use-answer.ts'
import { useList, type Listed } from '../api/use-list.ts'
import { isAnythingLost } from '../parts/form.view.tsx'
import { signInAnew } from './fresh-sign-in.view.tsx'

export type Membership = User['organisations'][number]

export type Session = {
  user: User
  /** Null if the person is in no organisation, or not in the one that the address names. */
  organisation: Membership | null
}

let opened: Session | null = null

/** Throws if no session is open. Nothing is drawn before one is. */
export function session(): Session {
  if (opened === null) throw new Error('no session is open yet')
  return opened
}

/** Returns the organisation, for parts of a page that only its members see. Throws if the page has none. */
export function organisation(): Membership {
  const { organisation: current } = session()
  if (current === null) throw new Error('the page is of no organisation')
  return current
}

/** Returns null if the session is open. If nobody has signed in, it opens the sign-in page and never resolves. */
export async function openSession(): Promise<Problem | null> {
  const answer = await call<User>('GET', '/api/auth/me')
  if (answer.outcome === 'refused') return answer.problem.status === 401 ? signInFirst() : answer.problem
  const user = answer.body
  const named = new URL(location.href).searchParams.get('org')
  // Another organisation must not replace the named one: people would not notice whose data they see.
  opened = { user, organisation: user.organisations.find(({ id }) => named === null || id === named) ?? null }
  return null
}

export function renameOrganisation(name: string): void {
  opened = { ...session(), organisation: { ...organisation(), name } }
}

function signInFirst(): Promise<never> {
  location.assign(signInAddress())
  return new Promise(() => undefined)
}

/** True if the person's role in the organisation of the page includes the permission. */
export const hasPermission = (permission: Permission): boolean => {
  const { organisation: current } = session()
  return current !== null && may(current.role, permission)
}

/** Adds the organisation to an address of the dashboard, so that a colleague who follows it sees the same. */
export function inOrganisation(path: string): string {
  const { user, organisation: current } = session()
  if (current === null || user.organisations.length < 2) return path
  const url = new URL(path, location.origin)
  url.searchParams.set('org', current.id)
  return url.pathname + url.search + url.hash
}

const NO_MEMBER = {
  not_found: 'You are not a member of this organisation any more, or it is gone. Load the page again.',
}

/** `organisation`: another organisation than the page's; null for none. */
type RequestIn = Omit<Request, 'organisation' | 'key'> & { organisation?: Membership | null }

/**
 * Sends a request about the organisation of the page. An ended session leads to the sign-in page. A dialog asks for the sign-in
 * instead if the act needs a fresh one, or if something unsaved would be lost. The request is then sent again.
 */
export const callApi = <T>(method: Method, path: string, request: RequestIn = {}): Promise<Answer<T>> =>
  askIn(request, (sent) => call<T>(method, path, sent))

/** Like `callApi`, for a file. @param onBytes gets the number of bytes so far, and the latest bytes */
export const fetchFile = (
  method: Method,
  path: string,
  request: RequestIn = {},
  onBytes?: OnBytes,
): Promise<Answer<ReceivedFile>> => askIn(request, (sent) => callForFile(method, path, sent, onBytes))

async function askIn<T>(request: RequestIn, ask: (sent: Request) => Promise<Answer<T>>): Promise<Answer<T>> {
  const { organisation: about = session().organisation, ...rest } = request
  const answer = await ask(about === null ? rest : { ...rest, organisation: about.id })
  if (answer.outcome === 'answered') return answer
  const { problem } = answer
  const { code } = problem
  if (problem.param === 'x-aqta-organisation') return { outcome: 'refused', problem: inWords(problem, NO_MEMBER) }
  if (code !== 'session_required' && code !== 'fresh_sign_in_required') return answer
  if (code === 'session_required' && !isAnythingLost()) return signInFirst()
  return (await signInAnew(session().user, code)) ? askIn(request, ask) : answer
}

/** The answer to a GET. @param on values that make it ask again when they change, besides the address */
export const useApi = <T>(path: string, query: Query = {}, on: readonly unknown[] = []): LoadedAnswer<T> =>
  useAnswer((signal) => callApi<T>('GET', path, { query, signal }), [path, JSON.stringify(query), ...on])

/** A list of the API, page by page. @param on values that make it ask again when they change, besides the address */
export const useApiList = <T>(path: string, query: Query = {}, on: readonly unknown[] = []): Listed<T> =>
  useList(
    (cursor, signal) => callApi<List<T>>('GET', path, { query: { ...query, cursor }, signal }),
    [path, JSON.stringify(query), ...on],
  )

/** A list of the API, all of its pages at once. */
export const wholeList = <T>(path: string, query: Query, signal: AbortSignal): Promise<Answer<List<T>>> =>
  allPages<T, List<T>>((cursor) => callApi('GET', path, { query: { ...query, cursor }, signal }))
