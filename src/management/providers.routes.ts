// The route that lists the providers that an organisation can enable, with each model's processing region and tiers.
import { MANAGEMENT_SECURITY } from '../accounts/access/access.schema.ts'
import type { AccessControl } from '../accounts/access/access-control.ts'
import { listSchema } from '../platform/pagination.schema.ts'
import { createOperations } from '../platform/operations.ts'
import { RATE_HEADERS_IF_CHECKED } from '../platform/responses.ts'
import type { Api } from '../platform/router.ts'
import { TIERS, decideModelAccess } from '../policies/tier.policy.ts'
import { catalogueModels, type Model } from '../providers/model-catalogue.ts'
import { PROVIDER_IDS, type ProviderId } from '../providers/provider-registry.ts'
import { ProviderSchema, type Provider } from './providers.schema.ts'

export function providerRoutes(access: AccessControl): Api {
  const { api, openapi } = createOperations({
    codes: () => [
      'invalid_request',
      'session_required',
      'invalid_api_key',
      'scope_required',
      'rate_limit_exceeded',
      'service_unavailable',
      'internal_error',
    ],
    changeCodes: [],
    answerHeaders: RATE_HEADERS_IF_CHECKED,
    admit: (c) => access.requireSessionOrKey(c),
  })

  openapi(
    {
      tags: ['Settings'],
      security: MANAGEMENT_SECURITY,
      route: 'GET /api/providers',
      operationId: 'listProviders',
      summary: 'List providers',
      description: 'Lists the providers that an organisation can enable, with their regions and models.',
      answers: { 200: [() => listSchema(ProviderSchema()), 'All of them, on one page.'] },
    },
    ({ c }) => c.json({ object: 'list', data: PROVIDER_IDS.map(presentProvider), has_more: false, next_cursor: null }),
  )

  return api
}

function presentProvider(id: ProviderId): Provider {
  const models = catalogueModels().filter((model) => model.gateway && model.provider === id)
  return {
    id,
    object: 'provider',
    regions: [...new Set(models.map((model) => model.region))],
    models: models.map((model) => ({ id: model.id, region: model.region, tiers: tiersOf(model) })),
  }
}

const tiersOf = (model: Model) =>
  TIERS.filter((tier) => decideModelAccess({ tier, enabledProviders: [model.provider] }, model).allowed)
