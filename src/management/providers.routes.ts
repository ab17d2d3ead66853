// The route that lists the providers that an organisation can enable, with each model's tiers, routes and their places.
import { MANAGEMENT_SECURITY } from '../accounts/access/access.schema.ts'
import type { AccessControl } from '../accounts/access/access-control.ts'
import { listSchema } from '../platform/pagination.schema.ts'
import { createOperations } from '../platform/operations.ts'
import { RATE_HEADERS_IF_CHECKED } from '../platform/responses.ts'
import type { Api } from '../platform/router.ts'
import type { Clock } from '../platform/time.ts'
import { TIERS, decideModelAccess } from '../policies/tier.policy.ts'
import type { EndpointsSettings } from '../providers/endpoint-settings.ts'
import type { RegionPromise } from '../providers/catalogue.schema.ts'
import { eurPerMillion, type EurRate } from '../providers/call-cost.ts'
import { catalogueModels, findRoutes, pricesAt, type Model } from '../providers/model-catalogue.ts'
import { PROVIDER_IDS, type ProviderId } from '../providers/provider-registry.ts'
import { ProviderSchema, type Provider, type ProviderRoute } from './providers.schema.ts'

type Deps = { access: AccessControl } & Facts
type Facts = { endpoints: EndpointsSettings; eurRate: EurRate; clock: Clock }

export function providerRoutes({ access, ...facts }: Deps): Api {
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
      description:
        'Lists the providers that an organisation can enable, with their models, and the places that text may be routed to.',
      answers: { 200: [() => listSchema(ProviderSchema()), 'All of them, on one page.'] },
    },
    ({ c }) => {
      const data = PROVIDER_IDS.map((id) => presentProvider(id, facts))
      return c.json({ object: 'list', data, has_more: false, next_cursor: null })
    },
  )

  return api
}

function presentProvider(id: ProviderId, { endpoints, eurRate, clock }: Facts): Provider {
  const offered = catalogueModels().filter(({ gateway }) => gateway)
  const models = offered.flatMap((model) => {
    const routes = findRoutes(model.id).filter(({ provider }) => provider === id)
    const [preferred] = routes
    if (preferred === undefined) return []
    const { input, output } = pricesAt(preferred, clock()).usdPerMillion
    return {
      id: model.id,
      tiers: tiersOf(model),
      eur_per_million: { input: eurPerMillion(input, eurRate), output: eurPerMillion(output, eurRate) },
      routes: routes.map((route) => presentRoute(route, endpoints)),
    }
  })
  return { id, object: 'provider', models }
}

function presentRoute({ endpoint, dataRegion, places, promise }: Model, endpoints: EndpointsSettings): ProviderRoute {
  return {
    endpoint,
    host: new URL(endpoints[endpoint].baseUrl).host,
    configured: endpoints[endpoint].apiKey !== null,
    data_region: dataRegion,
    places: places === null ? null : [...places],
    promise: promise && toWirePromise(promise),
  }
}

const toWirePromise = ({ readOn, outside: _outside, ...promise }: RegionPromise): ProviderRoute['promise'] => ({
  ...promise,
  read_on: readOn,
})

const tiersOf = (model: Model) =>
  TIERS.filter((tier) => {
    const providers = [model.provider]
    return decideModelAccess({ tier, enabledProviders: providers }, { ...model, providers }).allowed
  })
