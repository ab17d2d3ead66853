// The policy rule about the places that calls may be routed to. It also applies without a rule of the policy, because a key or a
// request can set a limit of its own. The narrowest limit decides. Pure.
import * as z from 'zod'
import { once, type Infer } from '../../platform/once.ts'
import { DATA_REGIONS, isWithin, narrowestRegion } from '../../platform/data-region.ts'
import type { RegionFacts } from '../facts.ts'
import { changedTo } from './loosening-words.ts'
import { defineRule } from './rule.ts'

const DataRegionRuleSchema = once(() =>
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

/** Returns the region in which a call must stay. */
export const effectiveRegion = (
  rule: Infer<typeof DataRegionRuleSchema> | undefined,
  { regionLimit }: Pick<RegionFacts, 'regionLimit'>,
) => narrowestRegion(rule?.within, regionLimit)

export const dataRegion = defineRule({
  schema: DataRegionRuleSchema,
  unset: () => ({ within: 'any' as const }),
  refuse: (within, facts) => {
    const limit = effectiveRegion(within, facts)
    return facts.regions.some((region) => isWithin(region, limit)) ? null : 'no_route'
  },
  refusal: {
    param: 'model',
    problem: 'No route to this model stays in the data region that your policy, your key or this request allows',
    remedy: 'Choose another model, or a wider region if that is allowed; no provider saw the request.',
  },
  findLooser: (before, after) =>
    isWithin(after.within, before.within) ? [] : [changedTo('within', before.within, after.within)],
})
