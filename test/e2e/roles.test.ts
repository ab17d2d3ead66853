// Every route under /api as everybody who could call it: who gets past its door, and what the others are told there. A route
// that the table does not name fails the test.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROLES, type Who } from '../../src/accounts/access/roles.policy.ts'
import { deploy, type Deployment } from '../support/e2e/deployment.ts'
import { signInAs } from '../support/e2e/members.ts'

/** `stranger`: the owner of another organisation, who names this one. `newcomer`: a member of nothing. */
const CALLERS = [...ROLES, 'signed out', 'stranger', 'newcomer', 'key that manages', 'key that chats'] as const
type Caller = (typeof CALLERS)[number]

/** The code that a caller is refused with at the door; null: gets past it, whatever is wrong with the request then. */
type Door = (caller: Caller) => string | null

const isSignedIn = (caller: Caller): boolean => !['signed out', 'key that manages', 'key that chats'].includes(caller)

/** Members in these roles, and keys that manage where `key` is among them. */
const organisation =
  (...may: Who[]): Door =>
  (caller) => {
    if (caller === 'signed out') return 'session_required'
    if (caller === 'key that chats') return 'scope_required'
    if (caller === 'stranger' || caller === 'newcomer') return 'not_found'
    return may.some((who) => who === (caller === 'key that manages' ? 'key' : caller)) ? null : 'role_required'
  }

const session: Door = (caller) => (isSignedIn(caller) ? null : 'session_required')
const sessionOrKey: Door = (caller) => {
  if (caller === 'key that chats') return 'scope_required'
  return caller === 'signed out' ? 'session_required' : null
}
const open: Door = () => null
const operator: Door = () => 'invalid_credentials'

