// GET /readyz tells the operator what a deployment lacks, in every state of its settings.
import { operatorOperations } from './accounts/operator/operator-operations.ts'
import { readOperatorTokens, type ConfigError } from './platform/config.ts'
import { AppError } from './platform/errors.ts'
import { errorSchemaWith } from './platform/responses.ts'
import type { Api } from './platform/router.ts'
import type { Clock } from './platform/time.ts'
import { readinessMembers, ReadinessSchema } from './readiness.schema.ts'
import { lookAtReadiness } from './readiness.service.ts'

/** @param fault why the service did not start; null if it did */
export function readinessRoutes(env: Cloudflare.Env, clock: Clock, fault: ConfigError | null = null): Api {
  const { api, openapi } = operatorOperations(readOperatorTokens(env))
  openapi(
    {
      route: 'GET /readyz',
      operationId: 'checkReadiness',
      summary: 'Check the deployment',
      description:
        'Looks at settings, tables, storage, keys, figures, the public log and the daily upkeep: what was seen, what it blocks and what to do. Returns 503 while a check fails or cannot be made. Calls no provider.',
      answers: { 200: [ReadinessSchema, 'Nothing stops callers.'] },
      errorBodies: { service_unavailable: () => errorSchemaWith('NotReadyError', {}, readinessMembers()) },
    },
    async ({ c }) => {
      const requestId = c.get('requestId')
      const readiness = await lookAtReadiness(env, { fault, now: clock(), requestId })
      if (readiness.ready) return c.json(readiness)
      const failing = readiness.checks.filter(({ state }) => state === 'fail' || state === 'unknown')
      const message = `Not ready: ${failing.map(({ id }) => id).join(', ')}. Each check says what to do.`
      throw new AppError('service_unavailable', message, { beside: readiness })
    },
  )
  return api
}
