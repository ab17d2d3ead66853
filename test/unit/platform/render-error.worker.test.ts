// A person who opens an address where the service fails sees a page with the request id; a program gets the JSON.
import { createExecutionContext, env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { createApp } from '../../../src/app.ts'
import { AppError, ERROR_TABLE, isErrorCode } from '../../../src/platform/errors.ts'
import { errorAnswer } from '../../../src/platform/render-error.ts'
import worker from '../../../src/worker.ts'

const POLICY = "default-src 'none'; script-src 'self'"
/** The policy of the Worker's own answers. */
const OWN_POLICY = "default-src 'none'; frame-ancestors 'none'"
const KEPT = `<p data-of="message">Words</p><p hidden data-shown="failure">Request <b data-of="request-id"></b></p>`

const assets = (answer: () => Promise<Response>) => ({ fetch: answer })
const serving = assets(async () =>
  Promise.resolve(
    new Response(KEPT, {
      headers: { 'content-type': 'text/html', etag: '"kept"', 'content-security-policy': POLICY },
    }),
  ),
)

const ask = (headers: Record<string, string>): Request<unknown, IncomingRequestCfProperties> =>
  new Request<unknown, IncomingRequestCfProperties>(`https://service.test/v1/files/${'0'.repeat(64)}`, {
    headers: { 'x-request-id': 'req-of-caller', ...headers },
  })

/** By a service whose settings are wrong. */
async function misconfigured(headers: Record<string, string>, pages: object = serving): Promise<Response> {
  const wrong = Object.assign({}, env, { ENVIRONMENT: 'staging', KEY_PEPPERS: '1:zz', ASSETS: pages })
  return worker.fetch(ask(headers), wrong, createExecutionContext())
}

it('a browser that opens it gets the page with what happened and the request id, under the policy of pages', async () => {
  const response = await misconfigured({ 'sec-fetch-dest': 'document' })
  expect(response.status).toBe(503)
  expect(response.headers.get('content-type')).toBe('text/html')
  expect(response.headers.get('content-security-policy')).toBe(POLICY)
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(response.headers.get('etag')).toBeNull()
  expect(response.headers.get('x-request-id')).toBe('req-of-caller')
  const page = await response.text()
  expect(page).toContain('not configured')
  expect(page).toContain('<p data-shown="failure">Request <b data-of="request-id">req-of-caller</b></p>')
})

it.each([
  ['a program', { accept: 'application/json' }, serving],
  ['a page’s own script', { 'sec-fetch-dest': 'empty' }, serving],
  [
    'a browser, where there are no pages',
    { 'sec-fetch-dest': 'document' },
    assets(async () => Promise.resolve(new Response('', { status: 404 }))),
  ],
  [
    'a browser, where pages fail too',
    { 'sec-fetch-dest': 'document' },
    assets(async () => Promise.reject(new Error('no assets'))),
  ],
])('%s gets the JSON', async (_, headers, pages) => {
  const response = await misconfigured(headers, pages)
  expect(response.status).toBe(503)
  expect(await response.json()).toMatchObject({ error: { code: 'service_unavailable', request_id: 'req-of-caller' } })
  expect(response.headers.get('content-security-policy')).toBe(OWN_POLICY)
})

it('tells a person nothing of what failed within', async () => {
  const broken = { get: () => Promise.reject(new Error('marked-fault')) }
  const failing = Object.assign({}, env, { FILES: broken, DATASETS: broken, ASSETS: serving })
  const app = createApp(failing)
  const response = await app.fetch(ask({ 'sec-fetch-dest': 'document' }), failing, createExecutionContext())
  expect(response.status).toBeGreaterThanOrEqual(500)
  const page = await response.text()
  expect(page).toContain('req-of-caller')
  expect(page).not.toContain('marked-fault')
})

it('answers 404 with the JSON where a browser asks for an address that does not exist, and pages fail', async () => {
  const failing = Object.assign({}, env, { ASSETS: assets(async () => Promise.reject(new Error('no assets'))) })
  const request = new Request('https://service.test/nowhere', { headers: { 'sec-fetch-dest': 'document' } })
  const response = await createApp(failing).fetch(request, failing, createExecutionContext())
  expect(response.status).toBe(404)
  expect(await response.json()).toMatchObject({ error: { code: 'not_found' } })
})

describe('in Anthropic’s form, an error', () => {
  const TYPES: Readonly<Record<number, string>> = {
    401: 'authentication_error',
    402: 'billing_error',
    403: 'permission_error',
    404: 'not_found_error',
    413: 'request_too_large',
    429: 'rate_limit_error',
    500: 'api_error',
    502: 'api_error',
    503: 'api_error',
    504: 'timeout_error',
  }
  const aqta = { status: 'blocked' }

  it.each(Object.keys(ERROR_TABLE).filter(isErrorCode))('%s has its type, its details and its retry', (code) => {
    const details = { param: 'model', members: { aqta, policy: 'pii_scan' }, beside: { aqta } }
    const { status } = ERROR_TABLE[code]
    const answer = errorAnswer(new AppError(code, 'Words.', details), 'req_1', 'messages')
    const told = { error_code: code, param: 'model', policy: 'pii_scan' }
    const error = { type: TYPES[status] ?? 'invalid_request_error', message: 'Words.', code, details: told }
    expect(answer).toMatchObject({ status, body: { type: 'error', error, request_id: 'req_1', aqta } })
    expect(answer.body).not.toHaveProperty('error.details.aqta')
    expect(answer.headers).toMatchObject(status < 500 ? { 'x-should-retry': 'false' } : {})
  })

  it.each([
    ['prompt_too_long', 'payload_too_large', 400, 'invalid_request_error', 'prompt is too long: Words.'],
    ['prompt_too_long', 'invalid_request', 400, 'invalid_request_error', 'prompt is too long: Words.'],
    ['overloaded', 'service_unavailable', 529, 'overloaded_error', 'Words.'],
    [undefined, 'rate_limit_exceeded', 429, 'rate_limit_error', 'Words.'],
  ] as const)('that is %s of %s is told by its status and its words', (special, code, status, type, message) => {
    const details = { retryAfterSeconds: 7, ...(special && { special }) }
    const answer = errorAnswer(new AppError(code, 'Words.', details), 'req_1', 'messages')
    expect(answer).toMatchObject({ status, body: { error: { type, message, details: { retry_after: 7 } } } })
    expect(answer.headers).toMatchObject({ 'retry-after': '7', 'retry-after-ms': '7000' })
    expect(answer.headers).not.toHaveProperty('x-should-retry')
  })
})
