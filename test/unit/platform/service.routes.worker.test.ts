// A service with wrong settings answers as every answer of it does: an envelope, its headers, and for browsers too.
import { createExecutionContext, env } from 'cloudflare:test'
import { expect, it } from 'vitest'
import worker from '../../../src/worker.ts'

const HEADERS = ['server-timing', 'strict-transport-security', 'x-content-type-options', 'referrer-policy']

it.each(['/v1/models', '/v1/nothing', '/models', '/api/auth/me', '/healthz'])(
  '%s is 503 with all that every answer has',
  async (path) => {
    const headers = { 'x-request-id': 'req-of-caller' }
    const request = new Request<unknown, IncomingRequestCfProperties>(`https://service.test${path}`, { headers })
    const wrong = Object.assign({}, env, { ENVIRONMENT: 'staging', KEY_PEPPERS: '1:zz' })
    const response = await worker.fetch(request, wrong, createExecutionContext())
    expect(response.status).toBe(503)
    const health = {
      status: 'degraded',
      parts: ['settings'],
      dataset: null,
      software: { version: expect.stringMatching(/^\d/) as string, source_sha256: null, worker_id: null },
    }
    expect(await response.json()).toEqual({
      ...(path === '/healthz' && health),
      error: {
        code: 'service_unavailable',
        type: 'api_error',
        message: expect.stringContaining('not configured') as string,
        request_id: 'req-of-caller',
      },
    })
    expect(response.headers.get('x-request-id')).toBe('req-of-caller')
    expect(HEADERS.filter((name) => !response.headers.has(name))).toEqual([])
    const mayLoad = path.startsWith('/api/') ? 'same-origin' : 'cross-origin'
    expect(response.headers.get('cross-origin-resource-policy')).toBe(mayLoad)
    expect(response.headers.get('access-control-allow-origin')).toBe(/^\/(v1|models)/.test(path) ? '*' : null)
  },
)

it.each(['/', '/reference', '/verify'])('%s is shown as the build made it', async (path) => {
  const wrong = Object.assign({}, env, { KEY_PEPPERS: undefined })
  const request = new Request<unknown, IncomingRequestCfProperties>(`https://service.test${path}`)
  const response = await worker.fetch(request, wrong, createExecutionContext())
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  if (path !== '/verify') expect(await response.text()).toContain('because the service is not configured')
})

it('names the wrong settings and the remedy where the service is this machine’s', async () => {
  const wrong = Object.assign({}, env, { KEY_PEPPERS: undefined })
  const request = new Request<unknown, IncomingRequestCfProperties>('https://service.test/healthz')
  const response = await worker.fetch(request, wrong, createExecutionContext())
  expect(await response.json()).toMatchObject({
    error: {
      message: expect.stringMatching(/Missing or malformed in \.dev\.vars: KEY_PEPPERS\. .+ run npm start/) as string,
    },
  })
})
