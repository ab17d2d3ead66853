// The shape of a comparison of like calls, as responses and reports have it.
import * as z from 'zod'
import { orNull } from '../../platform/names.schema.ts'
import { once } from '../../platform/once.ts'
import { MIX_DIMENSIONS } from '../statistics/adjust-for-mix.ts'
import { UNADJUSTED_REASONS, VERDICTS } from '../statistics/compare-groups.ts'

const number = once(() => z.number())
const interval = once(() => z.tuple([number(), number()]))
const mixDimension = once(() => z.enum(MIX_DIMENSIONS))

/** A comparison of like calls, by Mantel and Haenszel. */
const AdjustedSchema = once(() =>
  z.strictObject({
    by: z.array(mixDimension()).meta({ description: 'What the compared calls have in common.' }),
    strata: z.int().min(1).meta({ description: 'Kinds of like calls that both groups have.' }),
    ratio: orNull(number()),
    ratio_interval: interval(),
    unfavourable_ratio: orNull(number()),
    unfavourable_ratio_interval: interval(),
    p: number(),
    p_adjusted: number(),
    verdict: z.enum(VERDICTS),
  }),
)

/** What like calls say about a comparison. */
export const adjustedMembers = once(() => ({
  adjusted: orNull(AdjustedSchema()).meta({
    description: 'The group compared with the reference by like calls only: of the same use case, model or both.',
  }),
  not_adjusted: orNull(z.enum(UNADJUSTED_REASONS)).meta({
    description:
      'Why there is no such comparison. too_few_like_calls: under 100 in a group, under five expected of either kind, or under 80% of the group’s.',
  }),
  explained_by: z.array(mixDimension()).meta({ description: 'What explains the difference. Empty: nothing does.' }),
}))