const DOORS: Readonly<Record<string, Door>> = {
  'post /api/operator/organisations': operator,
  'get /api/operator/organisations': operator,
  'get /api/operator/organisations/{organisation_id}': operator,
  'patch /api/operator/organisations/{organisation_id}': operator,
  'post /api/operator/organisations/{organisation_id}/invitations': operator,
  'get /api/operator/organisations/{organisation_id}/ledger': operator,
  'get /api/operator/organisations/{organisation_id}/tiles': operator,
  'post /api/operator/organisations/{organisation_id}/tiles': operator,
  'get /api/operator/public-log/tiles': operator,
  'get /api/operator/peppers': operator,
  'put /api/operator/sandbox-key': operator,
  'post /api/operator/public-log/tiles': operator,
  'get /api/operator/datasets': operator,
  'post /api/operator/datasets': operator,
  'post /api/operator/datasets/{sha256}/serve': operator,
  'delete /api/operator/datasets/{sha256}': operator,
  'post /api/operator/organisations/{organisation_id}/keys': operator,
  'get /api/operator/organisations/{organisation_id}/keys': operator,
  'get /api/operator/organisations/{organisation_id}/keys/{key_id}': operator,
  'delete /api/operator/organisations/{organisation_id}/keys/{key_id}': operator,

  'post /api/operator/people/{person_id}/factor-reset': operator,
  'get /api/operator/erasures': operator,
  'get /api/operator/erasures/{erasure_id}': operator,
  'post /api/operator/erasures/{erasure_id}/reapply': operator,

  'post /api/auth/signup': open,
  'post /api/auth/verify-email': open,
  'post /api/auth/login': open,
  'post /api/auth/logout': open,
  'get /api/auth/providers': open,
  'post /api/auth/oauth-signin': open,
  'get /api/auth/oauth/callback': open,
  'post /api/auth/logout-everywhere': session,
  'get /api/auth/me': session,
  'patch /api/auth/me': session,
  'post /api/auth/email': session,
  'post /api/auth/email/confirm': session,
  'get /api/auth/sessions': session,
  'delete /api/auth/sessions/{session_id}': session,
  'post /api/auth/password': session,
  'post /api/auth/login/second-factor': open,
  'post /api/auth/passkeys/sign-in': open,
  'post /api/auth/passkeys/options': open,
  'post /api/auth/confirm': session,
  'get /api/auth/factors': session,
  'delete /api/auth/factors/{factor_id}': session,
  'post /api/auth/passkeys': session,
  'patch /api/auth/passkeys/{passkey_id}': session,
  'post /api/auth/totp': session,
  'post /api/auth/totp/confirm': session,
  'post /api/auth/recovery-codes': session,
  'post /api/auth/password-reset': open,
  'post /api/auth/password-reset/confirm': open,
  'post /api/auth/factor-reset': open,
  'post /api/auth/factor-reset/confirm': open,
  'delete /api/auth/factor-reset': session,
  'post /api/auth/erasure': session,
  'get /api/auth/erasure': session,
  'delete /api/auth/erasure': session,

  'get /api/providers': sessionOrKey,
  'post /api/organisations': session,
  'get /api/members': organisation('owner', 'admin'),
  'get /api/members/{person_id}': organisation('owner', 'admin'),
  'patch /api/members/{person_id}': organisation('owner', 'admin'),
  'delete /api/members/{person_id}': organisation('owner', 'admin'),
  'get /api/members/factor-resets/{person_id}': organisation('owner', 'admin'),
  'post /api/members/factor-resets/{person_id}': organisation('owner', 'admin'),
  'delete /api/members/factor-resets/{person_id}': organisation('owner', 'admin'),
  'post /api/members/factor-resets/{person_id}/agreement': organisation('owner', 'admin'),
  'get /api/members/invitations': organisation('owner', 'admin'),
  'post /api/members/invitations': organisation('owner', 'admin'),
  'delete /api/members/invitations/{invitation_id}': organisation('owner', 'admin'),
  'post /api/members/invitations/accept': open,

  'get /api/notices': organisation('owner', 'admin', 'developer', 'auditor', 'clinician'),
  'put /api/notices': organisation('owner', 'admin', 'developer', 'auditor', 'clinician'),
  'get /api/views': organisation('owner', 'admin', 'developer', 'auditor', 'clinician'),
  'put /api/views': organisation('owner', 'admin', 'developer', 'auditor', 'clinician'),

  'get /api/keys': organisation('owner', 'admin', 'developer', 'auditor', 'key'),
  'post /api/keys': organisation('owner', 'admin', 'developer', 'key'),
  'get /api/keys/{key_id}': organisation('owner', 'admin', 'developer', 'auditor', 'key'),
  'patch /api/keys/{key_id}': organisation('owner', 'admin', 'developer', 'key'),
  'post /api/keys/{key_id}/rotate': organisation('owner', 'admin', 'developer', 'key'),
  'delete /api/keys/{key_id}': organisation('owner', 'admin', 'developer', 'key'),

  'get /api/approvals': organisation('owner', 'admin', 'developer', 'auditor', 'clinician', 'key'),
  'get /api/approvals/{approval_id}': organisation('owner', 'admin', 'developer', 'auditor', 'clinician', 'key'),
  'get /api/approvals/{approval_id}/reasons': organisation('owner', 'admin', 'auditor'),
  'post /api/approvals/{approval_id}/decision': organisation('owner', 'admin', 'clinician'),

  'get /api/analytics/requests': organisation('owner', 'admin', 'developer', 'auditor', 'key'),
  'get /api/analytics/costs': organisation('owner', 'admin', 'developer', 'auditor', 'key'),

  'get /api/analytics/concordance': organisation('owner', 'admin', 'auditor', 'key'),
  'get /api/analytics/keys': organisation('owner', 'admin', 'developer', 'auditor', 'key'),
  'get /api/analytics/stops': organisation('owner', 'admin', 'developer', 'auditor', 'key'),
  'get /api/calls': organisation('owner', 'admin', 'developer', 'auditor', 'key'),
  'get /api/calls/{id}': organisation('owner', 'admin', 'developer', 'auditor', 'key'),
  'put /api/calls/{id}/cost': organisation('owner'),

  'get /api/settings': organisation('owner', 'admin', 'developer', 'auditor', 'key'),
  'patch /api/settings': organisation('owner', 'admin', 'key'),
  'post /api/settings/tier-request': organisation('owner', 'admin', 'key'),
  'get /api/policies': organisation('owner', 'admin', 'developer', 'auditor', 'key'),
  'get /api/policies/history': organisation('owner', 'admin', 'developer', 'auditor', 'key'),
  'get /api/policies/history/{version}': organisation('owner', 'admin', 'developer', 'auditor', 'key'),
  'patch /api/policies': organisation('owner', 'admin', 'key'),
  'post /api/policies/simulate': organisation('owner', 'admin', 'key'),
  'put /api/policies': organisation('owner', 'admin', 'key'),
  'get /api/notifications': organisation('owner', 'admin', 'developer', 'auditor', 'key'),
  'put /api/notifications': organisation('owner', 'admin', 'key'),
  'delete /api/notifications': organisation('owner', 'admin', 'key'),
  'post /api/notifications/rotate': organisation('owner', 'admin', 'key'),
  'post /api/notifications/test': organisation('owner', 'admin', 'key'),
  'get /api/notifications/deliveries': organisation('owner', 'admin', 'developer', 'auditor', 'key'),

  'get /api/compliance/content/{attestation_id}': organisation('owner', 'admin', 'auditor'),
  'delete /api/compliance/content/{attestation_id}': organisation('owner', 'admin'),
  'delete /api/compliance/content': organisation('owner', 'admin'),
  'get /api/compliance/score': organisation('owner', 'admin', 'auditor', 'key'),
  'post /api/compliance/report': organisation('owner', 'admin', 'auditor', 'key'),
  'get /api/compliance/reports': organisation('owner', 'admin', 'auditor', 'key'),
  'get /api/compliance/report/{report_id}': organisation('owner', 'admin', 'auditor', 'key'),
  'post /api/compliance/export': organisation('owner', 'admin', 'auditor', 'key'),
  'get /api/compliance/statements': organisation('owner', 'admin', 'auditor', 'key'),
  'put /api/compliance/statements/{subject}': organisation('owner', 'admin'),
  'delete /api/compliance/statements/{subject}': organisation('owner', 'admin'),
  'get /api/health/receipts': organisation('owner', 'admin', 'auditor', 'clinician', 'key'),
  'get /api/health/receipts/export': organisation('owner', 'admin', 'auditor', 'clinician', 'key'),
  'get /api/health/receipts/{id}': organisation('owner', 'admin', 'auditor', 'clinician', 'key'),
  'post /api/health/receipts/{id}/verify': organisation('owner', 'admin', 'auditor', 'clinician', 'key'),
  'get /api/compliance/audit-trail': organisation('owner', 'admin', 'auditor', 'key'),
  'get /api/compliance/audit-logs': organisation('owner', 'admin', 'auditor', 'key'),
  'get /api/compliance/exports': organisation('owner', 'admin', 'auditor', 'key'),
  'get /api/compliance/bias-detection': organisation('owner', 'admin', 'auditor', 'key'),
  'get /api/settings/export': organisation('owner', 'admin', 'developer', 'auditor', 'clinician', 'key'),
  'get /api/settings/erasure': organisation('owner'),
  'post /api/settings/erasure': organisation('owner'),
  'delete /api/settings/erasure': organisation('owner'),
}

