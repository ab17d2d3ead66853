// Authenticates and authorises the caller (session or key), and refuses requests that come from other sites. It is the first step
// of every account and management route.
import { readBearerKey, hasAuthorization } from '../../keys/bearer-key.ts'
import type { Jurisdiction } from '../../keys/key-format.ts'
import type { KeyScope } from '../../keys/key.schema.ts'
import type { Actor } from '../../organisation/append-act.ts'
import type { ChatGate } from '../../organisation/admit/chat-gate.ts'
import { closingErrorForPerson, refusalError } from '../../organisation/refusal-errors.ts'
import type { Clock } from '../../platform/time.ts'
import type { Pepper } from '../../platform/config.ts'
import type { AppContext } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { holdBody } from '../../platform/read-request.ts'
import { isInForce, type Requirement } from '../../policies/second-factor.policy.ts'
import type { KeyId, OrganisationId, PersonId } from '../../platform/ids.ts'
import type { Membership, Session, SessionsStore } from '../people/sessions.store.ts'
import type { FactorsStore } from '../second-factor/factors.store.ts'
import { isAccessOver, may, type Permission, type Role, rolesWith, type Who } from './roles.policy.ts'
import { sessionCookie } from './session-cookie.ts'
import { type Confirming, isProved, isRequirementMet, type Proof } from './session-proof.policy.ts'

/** A signed-in member of the organisation, or one of its keys with the scope `manage`. */
export type Manager =
  | { kind: 'person'; id: PersonId; role: Role; session: Session; required: Requirement['secondFactor'] }
  | { kind: 'key'; id: KeyId; scopes: readonly KeyScope[] }

export type Access = { organisation: { id: OrganisationId; jurisdiction: Jurisdiction }; manager: Manager }

export type AccessRule = {
  permission: Permission
  /** What a person must have proved within the last 15 minutes. */
  proof?: Proof
  /** True if the request is about the person alone: it needs no second factor that the organisation requires. */
  isOwn?: (c: AppContext, person: PersonId) => boolean
}

export type AccessControl = {
  /** Guards a change without a session. Throws unless the request comes from this service's pages or names its origin. */
  assertOwnOrigin(c: AppContext): void
  requireSession(c: AppContext, proof?: Proof): Promise<Session>
  /** Returns the caller's session. Null if nobody is signed in or the request has an Authorization. Ignores the origin. */
  findSession(c: AppContext): Promise<Session | null>
  /** Returns the caller: a person with a session or a key, with the permission in the organisation. Throws otherwise. */
  requireAccess(c: AppContext, rule: AccessRule): Promise<Access>
  /** Checks a permission that is known only after the body is read. */
  assertMay(manager: Manager, permission: Permission): void
  /** Checks a proof whose need is known only after the body is read. A key has no second factor, and needs none. */
  assertProved(manager: Manager, proof: Proof | undefined): Promise<void>
  /** Accepts any session, or a key with the scope `manage`. Throws otherwise. */
  requireSessionOrKey(c: AppContext): Promise<void>
}

type Deps = {
  sessions: SessionsStore
  factors: FactorsStore
  gate: ChatGate
  peppers: readonly Pepper[]
  publicOrigin: string | null
  clock: Clock
}

export const ORGANISATION_HEADER = 'x-aqta-organisation'

export const roleOrKeyOf = (manager: Manager): Who => (manager.kind === 'key' ? 'key' : manager.role)

export const actorOf = ({ id }: Manager): Actor => id

