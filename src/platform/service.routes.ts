// Routes about the service itself: its OpenAPI document, and 503 for every request while its settings are wrong.
import * as z from './zod.ts'
import { AppError } from './errors.ts'
import { renderErrorOrPage } from './render-error.ts'
import { publicOperations } from './operations.ts'
import { useRequestMiddleware } from './request.middleware.ts'
import { createApi, type Api } from './router.ts'

/** Returns GET /v1/openapi.json. The document is a file that the build makes from all routes (scripts/document). */
export function documentRoutes(): Api {
  const { api, add } = publicOperations()
  add(
    {
      route: 'GET /v1/openapi.json',
      tags: ['Service'],
      security: [],
      operationId: 'describeApi',
      summary: 'This document',
      answers: {
        200: [z.looseObject({ openapi: z.literal('3.1.0') }), 'OpenAPI 3.1.'],
        304: { description: 'What the caller has is still current (If-None-Match).' },
      },
      errors: ['invalid_request', 'internal_error'],
    },
    async ({ c }) => {
      const known = c.req.header('if-none-match')
      const headers = known === undefined ? {} : { 'if-none-match': known }
      const file = await c.env.ASSETS.fetch(c.req.url, { headers })
      if (!file.ok && file.status !== 304) throw new Error('the OpenAPI document is not built')
      const etag = file.headers.get('etag')
      if (etag !== null) c.header('etag', etag)
      c.header('cache-control', 'public, max-age=300')
      if (file.status === 304 || file.body === null) return c.body(null, 304)
      return c.body(file.body, 200, { 'content-type': 'application/json' })
    },
  )
  return api
}

const MESSAGE = 'The service is not configured yet. Its operator finds the names of the missing settings in the log.'

/** Returns an app that answers every request with 503, in place of the service. */
export function createMisconfiguredApp(): Api {
  const app = createApi()
  useRequestMiddleware(app)
  app.notFound((c) => renderErrorOrPage(new AppError('service_unavailable', MESSAGE), c))
  return app
}
