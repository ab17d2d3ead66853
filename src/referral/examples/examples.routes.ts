// GET /v1/examples.
import { keyedOperations } from '../../platform/operations.ts'
import { notModified, sendCacheable } from '../../platform/responses.ts'
import type { Api } from '../../platform/route.ts'
import type { RequireKey } from '../keyed.ts'
import { listExamples } from './examples.ts'
import { ExamplesResponseSchema } from './examples.schema.ts'

export function exampleRoutes(requireKey: RequireKey): Api {
  const { api, add } = keyedOperations(requireKey)
  let body: { examples: ReturnType<typeof listExamples> } | undefined
  add(
    {
      route: 'GET /v1/examples',
      operationId: 'listExamples',
      tags: ['Referral'],
      summary: 'List the invented example letters a sandbox key can read',
      security: [{ referralKey: [] }],
      answers: {
        200: [ExamplesResponseSchema, 'Each entry says which path it exercises and what to expect.'],
        304: notModified,
      },
    },
    async ({ c }) => {
      body ??= { examples: listExamples() }
      return sendCacheable(c, body, 'private, no-cache')
    },
  )
  return api
}
