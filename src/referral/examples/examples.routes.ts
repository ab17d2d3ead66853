// GET /v1/examples.
import { createRoute } from '@hono/zod-openapi'
import { errorResponses, KEYED_CODES, keyedJsonResponse, notModified, sendCacheable } from '../../platform/responses.ts'
import { createApi, mount, type Api } from '../../platform/route.ts'
import type { RequireKey } from '../keyed.ts'
import { listExamples } from './examples.ts'
import { ExamplesResponseSchema } from './examples.schema.ts'

const route = createRoute({
  method: 'get',
  path: '/v1/examples',
  operationId: 'listExamples',
  tags: ['Referral'],
  summary: 'List the invented example letters a sandbox key can read',
  security: [{ referralKey: [] }],
  responses: {
    200: keyedJsonResponse(ExamplesResponseSchema, 'Each entry says which path it exercises and what to expect.'),
    304: notModified,
    ...errorResponses(KEYED_CODES),
  },
})

export function exampleRoutes(requireKey: RequireKey): Api {
  const api = createApi()
  let body: { examples: ReturnType<typeof listExamples> } | undefined
  mount(
    api,
    route,
    async (c) => {
      await requireKey(c)
      body ??= { examples: listExamples() }
      return sendCacheable(c, body, 'private, no-cache')
    },
    { admit: requireKey },
  )
  return api
}
