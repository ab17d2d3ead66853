// What somebody without an account can see of sign-in and of the management routes: nobody gets in, nothing is changed from
// elsewhere, and no answer tells who has an account. Nothing is founded and no mail is sent to anybody.
import { randomUUID } from 'node:crypto'
import { callCheck, differs, type Check, type CheckSource } from './check.ts'
import type { Answer, Call } from './deployment.ts'

const group = 'accounts'

/** What answers only to somebody who has signed in, or to a key that may manage. */
const MANAGEMENT = ['/api/keys', '/api/members', '/api/members/invitations', '/api/settings', '/api/settings/export']

const WRITES: readonly (readonly [method: string, path: string, body: object])[] = [
  ['POST', '/api/keys', { name: 'Contract check' }],
  ['POST', '/api/members/invitations', { email: 'nobody@contract.invalid', role: 'auditor' }],
  ['PATCH', '/api/settings', { monthly_budget_eur: 1 }],
  ['POST', '/api/settings/erasure', { name: 'Contract check' }],
  ['POST', '/api/auth/logout-everywhere', {}],
]

const post = (path: string, body: object, headers: Readonly<Record<string, string>>, method = 'POST'): Call => ({
  method,
  path,
  key: null,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
})

/** Nobody is signed in by an answer that refuses, and no page elsewhere may read one. */
const keepsOut = ({ headers }: Answer): readonly string[] => [
  ...(headers.has('set-cookie') ? ['it sets a cookie'] : []),
  ...(headers.has('access-control-allow-origin') ? ['it lets pages elsewhere read it'] : []),
  ...(headers.get('cache-control') === 'no-store' ? [] : ['it may be kept by a cache (no cache-control: no-store)']),
]

const refused = (name: string, expected: Parameters<typeof callCheck>[0]['expected'], call: Call): Check =>
  callCheck({ group, name, expected, call, examine: keepsOut })

export const accountChecks: CheckSource = ({ baseUrl, key }) => {
  const { origin } = new URL(baseUrl)
  const nobody = { email: `nobody-${randomUUID()}@contract.invalid`, password: 'a password of nobody at all' }
  const login = (headers: Readonly<Record<string, string>>): Call => post('/api/auth/login', nobody, headers)
  return [
    refused('who am I, signed out', 'session_required', { path: '/api/auth/me', key: null }),
    refused('a made-up session', 'session_required', {
      path: '/api/auth/me',
      key: null,
      headers: { cookie: `__Host-session=${'A'.repeat(43)}` },
    }),
    ...MANAGEMENT.map((path) => refused(`${path}, signed out`, 'session_required', { path, key: null })),
    ...MANAGEMENT.map((path) => refused(`${path}, with a key of the other service`, 'invalid_api_key', { path, key })),
    ...WRITES.map(([method, path, body]) =>
      refused(`${method} ${path}, signed out`, 'session_required', post(path, body, { origin }, method)),
    ),
    ...WRITES.map(([method, path, body]) =>
      refused(
        `${method} ${path}, from another page`,
        'origin_refused',
        post(path, body, { origin: 'https://elsewhere.example' }, method),
      ),
    ),
    refused('signing in, without an origin', 'origin_refused', login({})),
    refused('signing in, from another page', 'origin_refused', login({ origin: 'https://elsewhere.example' })),
    refused('signing in, from a sibling subdomain', 'origin_refused', login({ origin, 'sec-fetch-site': 'same-site' })),
    refused('signing in, by a form', 'unsupported_media_type', {
      ...login({ origin }),
      headers: { origin, 'content-type': 'text/plain' },
    }),
    refused('signing in as nobody', 'invalid_credentials', login({ origin })),
    callCheck({
      group,
      name: 'a new password for nobody: answered as for everybody',
      expected: 202,
      call: post('/api/auth/password-reset', { email: nobody.email }, { origin }),
      examine: keepsOut,
    }),
    refused(
      'a mailed link that nobody was sent',
      'invalid_request',
      post('/api/auth/verify-email', { token: 'A'.repeat(43) }, { origin }),
    ),
    refused(
      'an identity provider that there is none of',
      'invalid_request',
      post('/api/auth/oauth-signin', { provider: 'nobody' }, { origin }),
    ),
    callCheck({
      group,
      name: 'signing out, where nobody is signed in',
      expected: 204,
      call: { method: 'POST', path: '/api/auth/logout', key: null, headers: { origin } },
      examine: ({ headers }) => differs('clear-site-data', headers.get('clear-site-data'), '"cache", "storage"'),
    }),
    callCheck({
      group,
      name: 'an erasure that there is none of',
      expected: 'not_found',
      call: { path: '/v1/erasures/era_00000000-0000-7000-8000-000000000000', key: null },
    }),
  ]
}
