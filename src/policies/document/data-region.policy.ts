// The policy rule about the places that calls may be routed to. It also applies without a rule of the policy, because a key or a
// request can set a limit of its own. The narrowest limit decides. Pure.
import * as z from 'zod'
import { once, type Infer } from '../../platform/once.ts'
import { DATA_REGIONS, isWithin, narrowestRegion, type DataRegion } from '../../platform/data-region.ts'
import { changedTo } from './loosening-words.ts'

export const DataRegionRuleSchema = once(() =>
  z
    .strictObject({
      within: z.enum(DATA_REGIONS).meta({
        description:
          'eu: countries of the European Union. eea_ch: the European Economic Area and Switzerland. any: no limit. A key or a request can narrow it and never widen it.',
        example: 'eu',
      }),
    })
    .meta({
      id: 'DataRegionRule',
      description:
        'Where calls may be routed to. A call without a route inside is blocked, and a call that fails is never sent to a route outside.',
    }),
)

export type DataRegionRule = Infer<typeof DataRegionRuleSchema>

/** `regions`: of the routes at enabled providers. `regionLimit`: of the key and the request; `any` for none. */
export type RegionFacts = { regions: readonly DataRegion[]; regionLimit: DataRegion }

/** Returns the region in which a call must stay. */
export const effectiveRegion = (rule: DataRegionRule | undefined, { regionLimit }: Pick<RegionFacts, 'regionLimit'>) =>
  narrowestRegion(rule?.within, regionLimit)

/** Returns null if a route stays inside the region. */
export function refuseRegion(rule: DataRegionRule | undefined, facts: RegionFacts): 'no_route' | null {
  const limit = effectiveRegion(rule, facts)
  return facts.regions.some((region) => isWithin(region, limit)) ? null : 'no_route'
}

export const loosenedRegion = (before: DataRegionRule, after: DataRegionRule): string[] =>
  isWithin(after.within, before.within) ? [] : [changedTo('within', before.within, after.within)]
