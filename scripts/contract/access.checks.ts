// Contract checks of access: public documents, keys, sign-in and management without an account, paths and methods, and the rate
// limit. Creates no organisation and mails nobody.
import { randomUUID } from 'node:crypto'
import {
  checksOf,
  describeAnswer,
  valueDifferences,
  errorDifferences,
  messageOf,
  type CheckSource,
  type Expected,
  type CheckOutcome,
  type CheckRow,
} from './contract-check.ts'
import type { Answer, Call, Deployment } from './deployment.ts'
import { schemaDifferences, memberOf } from './json-answers.ts'
import { INVENTED_WORD, postCall, readCall, UNKNOWN_LETTER } from './read.checks.ts'
import { HealthSchema } from './response-schemas.ts'

const DOCUMENTED = [
  '/v1/specialties',
  '/v1/waiting-lists',
  '/v1/referral/read',
  '/v1/examples',
  '/v1/openapi.json',
  '/v1/files/{sha256}',
  '/v1/datasets',
  '/api/auth/signup',
  '/api/auth/login',
  '/api/auth/oauth-signin',
  '/api/auth/logout',
  '/api/auth/me',
  '/api/keys',
  '/api/keys/{key_id}',
  '/api/settings/export',
]

const withoutKey = (path: string, headers: Record<string, string> = {}): Call => ({ path, key: null, headers })
const preflight = {
  origin: 'https://client.example',
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'authorization,content-type',
}
const hasNoBody = ({ bytes }: Answer): readonly string[] => (bytes.length === 0 ? [] : ['there is a body'])

export const documentChecks: CheckSource = () =>
  checksOf('documents', [
    [
      '/healthz without a key: the dates of the figures served',
      200,
      withoutKey('/healthz'),
      async ({ json }, deployment) => {
        const misshapen = schemaDifferences(HealthSchema, json)
        if (misshapen.length > 0) return misshapen
        const served = memberOf((await deployment.getOnce('/v1/specialties')).json, 'datasetVersion')
        return ['archiveDate', 'publishedOn'].flatMap((date) =>
          memberOf(json, 'dataset', date) === memberOf(served, date) ? [] : [`${date} is not that of /v1/specialties`],
        )
      },
    ],
    [
      '/v1/openapi.json without a key: OpenAPI 3.1 with every route',
      200,
      withoutKey('/v1/openapi.json'),
      ({ json }) => {
        const version = memberOf(json, 'openapi')
        return [
          ...(typeof version === 'string' && version.startsWith('3.1') ? [] : ['openapi is not 3.1']),
          ...DOCUMENTED.filter((path) => memberOf(json, 'paths', path) === undefined).map(
            (path) => `${path} is missing`,
          ),
        ]
      },
    ],
    [
      '/v1/public/transparency/checkpoint without a key: the log has a name of its own',
      200,
      withoutKey('/v1/public/transparency/checkpoint'),
      ({ text }) => {
        const name = text.split('\n')[0] ?? ''
        return /\.(example|invalid|test)(:\d+)?\//.test(name)
          ? [`${name} is a placeholder: set PUBLIC_ORIGIN in wrangler.toml before anybody relies on the log`]
          : []
      },
    ],
    ['HEAD of /v1/openapi.json: no body', 200, { method: 'HEAD', ...withoutKey('/v1/openapi.json') }, hasNoBody],
    [
      'a browser may call /v1 from elsewhere, without cookies',
      204,
      { method: 'OPTIONS', ...withoutKey('/v1/referral/read', preflight) },
      ({ headers }) => [
        ...(headers.get('access-control-allow-origin') === '*' ? [] : ['access-control-allow-origin is not *']),
        ...(headers.has('access-control-allow-credentials') ? ['credentials are allowed'] : []),
        ...valueDifferences('access-control-allow-methods', headers.get('access-control-allow-methods'), 'POST'),
      ],
    ],
    [
      '/v1/specialties again with its ETag: not sent twice',
      304,
      async (deployment) => {
        const etag = (await deployment.getOnce('/v1/specialties')).headers.get('etag')
        return { path: '/v1/specialties', headers: etag === null ? {} : { 'if-none-match': etag } }
      },
      hasNoBody,
    ],
  ])

const KEYED_CALLS: readonly Call[] = [
  { path: '/v1/specialties' },
  { path: '/v1/waiting-lists?specialty=Cardiology' },
  { path: '/v1/examples' },
  { path: '/v1/datasets' },
  readCall({ text: UNKNOWN_LETTER }),
]