export function createAccessControl({ sessions, factors, gate, peppers, publicOrigin, clock }: Deps): AccessControl {
  function assertOwnOrigin(c: AppContext): void {
    const ownOrigin = publicOrigin ?? new URL(c.req.url).origin
    const isOurs = isOwnOrigin({
      ownOrigin,
      origin: c.req.header('origin'),
      secFetchSite: c.req.header('sec-fetch-site'),
    })
    if (!isOurs) throw originRefused(ownOrigin)
  }

  async function requireSession(c: AppContext, proof?: Proof): Promise<Session> {
    if (!isRead(c)) {
      assertOwnOrigin(c)
      await holdBody(c)
    }
    const session = await findSession(c)
    if (session === null) throw hasAuthorization(c) ? personRequired() : sessionRequired()
    await assertSessionProved(session, proof)
    return session
  }

  async function findSession(c: AppContext): Promise<Session | null> {
    c.header('cache-control', 'no-store')
    const now = clock()
    const token = hasAuthorization(c) ? null : sessionCookie.read(c)
    if (token === null) return null
    const session = await c.get('timings').measure('storage', () => sessions.findByToken(token, now))
    if (session === null) return null
    c.get('logged').personId = session.personId
    c.executionCtx.waitUntil(sessions.touch(session, now))
    return session
  }

  async function requireAccess(c: AppContext, rule: AccessRule): Promise<Access> {
    const access = hasAuthorization(c) ? await keyAccess(c) : await memberAccess(c, rule)
    assertNamedOrganisation(access.organisation.id, c.req.header(ORGANISATION_HEADER))
    assertMay(access.manager, rule.permission)
    await assertProved(access.manager, rule.proof)
    return access
  }

  async function assertProved(manager: Manager, proof: Proof | undefined): Promise<void> {
    if (manager.kind === 'person') await assertSessionProved(manager.session, proof, manager.required)
  }

  /** @param required what the organisation asks for: to confirm by less would take it from the session */
  async function assertSessionProved(
    session: Session,
    proof: Proof | undefined,
    required: Requirement['secondFactor'] = 'off',
  ): Promise<void> {
    if (proof === undefined || isProved(session, proof, clock())) return
    const methods = await factors.listConfirming(session)
    const enough = methods.filter((method) => method === 'passkey' || required !== 'phishing_resistant')
    throw proofRequired(proof, enough.length > 0 ? enough : methods)
  }

  async function assertRequirementMet(membership: Membership, session: Session): Promise<void> {
    const now = clock()
    if (!isInForce(membership, now) || isRequirementMet(membership, session, now)) return
    throw factorRequired(membership, session, await factors.listConfirming(session))
  }

  async function requireSessionOrKey(c: AppContext): Promise<void> {
    await (hasAuthorization(c) ? keyAccess(c) : requireSession(c))
  }

  async function keyAccess(c: AppContext): Promise<Access> {
    c.header('cache-control', 'no-store')
    const key = readBearerKey(c, 'gateway', peppers)
    if (!isRead(c)) await holdBody(c)
    const call = await gate.admitManage(c, key)
    if (call.outcome !== 'admitted') throw refusalError(call)
    const { organisationId: id, jurisdiction } = key
    return { organisation: { id, jurisdiction }, manager: { kind: 'key', ...call.key } }
  }

  async function memberAccess(c: AppContext, { permission, isOwn }: AccessRule): Promise<Access> {
    const session = await requireSession(c)
    const memberships = await sessions.listMemberships(session.personId)
    const membership = chooseMembership(memberships, c.req.header(ORGANISATION_HEADER), clock())
    const { organisationId: id, jurisdiction, role, secondFactor: required } = membership
    c.get('logged').organisationId = id
    if (isOwn?.(c, session.personId) !== true) await assertRequirementMet(membership, session)
    if (isClosedTo(membership, isRead(c), permission)) throw closingErrorForPerson()
    return {
      organisation: { id, jurisdiction },
      manager: { kind: 'person', id: session.personId, role, session, required },
    }
  }

  return { assertOwnOrigin, requireSession, findSession, requireAccess, assertMay, assertProved, requireSessionOrKey }
}

function assertMay(manager: Manager, permission: Permission): void {
  const who = roleOrKeyOf(manager)
  if (!may(who, permission)) throw roleRequired(who, permission)
}

const isRead = (c: AppContext): boolean => ['GET', 'HEAD'].includes(c.req.method)

/** Throws if the header names another organisation than the key's, so that nothing is done in either. */
function assertNamedOrganisation(id: OrganisationId, wanted: string | undefined): void {
  if (wanted !== undefined && wanted !== id)
    throw new AppError('not_found', KEY_OF_ANOTHER, { param: ORGANISATION_HEADER })
}

/** Returns true if an erasure forbids this: a scheduled one allows only to read and export, a running one nothing. */
function isClosedTo({ erasure }: Membership, isReadOnly: boolean, permission: Permission): boolean {
  if (erasure === null || permission === 'organisation:erase') return false
  return erasure === 'running' || !isReadOnly
}

function chooseMembership(memberships: readonly Membership[], wanted: string | undefined, now: number): Membership {
  const named = memberships.filter(({ organisationId }) => wanted === undefined || organisationId === wanted)
  const [only, ...others] = named.filter(({ endsAt }) => !isAccessOver(endsAt, now))
  if (only === undefined) throw noMembership(named, wanted)
  if (others.length > 0) throw new AppError('missing_parameter', SEVERAL, { param: ORGANISATION_HEADER })
  return only
}

/** @param over the memberships whose access has ended */
function noMembership(over: readonly Membership[], wanted: string | undefined): AppError {
  const details = wanted === undefined ? {} : { param: ORGANISATION_HEADER }
  const end = Math.max(...over.map(({ endsAt }) => endsAt ?? 0))
  if (over.length > 0) return new AppError('not_found', accessEnded(end), details)
  return new AppError('not_found', wanted === undefined ? NO_ORGANISATION : NO_SUCH_ORGANISATION, details)
}

const accessEnded = (at: number): string =>
  `Your access as an auditor ended on ${new Date(at).toISOString()}. Ask an owner to extend it.`

