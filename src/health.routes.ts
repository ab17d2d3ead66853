// GET /healthz: whether the Worker runs, and the dates of the figures it serves. No key is needed.
import { createRoute } from '@hono/zod-openapi'
import { HealthSchema, type ServedDates } from './health.schema.ts'
import { errorResponses, jsonResponse } from './platform/responses.ts'
import { createApi, mount, type Api } from './platform/route.ts'
import { TimeLimitError, withinTime } from './platform/clock.ts'

const checkHealth = createRoute({
  method: 'get',
  path: '/healthz',
  operationId: 'checkHealth',
  tags: ['Service'],
  security: [],
  summary: 'Whether the Worker runs, and the dates of the figures it serves',
  description: 'Storage is read only where the isolate has not looked for 30 seconds, and is not waited for long.',
  responses: { 200: jsonResponse(HealthSchema, 'It runs.'), ...errorResponses(['invalid_request', 'internal_error']) },
})

/** Whoever watches the Worker learns that it runs even while its storage hangs. */
const STORAGE_LIMIT_MS = 1000

/** @param servedDates rejects never; null where there are none to tell */
export function healthRoutes(servedDates: () => Promise<ServedDates | null>): Api {
  const api = createApi()
  mount(api, checkHealth, async (c) => {
    c.header('cache-control', 'no-store')
    return c.json({ status: 'ok', dataset: await withinTime(servedDates(), STORAGE_LIMIT_MS).catch(noneInTime) })
  })
  return api
}

function noneInTime(thrown: unknown): null {
  if (thrown instanceof TimeLimitError) return null
  throw thrown
}