function wrongKeys(key: string): Readonly<Record<string, string>> {
  const lastLetter = key.endsWith('a') ? 'b' : 'a'
  return {
    'a made-up key': 'vk_test_0000000000',
    'the key with its last letter changed': key.slice(0, -1) + lastLetter,
    'the key cut short': key.slice(0, -1),
    'the key with a letter too many': `${key}0`,
    'the key as one of the gateway': key.replace('vk_test_', 'aqta_'),
    'the key as a live one': key.replace('vk_test_', 'vk_live_'),
  }
}

const wrongKey = (name: string, call: Call): CheckRow => [name, 'invalid_api_key', call]

/** Checks that a missing or wrong key is 401 on every keyed route, whatever else is wrong with the call. */
export const keyChecks: CheckSource = ({ key }) => {
  return checksOf('keys', [
    ...KEYED_CALLS.map((call): CheckRow => [
      `no key: ${call.method ?? 'GET'} ${call.path.split('?')[0] ?? ''}`,
      'invalid_api_key',
      { ...call, key: null },
      (answer) =>
        /e-?mail/i.test(messageOf(answer)) ? [] : ['error.message does not say that keys are requested by e-mail'],
    ]),
    ...Object.entries(wrongKeys(key)).map(([name, wrong]) => wrongKey(name, { path: '/v1/specialties', key: wrong })),
    wrongKey('the key under another scheme', withoutKey('/v1/specialties', { authorization: `Basic ${key}` })),
    wrongKey('no key outranks a body that is not JSON', { ...postCall('{'), key: null }),
    wrongKey('no key outranks a body that is too large', { ...postCall(' '.repeat(65_537)), key: null }),
    ['the header spelled Authorisation', 200, withoutKey('/v1/specialties', { authorisation: `Bearer ${key}` })],
  ])
}

/** Routes for a signed-in person or a key with the scope `manage`. */
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
  ...withoutKey(path, { 'content-type': 'application/json', ...headers }),
  body: JSON.stringify(body),
})

/** Checks that a refusal sets no cookie, is not cached, and cannot be read by a page of another origin. */
const accessLeaks = ({ headers }: Answer): readonly string[] => [
  ...(headers.has('set-cookie') ? ['it sets a cookie'] : []),
  ...(headers.has('access-control-allow-origin') ? ['it lets pages elsewhere read it'] : []),
  ...(headers.get('cache-control') === 'no-store' ? [] : ['it may be kept by a cache (no cache-control: no-store)']),
]

const rowWithLeakCheck = (name: string, expected: Expected, call: Call): CheckRow => [name, expected, call, accessLeaks]

/** Checks that no answer reveals who has an account. */
export const accountChecks: CheckSource = ({ origin, key }) => {
  const elsewhere = { origin: 'https://elsewhere.example' }
  const nobody = { email: `nobody-${randomUUID()}@contract.invalid`, password: 'a password of nobody at all' }
  const login = (headers: Readonly<Record<string, string>>): Call => post('/api/auth/login', nobody, headers)
  return checksOf('accounts', [
    rowWithLeakCheck('who am I, signed out', 'session_required', withoutKey('/api/auth/me')),
    rowWithLeakCheck(
      'a made-up session',
      'session_required',
      withoutKey('/api/auth/me', { cookie: `__Host-session=${'A'.repeat(43)}` }),
    ),
    ...MANAGEMENT.map((path) => rowWithLeakCheck(`${path}, signed out`, 'session_required', withoutKey(path))),
    ...MANAGEMENT.map((path) =>
      rowWithLeakCheck(`${path}, with a key of the other service`, 'invalid_api_key', { path, key }),
    ),
    ...WRITES.map(([method, path, body]) =>
      rowWithLeakCheck(`${method} ${path}, signed out`, 'session_required', post(path, body, { origin }, method)),
    ),
    ...WRITES.map(([method, path, body]) =>
      rowWithLeakCheck(`${method} ${path}, from another page`, 'origin_refused', post(path, body, elsewhere, method)),
    ),
    rowWithLeakCheck('signing in, without an origin', 'origin_refused', login({})),
    rowWithLeakCheck('signing in, from another page', 'origin_refused', login(elsewhere)),
    rowWithLeakCheck(
      'signing in, from a sibling subdomain',
      'origin_refused',
      login({ origin, 'sec-fetch-site': 'same-site' }),
    ),
    rowWithLeakCheck(
      'signing in, by a form',
      'unsupported_media_type',
      login({ origin, 'content-type': 'text/plain' }),
    ),
    rowWithLeakCheck('signing in as nobody', 'invalid_credentials', login({ origin })),
    rowWithLeakCheck(
      'a new password for nobody: answered as for everybody',
      202,
      post('/api/auth/password-reset', { email: nobody.email }, { origin }),
    ),
    rowWithLeakCheck(
      'a mailed link that nobody was sent',
      'invalid_request',
      post('/api/auth/verify-email', { token: 'A'.repeat(43) }, { origin }),
    ),
    rowWithLeakCheck(
      'an identity provider that there is none of',
      'invalid_request',
      post('/api/auth/oauth-signin', { provider: 'nobody' }, { origin }),
    ),
    [
      'signing out, where nobody is signed in',
      204,
      { method: 'POST', ...withoutKey('/api/auth/logout', { origin }) },
      ({ headers }) => valueDifferences('clear-site-data', headers.get('clear-site-data'), '"cache", "storage"'),
    ],
    [
      'an erasure that there is none of',
      'not_found',
      withoutKey('/v1/erasures/era_00000000-0000-7000-8000-000000000000'),
    ],
  ])
}

