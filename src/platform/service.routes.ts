// Routes about the service itself: its OpenAPI document, and 503 for every request while its settings are wrong.
import { z } from '@hono/zod-openapi'
import { sendCacheable } from './responses.ts'
import { AppError } from './errors.ts'
import { renderErrorOrPage } from './render-error.ts'
import { publicOperations } from './operations.ts'
import { useRequestMiddleware } from './request.middleware.ts'
import { createApi, type Api } from './router.ts'

type Description = Parameters<Api['getOpenAPI31Document']>[0]

const bearer = (description: string) => ({ type: 'http' as const, scheme: 'bearer', description })

const SECURITY_SCHEMES = {
  referralKey: bearer('A key that starts vk_test_ (sandbox) or vk_live_, requested by e-mail from the operator.'),
  gatewayKey: bearer('A key of the gateway, which starts aqta_ or sk-aqta-.'),
  managementKey: bearer('A key of the gateway with the scope manage, for programs.'),
  session: {
    type: 'apiKey' as const,
    in: 'cookie',
    name: '__Host-session',
    description:
      'A person who has signed in. Everything but GET also needs `origin: ` the service’s own address, which browsers send by themselves.',
  },
  operatorToken: bearer('OPERATOR_TOKEN, for the operator’s own routes.'),
}

/** Adds GET /v1/openapi.json, which describes all routes of `app`. Call it after all other routes are added. */
export function addOpenApiRoute(app: Api, description: Description): void {
  for (const [name, scheme] of Object.entries(SECURITY_SCHEMES)) {
    app.openAPIRegistry.registerComponent('securitySchemes', name, scheme)
  }
  let document: object | undefined
  publicOperations({}, app).add(
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
    ({ c }) => {
      document ??= app.getOpenAPI31Document(description)
      return sendCacheable(c, document, 'public, max-age=300')
    },
  )
}

const MESSAGE = 'The service is not configured yet. Its operator finds the names of the missing settings in the log.'

/** Returns an app that answers every request with 503, in place of the service. */
export function createMisconfiguredApp(): Api {
  const app = createApi()
  useRequestMiddleware(app)
  app.notFound((c) => renderErrorOrPage(new AppError('service_unavailable', MESSAGE), c))
  return app
}
