// GET /v1/models: what the key's organisation may use, by its tier and its enabled providers.
import { createRoute, z } from '@hono/zod-openapi'
import { bearerKey } from '../keys/bearer.ts'
import type { ChatGate } from '../organisation/chat-gate.ts'
import { errorResponses } from '../platform/error.schema.ts'
import type { Pepper } from '../platform/config.ts'
import { keyedJsonResponse } from '../platform/responses.ts'
import { createApi, mount, type Api } from '../platform/route.ts'
import { decideModelAccess } from '../policies/model-access.policy.ts'
import { PROVIDERS } from '../policies/organisation-settings.ts'
import { catalogueModels } from '../providers/catalogue.ts'
import type { Model } from '../providers/catalogue.schema.ts'
import { admitLook } from './admit-unread.ts'
import { refusalError } from './call/call-refusals.ts'

const ModelSchema = z
  .strictObject({
    id: z.string().openapi({ example: 'gpt-4.1-mini' }),
    object: z.literal('model'),
    created: z.literal(0).openapi({ description: 'Not known. Here because some clients cannot do without it.' }),
    owned_by: z.string(),
    provider: z.enum(PROVIDERS),
  })
  .openapi('Model')

const listModels = createRoute({
  method: 'get',
  path: '/v1/models',
  operationId: 'listModels',
  tags: ['Gateway'],
  summary: 'List the models your organisation may use',
  security: [{ gatewayKey: [] }],
  responses: {
    200: keyedJsonResponse(
      z.strictObject({ object: z.literal('list'), data: z.array(ModelSchema) }).openapi('ModelList'),
      'The models of the tier, at the providers that are enabled.',
    ),
    ...errorResponses([
      'invalid_request',
      'invalid_api_key',
      'scope_required',
      'rate_limit_exceeded',
      'service_unavailable',
      'internal_error',
    ]),
  },
})

export function modelRoutes({ gate, peppers }: { gate: ChatGate; peppers: readonly Pepper[] }): Api {
  const api = createApi()
  mount(
    api,
    listModels,
    async (c) => {
      const organisation = await gate.describe(c, bearerKey(c, 'gateway', peppers))
      if (organisation.outcome !== 'admitted') throw refusalError(organisation)
      const allowed = catalogueModels().filter(
        (model) => model.gateway && decideModelAccess(organisation, model).allowed,
      )
      c.header('cache-control', 'no-store')
      return c.json({ object: 'list', data: allowed.map(presentModel) })
    },
    { admit: admitLook(gate, peppers) },
  )
  return api
}

const presentModel = ({ id, ownedBy, provider }: Model): z.infer<typeof ModelSchema> => ({
  id,
  object: 'model',
  created: 0,
  owned_by: ownedBy,
  provider,
})
