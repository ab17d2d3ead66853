// GET /healthz shows if settings, D1 and signing keys are in order, and the dates of the waiting-list figures that it serves. It needs no key.
import { degradedMembers, HealthSchema, type ServedDates } from './health.schema.ts'
import type { HealthService } from './health.service.ts'
import { publicOperations } from './platform/operations.ts'
import { AppError } from './platform/errors.ts'
import { errorSchemaWith } from './platform/responses.ts'
import type { ShownSoftware } from './platform/build.ts'
import type { Api } from './platform/router.ts'
import { TimeLimitError, withTimeLimit } from './platform/time.ts'

/** The longest wait for storage, so that a monitor learns that the Worker runs even while storage hangs. */
const STORAGE_LIMIT_MS = 1000

/** @param servedDates never rejects; null if there are none */
export function healthRoutes(
  servedDates: () => Promise<ServedDates | null>,
  { failingParts }: HealthService,
  software: ShownSoftware,
): Api {
  const { api, openapi } = publicOperations()
  openapi(
    {
      route: 'GET /healthz',
      operationId: 'checkHealth',
      tags: ['Service'],
      security: [],
      summary: 'Check the service',
      description:
        'Returns 200 while settings, D1 and the keys that sign are in order, and 503 with the parts that fail, as each isolate checks them once a minute. Has the dates of the figures served too, and which software answers.',
      answers: { 200: [HealthSchema, 'It can do its work.'] },
      errors: ['invalid_request', 'internal_error', 'service_unavailable'],
      errorBodies: { service_unavailable: () => errorSchemaWith('DegradedError', {}, degradedMembers()) },
    },
    async ({ c }) => {
      c.header('cache-control', 'no-store')
      const [parts, dataset] = await Promise.all([
        failingParts(),
        withTimeLimit(servedDates(), STORAGE_LIMIT_MS).catch(nullIfTimedOut),
      ])
      if (parts.length === 0) return c.json({ status: 'ok', dataset, software })
      const message = `Parts of the service fail: ${parts.join(', ')}. docs/check-deployment.md says what the operator does.`
      throw new AppError('service_unavailable', message, { beside: { status: 'degraded', parts, dataset, software } })
    },
  )
  return api
}

function nullIfTimedOut(thrown: unknown): null {
  if (thrown instanceof TimeLimitError) return null
  throw thrown
}