const NO_SUCH_ORGANISATION =
  'You are not a member of an organisation with this id. GET /api/auth/me lists your organisations.'
const KEY_OF_ANOTHER = `This key belongs to another organisation than the header ${ORGANISATION_HEADER} names. Leave the header out, or send a key of that organisation.`
const NO_ORGANISATION =
  'You are not a member of any organisation. Ask an owner for an invitation, or create one (POST /api/organisations).'
const SEVERAL = `You are a member of several organisations. Name one in the header ${ORGANISATION_HEADER}; GET /api/auth/me lists them.`

const originRefused = (ownOrigin: string): AppError =>
  new AppError(
    'origin_refused',
    `This request changes something and does not come from ${ownOrigin}. Send that address in the header origin, and leave sec-fetch-site out.`,
    { param: 'origin' },
  )

const sessionRequired = (): AppError =>
  new AppError('session_required', 'You are not signed in, or your session has ended. Sign in (POST /api/auth/login).')

const personRequired = (): AppError =>
  new AppError(
    'session_required',
    'A key cannot make this request. Sign in, then send the session cookie without an authorization header.',
  )

/** @param methods what the person may confirm by */
const proofRequired = (proof: Proof, methods: readonly Confirming[]): AppError =>
  new AppError(
    'fresh_sign_in_required',
    `This needs a confirmation not older than 15 minutes. Confirm that it is you (${confirmingRoute(methods)}), then repeat the request.`,
    { members: { methods, full: proof !== 'fresh' } },
  )

const confirmingRoute = (methods: readonly Confirming[]): string =>
  methods.every((method) => method === 'provider')
    ? 'POST /api/auth/oauth-signin, with `confirm`'
    : 'POST /api/auth/confirm'

/** @param confirming what the person may confirm by */
function factorRequired(
  { organisationId, secondFactor }: Membership,
  session: Session,
  confirming: readonly Confirming[],
): AppError {
  const isPasskey = secondFactor === 'phishing_resistant'
  const own = confirming.filter((method) => method === 'passkey' || (method === 'totp' && !isPasskey))
  const isVouched = session.secondFactor === 'provider' && (!isPasskey || session.vouchedAcr === 'phr')
  const methods: Confirming[] = isVouched ? [...own, 'provider'] : own
  const what = isPasskey ? 'passkey' : 'second factor'
  const next =
    methods.length === 0
      ? 'Set one up at /app/account#second-factor, then repeat the request.'
      : `Confirm by it (${confirmingRoute(methods)}), then repeat the request.`
  return new AppError(
    'second_factor_required',
    `This organisation requires a ${what}, proved within the last 24 hours. ${next}`,
    { members: { methods, organisation_id: organisationId } },
  )
}

const roleRequired = (who: Who, permission: Permission): AppError => {
  const roles = rolesWith(permission).filter((one) => one !== 'key')
  const needed = roles.join(' or ')
  return new AppError(
    'role_required',
    who === 'key'
      ? `A key cannot do this. Sign in as a person with the role ${needed}.`
      : `This needs the role ${needed}, and yours is ${who}. Ask an owner to change your role.`,
  )
}

/** The origin of this service, and the request's headers that name where it comes from. */
type Provenance = {
  /** The origin of this service, `https://host`. */
  ownOrigin: string
  origin: string | undefined
  secFetchSite: string | undefined
}

/**
 * Returns true if a change comes from this service's own page. A foreign page, a sibling subdomain or a form gets false.
 * Requests with Authorization are not checked, because no browser adds that header by itself.
 */
export function isOwnOrigin({ ownOrigin, origin, secFetchSite }: Provenance): boolean {
  return origin === ownOrigin && (secFetchSite === undefined || secFetchSite === 'same-origin')
}

/**
 * SECURITY: a link on another site or in a mail must not start an export or another logged read. The browser would send the
 * session with it. The mode is checked too, because after a sign-in on the way the browser says `same-origin`.
 * @param what the link would do, such as `start an export`
 */
export function assertNotLinkedTo(c: AppContext, manager: Manager, what: string): void {
  if (manager.kind === 'key') return
  const from = c.req.header('sec-fetch-site') ?? 'none'
  if (from !== 'same-origin' && from !== 'none') throw linkRefused(what, 'sec-fetch-site')
  if (c.req.header('sec-fetch-mode') === 'navigate') throw linkRefused(what, 'sec-fetch-mode')
  // Safari before 16.4 sends neither header, but asks for HTML when it follows a link. Programs and our pages do not ask for it.
  if (c.req.header('accept')?.includes('text/html') === true) throw linkRefused(what, 'accept')
}

const linkRefused = (what: string, param: string): AppError =>
  new AppError('origin_refused', `A link cannot ${what}. Use the pages of this service, or a program.`, { param })
