// The session of a dashboard page: the signed-in person and the organisation that the URL names. Also sends this person's requests
// about this organisation to the API.
import { may, type Permission } from '../../accounts/access/roles.policy.ts'
import type { List } from '../../platform/pagination.schema.ts'
import { hasFeature, permissionForAllCalls, type Feature } from '../../policies/tier.policy.ts'
import {
  answered,
  fetchAllPages,
  sendRequest,
  requestFile,
  withOwnMessage,
  type Answer,
  type Method,
  type OnBytes,
  type Problem,
  type Query,
  type ReceivedFile,
  type RequestOptions,
} from '../api/send-request.ts'
import { signInPath, type User } from '../api/sign-in.ts'
import { useAnswer, type LoadedAnswer } from '../api/use-answer.ts'
import { useList, type LoadedList } from '../api/use-list.ts'
import { hasUnsavedInput } from '../parts/form.view.tsx'

export type Membership = User['organisations'][number]

export type Session = {
  user: User
  /** Null if the person is in no organisation, or not in the one that the URL names. */
  organisation: Membership | null
}

let opened: Session | null = null

/** Returns the open session. Throws before `openSession` has opened one; no page is drawn until then. */
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
  const answer = await sendRequest<User>('GET', '/api/auth/me')
  if (answer.outcome === 'refused') return answer.problem.status === 401 ? openSignInPage() : answer.problem
  const user = answer.body
  const named = new URL(location.href).searchParams.get('org')
  // Another organisation must not replace the named one: people would not notice whose data they see.
  opened = { user, organisation: user.organisations.find(({ id }) => named === null || id === named) ?? null }
  return null
}

export function setUser(user: User): void {
  opened = { ...session(), user }
}

export function renameOrganisation(name: string): void {
  opened = { ...session(), organisation: { ...organisation(), name } }
}

export function setTierRequest(request: Membership['tier_request']): void {
  opened = { ...session(), organisation: { ...organisation(), tier_request: request } }
}

function openSignInPage(): Promise<never> {
  location.assign(signInPath())
  return new Promise(() => undefined)
}

/** True if the person's role in the page's organisation has the permission. */
export const hasPermission = (permission: Permission): boolean => {
  const { organisation: current } = session()
  return current !== null && may(current.role, permission)
}

/** True if the tier of the page's organisation has the feature. A page requests nothing that the tier lacks. */
export const hasTierFeature = (feature: Feature): boolean => {
  const { organisation: current } = session()
  return current !== null && hasFeature(current.tier, feature)
}

/** True if tier and role have the counts of calls. */
export const hasCounts = (): boolean => hasTierFeature('analytics') && hasPermission('usage:read')

/** True if the person may see all calls, with filters and proofs. Others see the last ones. */
export function seesAllCalls(): boolean {
  const { organisation: current } = session()
  const permission = current && permissionForAllCalls(current.tier)
  return permission !== null && hasPermission(permission)
}

/** Adds the organisation to a dashboard path, so that a colleague who follows the link sees the same. */
export function inOrganisation(path: string): string {
  if (session().user.organisations.length < 2) return path
  const { pathname, search, hash } = withOrganisation(path)
  return pathname + search + hash
}

/** Returns the whole address to give to others. It names the organisation, since they may be in several. */
export const linkForOthers = (address: string): string => withOrganisation(address).href

function withOrganisation(address: string): URL {
  const url = new URL(address, location.origin)
  const { organisation: current } = session()
  if (current !== null) url.searchParams.set('org', current.id)
  return url
}

const NO_MEMBER = {
  not_found: 'You are not a member of this organisation any more, or it is gone. Load the page again.',
}

/** A request. `organisation` is another organisation than the page's, or null for none. */
type OrganisationRequest = Omit<RequestOptions, 'organisation' | 'key'> & { organisation?: Membership | null }

/**
 * Sends a request about the page's organisation. Opens the sign-in page if the session has ended. If the act needs a
 * confirmation, or unsaved input would be lost, a dialog asks for it. The request is then sent again.
 */
