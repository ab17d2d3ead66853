// GET /v1/models and /v1/models/{id}: lists the models that the organisation may use, by its tier and its enabled providers, with
// their life cycle and the regions that their routes allow.
import * as z from 'zod'
import { once, type Infer } from '../platform/once.ts'
import { readBearerKey } from '../keys/bearer-key.ts'
import type { AdmissionWithoutModel } from '../organisation/admit/check-call.ts'
import type { ChatGate } from '../organisation/admit/chat-gate.ts'
import type { Pepper } from '../platform/config.ts'
import { setHeaders, type AppContext } from '../platform/context.ts'
import { ErrorSchema, KEY_ERROR_CODES, MessagesErrorSchema, RATE_HEADERS } from '../platform/responses.ts'
import { orNull } from '../platform/names.schema.ts'
import { errorFormOf } from '../platform/render-error.ts'
import { selfAdmittingOperations } from '../platform/operations.ts'
import type { Api } from '../platform/router.ts'
import { PROVIDER_IDS } from '../providers/provider-registry.ts'
import { LIFECYCLE_STATUSES } from '../providers/catalogue.schema.ts'
import { DATA_REGIONS, isWithin } from '../platform/data-region.ts'
import type { EndpointsSettings } from '../providers/endpoint-settings.ts'
import { catalogueModels, findModel, findRoutes, resolveModelName, type Model } from '../providers/model-catalogue.ts'
import { requireKeyToRead } from '../organisation/admit/require-key.ts'
import { refusalError } from '../organisation/refusal-errors.ts'
import {
  DataRegionHeaderSchema,
  LIFECYCLE_HEADERS,
  lifecycleHeaders,
  MODEL_HEADER,
  readDataRegion,
} from './call/call-headers.ts'
import { modelNotAllowed, modelNotFound } from './call/call-errors.ts'
import { modelHeader } from './call/trace.ts'
import type { OrganisationSettings } from '../policies/organisation-settings.ts'
import { decideModelAccess } from '../policies/tier.policy.ts'

const ModelSchema = once(() =>
  z
    .strictObject({
      id: z.string().meta({ example: 'gpt-4.1-mini' }),
      object: z.literal('model'),
      created: z.literal(0).meta({ description: 'Not known: always 0. Some clients require the member.' }),
      owned_by: z.string(),
      provider: z.enum(PROVIDER_IDS).meta({ description: 'Who receives the text by the preferred route.' }),
      data_regions: z.array(z.enum(DATA_REGIONS)).meta({
        description:
          'The values of data_region that one of your routes to the model allows. any: its text may be routed anywhere.',
        example: ['eu', 'eea_ch', 'any'],
      }),
      lifecycle: z.strictObject({
        status: z.enum(LIFECYCLE_STATUSES).meta({
          description:
            'legacy: its provider has a newer model and has set no end. deprecated: its provider will end it.',
        }),
        retires_on: z.iso.date().nullable().meta({ description: 'The day on which its provider ends it.' }),
        replacement: z.string().nullable().meta({
          description: 'What its provider names in its place. The gateway may not offer it.',
        }),
      }),
    })
    .meta({ id: 'Model' }),
)

/** A model as clients of Anthropic's format read it. */
const ListedModelSchema = once(() =>
  z
    .strictObject({
      type: z.literal('model'),
      id: z.string(),
      display_name: z.string(),
      created_at: z.iso.datetime().meta({ description: 'Not known: always the first of January 1970.' }),
      max_input_tokens: z.int(),
      max_tokens: z.int(),
    })
    .meta({ id: 'ListedModel' }),
)

const ModelPageSchema = once(() =>
  z
    .strictObject({
      data: z.array(ListedModelSchema()),
      first_id: orNull(z.string()),
      last_id: orNull(z.string()),
      has_more: z.boolean(),
    })
    .meta({ id: 'ModelPage' }),
)

/** A client of Anthropic's format gets errors in its shape, too. */
const EitherErrorSchema = once(() => z.union([ErrorSchema(), MessagesErrorSchema()]))
const ERROR_BODIES = Object.fromEntries(
  [...KEY_ERROR_CODES, 'model_not_allowed', 'model_not_found'].map((code) => [code, EitherErrorSchema]),
)

const MOST_LISTED = 1000

/** What clients of Anthropic's format page by. */
const PageQuerySchema = once(() =>
  z.object({
    limit: z.coerce.number().int().min(1).max(MOST_LISTED).optional(),
    after_id: z.string().max(100).optional(),
    before_id: z.string().max(100).optional(),
  }),
)

type Deps = { gate: ChatGate; peppers: readonly Pepper[]; endpoints: EndpointsSettings }

