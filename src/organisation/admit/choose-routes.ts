// Chooses the routes by which a request may be sent: at enabled providers, inside the narrowest region that the policy, the key and
// the request set. INVARIANT: nothing adds a route after this decision, neither a retry, a cached answer nor an approval. Pure.
import type { RegionFacts } from '../../policies/facts.ts'
import { effectiveRegion } from '../../policies/rules/data-region.rule.ts'
import { refuseModel } from '../../policies/rules/model-allowlist.rule.ts'
import type { OrganisationSettings } from '../../policies/organisation-settings.ts'
import { decideModelAccess } from '../../policies/tier.policy.ts'
import { DATA_REGIONS, isWithin, narrowestRegion, type DataRegion } from '../../platform/data-region.ts'
import type { EndpointId } from '../../providers/provider-registry.ts'
import type { CheckedCall } from './check-call.ts'

/** A route by which a request can be sent. Costs are in whole micro-euro. */
export type RouteFacts = {
  model: string
  costEffective: boolean
  endpoint: EndpointId
  provider: string
  dataRegion: DataRegion
  /** The most that the request can cost there before the model writes anything. */
  upFrontMicroeur: number
  /** The cost of only its input: the estimate of the cost that a refusal prevents. */
  inputMicroeur: number
  /** The price of a million output tokens, rounded up. */
  microeurPerMillion: number
}

export type UnfitRouteFacts = Pick<RouteFacts, 'endpoint' | 'provider' | 'dataRegion'>

/** `region`: the region that decided. `regionsWithRoute`: the regions in which the request would have a route. */
export type ChosenRoutes = {
  routes: readonly RouteFacts[]
  region: DataRegion
  rule: RegionFacts
  regionsWithRoute: readonly DataRegion[]
}

/**
 * `routes`: by which this deployment can send the request to its model, and to further models that its caller lists. `dataRegion`: of
 * its header, or null.
 */
type RoutedRequest = {
  model: string
  useCase: string | null
  routes: readonly RouteFacts[]
  dataRegion: DataRegion | null
}

export function chooseRoutes(checked: CheckedCall, request: RoutedRequest): ChosenRoutes {
  const { routes, dataRegion } = request
  const { key, state } = checked
  const { settings, policy } = state
  const enabled = routes.filter(
    (route) => isEnabled(settings, route) && (route.model === request.model || mayUseModel(checked, request, route)),
  )
  const regions = enabled.map((route) => route.dataRegion)
  const rule = { regions, regionLimit: narrowestRegion(key.dataRegion, dataRegion) }
  const region = effectiveRegion(policy.document.data_region, rule)
  return {
    routes: enabled.filter((route) => isWithin(route.dataRegion, region)),
    region,
    rule,
    regionsWithRoute: DATA_REGIONS.filter((limit) => regions.some((one) => isWithin(one, limit))),
  }
}

const isEnabled = (
  { enabledProviders }: Pick<OrganisationSettings, 'enabledProviders'>,
  { provider }: Pick<RouteFacts, 'provider'>,
): boolean => enabledProviders.some((one) => one === provider)

/** Returns the endpoint that would be asked if it took the request; null if there is none, or if another one takes it. */
export function findUnfitEndpoint(
  checked: CheckedCall,
  request: RoutedRequest & { unfitRoutes: readonly UnfitRouteFacts[] },
): EndpointId | null {
  if (request.unfitRoutes.length === 0) return null
  const { routes, region } = chooseRoutes(checked, request)
  if (routes.length > 0) return null
  const unfit = request.unfitRoutes.find(
    (route) => isEnabled(checked.state.settings, route) && isWithin(route.dataRegion, region),
  )
  return unfit?.endpoint ?? null
}

/** Returns true if a further model may be asked too. The model of the request itself is refused by name instead. */
function mayUseModel(
  { key, state }: CheckedCall,
  { useCase }: RoutedRequest,
  { model, costEffective, provider }: RouteFacts,
): boolean {
  const { model_allowlist: rule = {} } = state.policy.document
  return (
    decideModelAccess(state.settings, { costEffective, providers: [provider] }).allowed &&
    refuseModel(rule, { model, useCase, keyId: key.id }) === null
  )
}

/** Returns true if the request's header asks for a wider region than the policy or the key allows. */
export const isRegionWider = (
  { key, state }: CheckedCall,
  { dataRegion }: Pick<RoutedRequest, 'dataRegion'>,
): boolean =>
  dataRegion !== null &&
  !isWithin(dataRegion, narrowestRegion(state.policy.document.data_region?.within, key.dataRegion))