const DOOR_CODES = new Set([
  'session_required',
  'invalid_api_key',
  'invalid_credentials',
  'scope_required',
  'role_required',
  'origin_refused',
  'fresh_sign_in_required',
])

let service: Deployment
let organisationId: string
let keys: { manage: string; chat: string }
let routes: string[]

beforeAll(async () => {
  // No mail leaves: nothing listens there.
  const mail = { MAILER: 'http', MAILER_URL: 'http://127.0.0.1:9', MAIL_FROM: 'service@example.org' }
  service = await deploy({ sample: false, vars: { SIGNUP: 'open', ...mail }, secrets: { MAILER_KEY: 'k' } })
  const founded = await service.operate<{ id: string }>('POST', '/organisations', { name: 'A practice', tier: 'pro' })
  organisationId = founded.id
  const issue = async (scope: string) => {
    const wanted = { prefix: 'aqta_', name: 'A key', scopes: [scope] }
    return (await service.operate<{ key: string }>('POST', `/organisations/${organisationId}/keys`, wanted)).key
  }
  keys = { manage: await issue('manage'), chat: await issue('chat') }
  const response = await service.fetch('/v1/openapi.json')
  const { paths } = (await response.json()) as { paths: Record<string, Record<string, unknown>> }
  routes = Object.entries(paths).flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`))
})
afterAll(() => service.close())

async function headersOf(caller: Caller): Promise<Record<string, string>> {
  const named = { origin: service.url, 'x-aqta-organisation': organisationId }
  if (caller === 'signed out') return named
  if (caller === 'key that manages') return { ...named, authorization: `Bearer ${keys.manage}` }
  if (caller === 'key that chats') return { ...named, authorization: `Bearer ${keys.chat}` }
  if (caller === 'newcomer') return { ...named, ...(await signInAs(service, organisationId, null)).headers }
  if (caller !== 'stranger') return { ...named, ...(await signInAs(service, organisationId, caller)).headers }
  const other = await service.operate<{ id: string }>('POST', '/organisations', { name: 'Another practice' })
  return { ...named, ...(await signInAs(service, other.id, 'owner')).headers }
}

const ID_PREFIXES: Readonly<Record<string, string>> = {
  organisation_id: 'org_',
  person_id: 'usr_',
  key_id: 'key_',
  invitation_id: 'inv_',
  session_id: 'ses_',
  erasure_id: 'era_',
  approval_id: 'apr_',
}

/** An address of something that is not there. */
const addressOf = (path: string): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `${ID_PREFIXES[name] ?? ''}${randomUUID()}`)

/** Returns what the check of access answers, or null if the caller got past it. */
async function knock(route: string, caller: Caller, known?: Record<string, string>): Promise<string | null> {
  const [method = '', path = ''] = route.split(' ')
  const body = ['post', 'patch', 'put'].includes(method) ? { body: '{}' } : {}
  const json: Record<string, string> = 'body' in body ? { 'content-type': 'application/json' } : {}
  const headers = { ...(known ?? (await headersOf(caller))), ...json }
  const init = { method: method.toUpperCase(), headers, redirect: 'manual' as const, ...body }
  const text = await (await service.fetch(addressOf(path), init)).text()
  if (!text.startsWith('{"error"')) return null
  const { error } = JSON.parse(text) as { error: { code: string; param?: string } }
  const isOrganisationUnknown = error.code === 'not_found' && error.param === 'x-aqta-organisation'
  return isOrganisationUnknown || DOOR_CODES.has(error.code) ? error.code : null
}

describe('the routes under /api', () => {
  it('are all in the table, and no other is', () => {
    expect(Object.keys(DOORS).toSorted()).toEqual(routes.filter((route) => route.includes(' /api/')).toSorted())
  })

  it.each(Object.entries(DOORS))('%s', async (route, door) => {
    const found: Record<string, string | null> = {}
    for (const caller of CALLERS) found[caller] = await knock(route, caller)
    expect(found).toEqual(Object.fromEntries(CALLERS.map((caller) => [caller, door(caller)])))
  })
})

/** What an auditor may send besides GET, and why it changes nothing of the organisation’s calls, rules, keys or people. */
const OF_AUDITORS: Readonly<Record<string, string>> = {
  'post /api/compliance/report': 'makes a report of what is there',
  'post /api/compliance/export': 'makes the PDF of a report',
  'post /api/health/receipts/{id}/verify': 'checks a record',
  'post /api/members/invitations/accept': 'joins another organisation',
  'post /api/organisations': 'founds an organisation of one’s own',
  'put /api/notices': 'what one is mailed about',
  'put /api/views': 'one’s own views of lists',
  'post /api/auth/signup': 'one’s own account',
  'post /api/auth/verify-email': 'one’s own account',
  'post /api/auth/login': 'one’s own session',
  'post /api/auth/logout': 'one’s own session',
  'post /api/auth/oauth-signin': 'one’s own session',
  'post /api/auth/logout-everywhere': 'one’s own sessions',
  'delete /api/auth/sessions/{session_id}': 'one’s own session',
  'patch /api/auth/me': 'one’s own name',
  'post /api/auth/email': 'one’s own address',
  'post /api/auth/email/confirm': 'one’s own address',
  'post /api/auth/password': 'one’s own password',
  'post /api/auth/login/second-factor': 'one’s own session',
  'post /api/auth/passkeys/sign-in': 'one’s own session',
  'post /api/auth/passkeys/options': 'one’s own session',
  'post /api/auth/confirm': 'one’s own session',
  'delete /api/auth/factors/{factor_id}': 'one’s own factors',
  'post /api/auth/passkeys': 'one’s own factors',
  'patch /api/auth/passkeys/{passkey_id}': 'one’s own factors',
  'post /api/auth/totp': 'one’s own factors',
  'post /api/auth/totp/confirm': 'one’s own factors',
  'post /api/auth/recovery-codes': 'one’s own factors',
  'post /api/auth/password-reset': 'one’s own password',
  'post /api/auth/password-reset/confirm': 'one’s own password',
  'post /api/auth/factor-reset': 'one’s own factors',
  'post /api/auth/factor-reset/confirm': 'one’s own factors',
  'delete /api/auth/factor-reset': 'one’s own factors',
  'post /api/auth/erasure': 'one’s own account',
  'delete /api/auth/erasure': 'one’s own account',
}

/** What asks for a proof of the last 15 minutes. What only takes away does not: it is never held up. */
const PROVED = [
  'delete /api/auth/factors/{factor_id}',
  'delete /api/compliance/content',
  'delete /api/compliance/content/{attestation_id}',
  'delete /api/members/invitations/{invitation_id}',
  'delete /api/notifications',
  'get /api/compliance/audit-logs',
  'get /api/compliance/content/{attestation_id}',
  'get /api/health/receipts/export',
  'get /api/settings/export',
  'patch /api/keys/{key_id}',
  'patch /api/members/{person_id}',
  'patch /api/policies',
  'patch /api/settings',
  'post /api/auth/email',
  'post /api/auth/erasure',
  'post /api/auth/passkeys',
  'post /api/auth/password',
  'post /api/auth/recovery-codes',
  'post /api/auth/totp',
  'post /api/auth/totp/confirm',
  'post /api/compliance/export',
  'post /api/keys',
  'post /api/keys/{key_id}/rotate',
  'post /api/members/factor-resets/{person_id}',
  'post /api/members/factor-resets/{person_id}/agreement',
  'post /api/members/invitations',
  'post /api/notifications/rotate',
  'post /api/settings/erasure',
  'put /api/notifications',
  'put /api/policies',
]

describe('an owner who has signed in an hour ago', () => {
  it('is asked to confirm that it is them, before all of a list and nothing else', async () => {
    const asked: string[] = []
    for (const route of routes.filter((one) => isForSessions(one))) {
      // Some routes end the session.
      const { headers } = await signInAs(service, organisationId, 'owner', 3_600_000)
      const named = { ...headers, 'x-aqta-organisation': organisationId }
      if ((await knock(route, 'owner', named)) === 'fresh_sign_in_required') asked.push(route)
    }
    expect(asked.toSorted()).toEqual(PROVED)
  })
})

/** The doors that a session does not open: those of keys, of the operator, and of nobody. */
const isForSessions = (route: string): boolean => / \/api\/(?!operator\/)/.test(route)

describe('an auditor', () => {
  it('is refused by every operation that changes something, but for a list', async () => {
    const changing = routes.filter((route) => !route.startsWith('get ') && isForSessions(route))
    const allowed: string[] = []
    for (const route of changing) {
      const code = await knock(route, 'auditor')
      if (code === null) allowed.push(route)
      else expect([route, code]).toEqual([route, 'role_required'])
    }
    expect(allowed.toSorted()).toEqual(Object.keys(OF_AUDITORS).toSorted())
  })

  it('may leave, and removes nobody else', async () => {
    const auditor = await signInAs(service, organisationId, 'auditor')
    const other = await signInAs(service, organisationId, 'developer')
    const init = { method: 'DELETE', headers: auditor.headers }
    expect((await service.fetch(`/api/members/${other.personId}`, init)).status).toBe(403)
    expect((await service.fetch(`/api/members/${auditor.personId}`, init)).status).toBe(200)
  })
})

describe('two owners over the network', () => {
  it('who demote one another at once leave one', async () => {
    const founded = await service.operate<{ id: string }>('POST', '/organisations', { name: 'Two owners' })
    const one = await signInAs(service, founded.id, 'owner')
    const two = await signInAs(service, founded.id, 'owner')
    const demote = (by: typeof one, whom: typeof one) =>
      service.fetch(`/api/members/${whom.personId}`, {
        method: 'PATCH',
        headers: { ...by.headers, 'content-type': 'application/json' },
        body: '{"role":"developer"}',
      })
    const answers = await Promise.all([demote(one, two), demote(two, one)])
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const { DB } = await service.env()
    const owners = DB.prepare("SELECT person_id FROM members WHERE organisation_id = ? AND role = 'owner'")
    expect((await owners.bind(founded.id).all()).results).toHaveLength(1)
    const acts = (await service.ledger(founded.id)).filter(({ act }) => act === 'member.role')
    expect(acts).toHaveLength(1)
  })
})
