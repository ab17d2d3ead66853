// Addresses and methods the service does not have, and the request id a caller may choose.
import { callCheck, differs, type Check, type CheckSource } from './check.ts'
import { MARK } from './letters.ts'

const group = 'paths and methods'

const wrongMethod = (method: string, path: string, allowed: string): Check =>
  callCheck({
    group,
    name: `${method} ${path}`,
    expected: 'method_not_allowed',
    call: { method, path },
    examine: ({ headers }) =>
      (headers.get('allow') ?? '').split(/\s*,\s*/).includes(allowed)
        ? []
        : [`the allow header does not name ${allowed}`],
  })

const checks: readonly Check[] = [
  callCheck({ group, name: 'a path that does not exist', expected: 'not_found', call: { path: `/v1/${MARK}` } }),
  wrongMethod('GET', '/v1/referral/read', 'POST'),
  wrongMethod('DELETE', '/v1/specialties', 'GET'),
  callCheck({
    group,
    name: "the caller's own request id is kept",
    expected: 200,
    call: { path: '/healthz', key: null, headers: { 'x-request-id': 'contract-check.0001' } },
    examine: ({ headers }) => differs('x-request-id', headers.get('x-request-id'), 'contract-check.0001'),
  }),
  callCheck({
    group,
    name: 'a request id of 1,000 letters is replaced',
    expected: 200,
    call: { path: '/healthz', key: null, headers: { 'x-request-id': 'a'.repeat(1000) } },
    examine: ({ headers }) => ((headers.get('x-request-id') ?? '').length <= 128 ? [] : ['it was kept']),
  }),
]

export const pathChecks: CheckSource = () => checks
