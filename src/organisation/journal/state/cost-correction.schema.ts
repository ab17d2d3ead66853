// The part of an act's entry that corrects the cost of an interrupted call.
import * as z from 'zod'
import type { JsonObject } from '../../../platform/json.ts'
import { once, type Infer } from '../../../platform/once.ts'

export const CORRECT_COST = 'call.correct_cost'

/** The outcome in the row of an act that corrected a cost. */
export const COST_CORRECTED = 'cost'

/**
 * The part of the act's entry that is counted. `call`: the position of the decision. `decided_at`: the time in its
 * record. `counted_at`: the time that it counts for in budgets. `before_microeur`: the cost until then.
 */
const CorrectionSchema = once(() =>
  z.looseObject({
    act: z.literal(CORRECT_COST),
    call: z.int(),
    decided_at: z.iso.datetime(),
    counted_at: z.iso.datetime(),
    key_id: z.string().nullable(),
    model: z.string(),
    use_case: z.string().nullable(),
    cost_microeur: z.int().min(0),
    before_microeur: z.int().min(0),
    was_estimated: z.boolean(),
  }),
)

/** Returns null for the content of any other entry. */
export const readCorrection = (content: JsonObject): Infer<typeof CorrectionSchema> | null =>
  CorrectionSchema().safeParse(content).data ?? null
