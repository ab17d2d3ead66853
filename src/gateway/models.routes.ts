// GET /v1/models and /v1/models/{id}: lists the models that the organisation may use, by its tier and its enabled providers.
import * as z from 'zod'
import { once, type Infer } from '../platform/once.ts'
import { readBearerKey } from '../keys/bearer-key.ts'
import type { AdmissionWithoutModel } from '../organisation/admit/check-call.ts'
import type { ChatGate } from '../organisation/admit/chat-gate.ts'
import type { Pepper } from '../platform/config.ts'
import type { AppContext } from '../platform/context.ts'
import { selfAdmittingOperations } from '../platform/operations.ts'
import type { Api } from '../platform/router.ts'
import { PROVIDER_IDS } from '../providers/provider-registry.ts'
import { catalogueModels, findModel, type Model } from '../providers/model-catalogue.ts'
import { requireKeyToRead } from '../organisation/admit/require-key.ts'
import { refusalError } from '../organisation/refusal-errors.ts'
import { modelNotAllowed, modelNotFound } from './call/call-errors.ts'
import { decideModelAccess } from '../policies/tier.policy.ts'

const ModelSchema = once(() =>
  z
    .strictObject({
      id: z.string().meta({ example: 'gpt-4.1-mini' }),
      object: z.literal('model'),
      created: z.literal(0).meta({ description: 'Not known: always 0. Some clients require the member.' }),
      owned_by: z.string(),
      provider: z.enum(PROVIDER_IDS),
    })
    .meta({ id: 'Model' }),
)

export function modelRoutes({ gate, peppers }: { gate: ChatGate; peppers: readonly Pepper[] }): Api {
  const { api, openapi } = selfAdmittingOperations(requireKeyToRead(gate, peppers))

  async function admitted(c: AppContext): Promise<Extract<AdmissionWithoutModel, { outcome: 'admitted' }>> {
    const organisation = await gate.describe(c, readBearerKey(c, 'gateway', peppers))
    if (organisation.outcome !== 'admitted') throw refusalError(organisation)
    c.header('cache-control', 'no-store')
    return organisation
  }

  openapi(
    {
      route: 'GET /v1/models',
      operationId: 'listModels',
      tags: ['Gateway'],
      summary: 'List models',
      description: 'Lists the models that your organisation may use.',
      security: [{ gatewayKey: [] }],
      answers: {
        200: [
          () => z.strictObject({ object: z.literal('list'), data: z.array(ModelSchema()) }).meta({ id: 'ModelList' }),
          'The models of the tier, at the providers that are enabled.',
        ],
      },
    },
    async ({ c }) => {
      const organisation = await admitted(c)
      const allowed = offeredModels().filter((model) => decideModelAccess(organisation, model).allowed)
      return c.json({ object: 'list', data: allowed.map(presentModel) })
    },
  )

  openapi(
    {
      route: 'GET /v1/models/{id}',
      operationId: 'readModel',
      tags: ['Gateway'],
      summary: 'Get a model',
      description: 'Returns one model as it is in the list.',
      security: [{ gatewayKey: [] }],
      params: () => ({ id: z.string().meta({ example: 'gpt-4.1-mini' }) }),
      answers: { 200: [ModelSchema, 'A model that your organisation may use.'] },
      errors: ['model_not_allowed', 'model_not_found'],
      pattern: '/v1/models/:id{[\\s\\S]+}',
    },
    async ({ c }) => {
      const organisation = await admitted(c)
      const id = c.req.param('id') ?? ''
      const model = findModel(id)
      if (model === null || !model.gateway) throw modelNotFound(id)
      const access = decideModelAccess(organisation, model)
      if (!access.allowed) throw modelNotAllowed(access.reason)
      return c.json(presentModel(model))
    },
  )

  return api
}

const offeredModels = (): Model[] => catalogueModels().filter(({ gateway }) => gateway)

const presentModel = ({ id, ownedBy, provider }: Model): Infer<typeof ModelSchema> => ({
  id,
  object: 'model',
  created: 0,
  owned_by: ownedBy,
  provider,
})