export function modelRoutes({ gate, peppers, endpoints }: Deps): Api {
  const { api, openapi } = selfAdmittingOperations(requireKeyToRead(gate, peppers))

  async function admitted(c: AppContext): Promise<Extract<AdmissionWithoutModel, { outcome: 'admitted' }>> {
    const organisation = await gate.describe(c, readBearerKey(c, 'gateway', peppers))
    if (organisation.outcome !== 'admitted') throw refusalError(organisation)
    // A client may send the header with every request. Its value is checked, because its sender relies on it.
    readDataRegion(c)
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
      headers: DataRegionHeaderSchema,
      query: PageQuerySchema,
      answers: {
        200: [
          () =>
            z.union([
              z.strictObject({ object: z.literal('list'), data: z.array(ModelSchema()) }).meta({ id: 'ModelList' }),
              ModelPageSchema(),
            ]),
          'The models of the tier, at the providers that are enabled. With the header `anthropic-version`, in Anthropic’s shape.',
        ],
      },
      errorBodies: ERROR_BODIES,
    },
    async ({ c, sent }) => {
      const organisation = await admitted(c)
      const page = sent.query()
      const allowed = catalogueModels().filter((model) => model.gateway && accessTo(organisation, model).allowed)
      if (errorFormOf(c) === 'messages') return c.json(pageOf(allowed, page))
      return c.json({ object: 'list', data: allowed.map((model) => presentModel(model, organisation, endpoints)) })
    },
  )

  openapi(
    {
      route: 'GET /v1/models/{id}',
      operationId: 'readModel',
      tags: ['Gateway'],
      summary: 'Get a model',
      description:
        'Returns one model as it is in the list, by its id or by another name that a call takes for it. `/` may be sent as it is or as `%2F`.',
      security: [{ gatewayKey: [] }],
      headers: DataRegionHeaderSchema,
      params: () => ({ id: z.string().meta({ example: 'gpt-4.1-mini' }) }),
      answers: {
        200: () => ({
          description: 'A model that your organisation may use.',
          headers: { ...RATE_HEADERS, ...MODEL_HEADER, ...LIFECYCLE_HEADERS },
          content: { 'application/json': { schema: ModelSchema() } },
        }),
      },
      errors: ['model_not_allowed', 'model_not_found'],
      errorBodies: ERROR_BODIES,
      pattern: '/v1/models/:id{[\\s\\S]+}',
    },
    async ({ c }) => {
      const organisation = await admitted(c)
      const name = c.req.param('id') ?? ''
      const model = findModel(resolveModelName(name) ?? '')
      if (model === null || !model.gateway) throw modelNotFound(name)
      setHeaders(c, modelHeader(name, model.id))
      const access = accessTo(organisation, model)
      if (!access.allowed) throw modelNotAllowed(access.reason)
      setHeaders(c, lifecycleHeaders(model))
      return c.json(presentModel(model, organisation, endpoints))
    },
  )

  return api
}

const MOST_UNLESS_SAID = 20

function pageOf(
  models: readonly Model[],
  { limit = MOST_UNLESS_SAID, after_id: after, before_id: before }: Infer<typeof PageQuerySchema>,
): Infer<typeof ModelPageSchema> {
  const end = models.findIndex(({ id }) => id === before)
  const asked = models.slice(models.findIndex(({ id }) => id === after) + 1, end === -1 ? models.length : end)
  const listed = before === undefined ? asked.slice(0, limit) : asked.slice(-limit)
  const [first, last] = [listed[0]?.id ?? null, listed.at(-1)?.id ?? null]
  return { data: listed.map(listModel), first_id: first, last_id: last, has_more: listed.length < asked.length }
}

const listModel = ({ id, limits }: Model): Infer<typeof ListedModelSchema> => ({
  type: 'model',
  id,
  display_name: id,
  created_at: '1970-01-01T00:00:00Z',
  max_input_tokens: limits.contextTokens,
  max_tokens: limits.maxOutputTokens,
})

const accessTo = (organisation: Organisation, { id, costEffective }: Model) =>
  decideModelAccess(organisation, { costEffective, providers: findRoutes(id).map(({ provider }) => provider) })

type Organisation = Pick<OrganisationSettings, 'tier' | 'enabledProviders'>

function presentModel(
  { id, ownedBy, provider, lifecycle }: Model,
  { enabledProviders }: Organisation,
  endpoints: EndpointsSettings,
): Infer<typeof ModelSchema> {
  const routes = findRoutes(id).filter(
    (route) => enabledProviders.includes(route.provider) && endpoints[route.endpoint].apiKey !== null,
  )
  const { status, retiresOn, replacement } = lifecycle
  return {
    id,
    object: 'model',
    created: 0,
    owned_by: ownedBy,
    provider: routes[0]?.provider ?? provider,
    data_regions: DATA_REGIONS.filter((limit) => routes.some(({ dataRegion }) => isWithin(dataRegion, limit))),
    lifecycle: { status, retires_on: retiresOn, replacement },
  }
}
