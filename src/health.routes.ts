// GET /healthz shows that the Worker runs, and the dates of the waiting-list figures that it serves. It needs no key.
import { HealthSchema, type ServedDates } from './health.schema.ts'
import { publicOperations } from './platform/operations.ts'
import type { Api } from './platform/router.ts'
import { TimeLimitError, withTimeLimit } from './platform/time.ts'

/** The longest wait for storage, so that a monitor learns that the Worker runs even while storage hangs. */
const STORAGE_LIMIT_MS = 1000

/** @param servedDates never rejects; null if there are none */
export function healthRoutes(servedDates: () => Promise<ServedDates | null>): Api {
  const { api, openapi } = publicOperations()
  openapi(
    {
      route: 'GET /healthz',
      operationId: 'checkHealth',
      tags: ['Service'],
      security: [],
      summary: 'Check the service',
      description:
        'Returns whether the Worker runs, and the dates of the figures it serves. Storage is read only where the isolate has not looked for 30 seconds, and is not waited for long.',
      answers: { 200: [HealthSchema, 'It runs.'] },
      errors: ['invalid_request', 'internal_error'],
    },
    async ({ c }) => {
      c.header('cache-control', 'no-store')
      return c.json({
        status: 'ok',
        dataset: await withTimeLimit(servedDates(), STORAGE_LIMIT_MS).catch(nullIfTimedOut),
      })
    },
  )
  return api
}

function nullIfTimedOut(thrown: unknown): null {
  if (thrown instanceof TimeLimitError) return null
  throw thrown
}