export const callApi = <T>(method: Method, path: string, request: OrganisationRequest = {}): Promise<Answer<T>> =>
  sendForOrganisation(request, (sent) => sendRequest<T>(method, path, sent))

/** Requests a file like `callApi`. @param onBytes gets the number of bytes so far, and the latest bytes */
export const fetchFile = (
  method: Method,
  path: string,
  request: OrganisationRequest = {},
  onBytes?: OnBytes,
): Promise<Answer<ReceivedFile>> => sendForOrganisation(request, (sent) => requestFile(method, path, sent, onBytes))

async function sendForOrganisation<T>(
  request: OrganisationRequest,
  ask: (sent: RequestOptions) => Promise<Answer<T>>,
): Promise<Answer<T>> {
  const { organisation: about = session().organisation, ...rest } = request
  const answer = await ask(about === null ? rest : { ...rest, organisation: about.id })
  if (answer.outcome === 'answered') return answer
  const { problem } = answer
  const { code } = problem
  // The service says when the access of an auditor ended.
  const isOver = about !== null && about.ends_at !== null && Date.parse(about.ends_at) <= Date.now()
  if (problem.param === 'x-aqta-organisation' && !isOver)
    return { outcome: 'refused', problem: withOwnMessage(problem, NO_MEMBER) }
  if (!UNPROVED.has(code) || isWithoutFactor(problem)) return answer
  if (code === 'session_required' && !hasUnsavedInput()) return openSignInPage()
  return (await prove(problem)) ? sendForOrganisation(request, ask) : answer
}

/** The refusals that a proof by the person mends. */
const UNPROVED: ReadonlySet<string> = new Set(['session_required', 'fresh_sign_in_required', 'second_factor_required'])

/** True if the organisation requires a second factor of who has none: the page says so (frame/needs-factor.view.tsx). */
const isWithoutFactor = ({ code, error }: Problem): boolean =>
  code === 'second_factor_required' && Array.isArray(error['methods']) && error['methods'].length === 0

let proving: Promise<boolean> | null = null

/** Asks the person once for all requests that wait. Returns false if they think better of it, or the dialog cannot be loaded. */
const prove = (why: Problem): Promise<boolean> =>
  (proving ??= import('./sign-in-again.view.tsx')
    .then(({ signInAgain }) => signInAgain(session().user, why))
    .catch(() => false)
    .finally(() => {
      proving = null
    }))

/** Loads the answer to a GET, or null without asking. @param on values besides the URL that load it again when they change */
export const useApiIf = <T>(
  isAsked: boolean,
  path: string,
  query: Query = {},
  on: readonly unknown[] = [],
): LoadedAnswer<T | null> =>
  useAnswer<T | null>(
    async (signal) => (isAsked ? callApi<T>('GET', path, { query, signal }) : answered(null)),
    [path, JSON.stringify(query), ...on],
  )

/** Loads counts of calls, which are null where tier or role have none. */
export const useCounts = <T>(of: 'costs' | 'requests', query: Query, isAsked = true): LoadedAnswer<T | null> =>
  useApiIf(isAsked && hasCounts(), `/api/analytics/${of}`, query)

/** Loads the answer to a GET. @param on values besides the URL that load it again when they change */
export const useApi = <T>(path: string, query: Query = {}, on: readonly unknown[] = []): LoadedAnswer<T> =>
  useAnswer((signal) => callApi<T>('GET', path, { query, signal }), [path, JSON.stringify(query), ...on])

/** Loads a list page by page. @param on values besides the URL that load it again when they change */
export const useApiList = <T>(path: string, query: Query = {}, on: readonly unknown[] = []): LoadedList<T> =>
  useList(
    (cursor, signal) => callApi<List<T>>('GET', path, { query: { ...query, cursor }, signal }),
    [path, JSON.stringify(query), ...on],
  )

/** Loads all pages of a list at once. */
export const loadWholeList = <T>(
  path: string,
  query: Query,
  signal: AbortSignal,
  about: Membership | null = session().organisation,
): Promise<Answer<List<T>>> =>
  fetchAllPages<T, List<T>>((cursor) =>
    callApi('GET', path, { query: { ...query, cursor }, signal, organisation: about }),
  )
