// Chooses the route of each reader: its model's first route inside the deployment's region for letters. INVARIANT: a reading never
// leaves that region, and never changes its route.
import { ConfigError, type Config } from '../../platform/config.ts'
import { DATA_REGIONS, isWithin, type DataRegion } from '../../platform/data-region.ts'
import type { EndpointsSettings } from '../../providers/endpoint-settings.ts'
import { findRoutes, type Model } from '../../providers/model-catalogue.ts'

export type ReaderRoutes = readonly [a: Model, b: Model]

const SETTINGS = ['READER_A_MODEL', 'READER_B_MODEL'] as const

/**
 * Returns the routes of Reader A and Reader B. A route whose endpoint has a key goes first; if none has, it is the first inside the
 * region. Throws ConfigError for an unknown model, one that cannot answer by a schema, one without a route inside the region, and
 * for two models of one owner or at one provider.
 */
export function chooseReaderRoutes(
  { models, dataRegion }: Pick<Config['readers'], 'models' | 'dataRegion'>,
  endpoints: EndpointsSettings,
): ReaderRoutes {
  const a = chooseRoute(SETTINGS[0], models[0], dataRegion, endpoints)
  const b = chooseRoute(SETTINGS[1], models[1], dataRegion, endpoints)
  if (a.ownedBy === b.ownedBy || a.provider === b.provider) {
    throw new ConfigError([...SETTINGS], 'Both models have one owner or provider. Choose models of two.')
  }
  return [a, b]
}

function chooseRoute(setting: string, id: string, region: DataRegion, endpoints: EndpointsSettings): Model {
  const routes = findRoutes(id).filter(({ capabilities }) => capabilities.responseFormats.includes('json_schema'))
  if (routes.length === 0) throw new ConfigError([setting])
  const inside = routes.filter((route) => isWithin(route.dataRegion, region))
  const chosen = inside.find(({ endpoint }) => endpoints[endpoint].apiKey !== null) ?? inside[0]
  if (chosen !== undefined) return chosen
  const wider = DATA_REGIONS.filter((limit) => routes.some((route) => isWithin(route.dataRegion, limit)))
  throw new ConfigError(
    ['READERS_DATA_REGION', setting],
    `${id} has no route inside ${region}. READERS_DATA_REGION can be ${wider.join(' or ')}, or choose another model.`,
  )
}

/** Returns the narrowest region that has both routes. */
export const regionOfBoth = ([a, b]: ReaderRoutes): DataRegion =>
  isWithin(a.dataRegion, b.dataRegion) ? b.dataRegion : a.dataRegion