const wrongMethod = (method: string, path: string, allowed: string): CheckRow => [
  `${method} ${path}`,
  'method_not_allowed',
  { method, path },
  ({ headers }) =>
    (headers.get('allow') ?? '').split(/\s*,\s*/).includes(allowed)
      ? []
      : [`the allow header does not name ${allowed}`],
]

export const pathChecks: CheckSource = () =>
  checksOf('paths and methods', [
    ['a path that does not exist', 'not_found', { path: `/v1/${INVENTED_WORD}` }],
    wrongMethod('GET', '/v1/referral/read', 'POST'),
    wrongMethod('DELETE', '/v1/specialties', 'GET'),
    [
      "the caller's own request id is kept",
      200,
      withoutKey('/healthz', { 'x-request-id': 'contract-check.0001' }),
      ({ headers }) => valueDifferences('x-request-id', headers.get('x-request-id'), 'contract-check.0001'),
    ],
    [
      'a request id of 1,000 letters is replaced',
      200,
      withoutKey('/healthz', { 'x-request-id': 'a'.repeat(1000) }),
      ({ headers }) => ((headers.get('x-request-id') ?? '').length <= 128 ? [] : ['it was not replaced']),
    ],
  ])

const MOST_CALLS = 200
const AT_ONCE = 10

/** Sends calls with a key until one is refused. Returns a CheckOutcome if 200 calls cannot use up the key's limit. */
async function flood(deployment: Deployment, limitedKey: string): Promise<Answer | CheckOutcome> {
  const call = { path: '/v1/specialties', key: limitedKey }
  const first = await deployment.send(call)
  if (first.status === 429) return first
  const limit = Number(first.headers.get('x-ratelimit-limit'))
  if (!(limit >= 1 && limit < MOST_CALLS)) {
    return { got: `a limit of ${limit}`, differences: [`the key's limit is not from 1 to ${MOST_CALLS - 1} calls`] }
  }
  let last = first
  for (let made = 1; made <= limit + AT_ONCE; made += AT_ONCE) {
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => deployment.send(call)))
    const refused = answers.find(({ status }) => status === 429)
    if (refused !== undefined) return refused
    last = answers.at(-1) ?? last
  }
  return last
}

function refusalDifferences(answer: Answer): readonly string[] {
  const retryAfter = Number(answer.headers.get('retry-after'))
  const retryAfterMs = Number(answer.headers.get('retry-after-ms'))
  const isWhole = Number.isInteger(retryAfter) && retryAfter >= 1
  return [
    ...errorDifferences(answer, 'rate_limit_exceeded'),
    ...(isWhole ? [] : ['retry-after is not a whole number of seconds from 1 up']),
    ...valueDifferences('error.retry_after', memberOf(answer.json, 'error', 'retry_after'), retryAfter),
    ...(retryAfterMs > 0 && retryAfterMs <= retryAfter * 1000 ? [] : ['retry-after-ms differs from retry-after']),
    ...valueDifferences('x-ratelimit-remaining', answer.headers.get('x-ratelimit-remaining'), '0'),
  ]
}

/** Checks one 429, with a key whose limit may be used up. */
export const rateLimitChecks =
  (limitedKey: string): CheckSource =>
  (deployment) => [
    {
      group: 'rate limit',
      name: 'a flood is refused, and told when to come back',
      expected: '429 rate_limit_exceeded',
      run: async () => {
        const answer = await flood(deployment, limitedKey)
        if ('differences' in answer) return answer
        const got = describeAnswer(answer)
        return { got, differences: answer.status === 429 ? refusalDifferences(answer) : ['no call was refused'] }
      },
    },
  ]
