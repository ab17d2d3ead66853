// What anyone can fetch without a key, and how browsers and caches are answered.
import { callCheck, differs, type Check, type CheckSource } from './check.ts'
import { memberOf } from './json.ts'
import { departures } from './shape-differences.ts'
import { HealthSchema } from './shapes.ts'

const group = 'documents'

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

const checks: readonly Check[] = [
  callCheck({
    group,
    name: '/healthz without a key: the dates of the figures served',
    expected: 200,
    call: { path: '/healthz', key: null },
    examine: async ({ json }, deployment) => {
      const misshapen = departures(HealthSchema, json)
      if (misshapen.length > 0) return misshapen
      const served = memberOf((await deployment.getOnce('/v1/specialties')).json, 'datasetVersion')
      return ['archiveDate', 'publishedOn'].flatMap((date) =>
        memberOf(json, 'dataset', date) === memberOf(served, date) ? [] : [`${date} is not that of /v1/specialties`],
      )
    },
  }),
  callCheck({
    group,
    name: '/v1/openapi.json without a key: OpenAPI 3.1 with every route',
    expected: 200,
    call: { path: '/v1/openapi.json', key: null },
    examine: ({ json }) => {
      const version = memberOf(json, 'openapi')
      return [
        ...(typeof version === 'string' && version.startsWith('3.1') ? [] : ['openapi is not 3.1']),
        ...DOCUMENTED.filter((path) => memberOf(json, 'paths', path) === undefined).map((path) => `${path} is missing`),
      ]
    },
  }),
  callCheck({
    group,
    name: 'HEAD of /v1/openapi.json: no body',
    expected: 200,
    call: { method: 'HEAD', path: '/v1/openapi.json', key: null },
    examine: ({ bytes }) => (bytes.length === 0 ? [] : ['there is a body']),
  }),
  callCheck({
    group,
    name: 'a browser may call /v1 from elsewhere, without cookies',
    expected: 204,
    call: {
      method: 'OPTIONS',
      path: '/v1/referral/read',
      key: null,
      headers: {
        origin: 'https://client.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type',
      },
    },
    examine: ({ headers }) => [
      ...(headers.get('access-control-allow-origin') === '*' ? [] : ['access-control-allow-origin is not *']),
      ...(headers.has('access-control-allow-credentials') ? ['credentials are allowed'] : []),
      ...differs('access-control-allow-methods', headers.get('access-control-allow-methods'), 'POST'),
    ],
  }),
  callCheck({
    group,
    name: '/v1/specialties again with its ETag: not sent twice',
    expected: 304,
    call: async (deployment) => {
      const etag = (await deployment.getOnce('/v1/specialties')).headers.get('etag')
      return { path: '/v1/specialties', headers: etag === null ? {} : { 'if-none-match': etag } }
    },
    examine: ({ bytes }) => (bytes.length === 0 ? [] : ['there is a body']),
  }),
]

export const documentChecks: CheckSource = () => checks
