// What somebody who has not signed in sees of the routes of people: nothing without a session, nothing that changes anything
// from a foreign page, and not who has an account.
import { callCheck, differs, type Check, type CheckSource } from './check.ts'
import type { Call } from './deployment.ts'

const group = 'people'

/** At a name that nobody can have (RFC 2606), so that nobody is mailed; another in each run, as tries are counted. */
const NOBODY = `contract-check-${crypto.randomUUID()}@nobody.invalid`
const PASSWORD = 'an invented password of the contract check'

const SIGNED_OUT = ['/api/auth/me', '/api/auth/sessions', '/api/keys']

function post(path: string, body: object, headers: Readonly<Record<string, string>>): Call {
  const sent = { 'content-type': 'application/json', ...headers }
  return { method: 'POST', path, key: null, headers: sent, body: JSON.stringify(body) }
}

const setsNoCookie = ({ headers }: { headers: Headers }): readonly string[] =>
  headers.has('set-cookie') ? ['it sets a cookie'] : []

export const peopleChecks: CheckSource = ({ baseUrl }) => {
  const own = { origin: new URL(baseUrl).origin }
  const logIn = (headers: Readonly<Record<string, string>>): Call =>
    post('/api/auth/login', { email: NOBODY, password: PASSWORD }, headers)
  const refuse = (name: string, headers: Readonly<Record<string, string>>): Check =>
    callCheck({ group, name, expected: 'origin_refused', call: logIn(headers), examine: setsNoCookie })
  return [
    ...SIGNED_OUT.map((path) =>
      callCheck({ group, name: `signed out: GET ${path}`, expected: 'session_required', call: { path, key: null } }),
    ),
    callCheck({
      group,
      name: 'a session that nobody has',
      expected: 'session_required',
      call: { path: '/api/auth/me', key: null, headers: { cookie: `__Host-session=${'0'.repeat(43)}` } },
    }),
    refuse('sign-in without an origin', {}),
    refuse('sign-in from a foreign page', { origin: 'https://contract-check.invalid' }),
    refuse('sign-in from a sibling subdomain', { ...own, 'sec-fetch-site': 'same-site' }),
    callCheck({
      group,
      name: 'sign-in as a form',
      expected: 'unsupported_media_type',
      call: logIn({ ...own, 'content-type': 'text/plain' }),
    }),
    callCheck({
      group,
      name: 'sign-in of nobody',
      expected: 'invalid_credentials',
      call: logIn(own),
      examine: setsNoCookie,
    }),
    callCheck({
      group,
      name: 'a new password for nobody, answered as for anybody',
      expected: 202,
      call: post('/api/auth/password-reset', { email: NOBODY }, own),
    }),
    callCheck({
      group,
      name: 'a mailed link that nobody got',
      expected: 'invalid_request',
      call: post('/api/auth/verify-email', { token: '0'.repeat(43) }, own),
      examine: setsNoCookie,
    }),
    callCheck({
      group,
      name: 'signed out again',
      expected: 204,
      call: { method: 'POST', path: '/api/auth/logout', key: null, headers: own },
      examine: ({ headers }) => differs('clear-site-data', headers.get('clear-site-data'), '"cache", "storage"'),
    }),
  ]
}
