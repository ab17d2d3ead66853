// Request and response shapes of a policy simulation over past calls.
import * as z from '../../platform/zod.ts'
import { orNull } from '../../platform/names.schema.ts'
import { PolicyDocumentSchema } from '../../policies/document/policy-document.ts'
import { POLICY_IDS } from '../../policies/document/policy-rule.ts'
import { SIMULATED_RESULTS } from '../../policies/document/simulate-call.ts'

export const SimulatePolicySchema = z.strictObject({
  document: PolicyDocumentSchema,
  last: z
    .int()
    .min(1)
    .max(1000)
    .default(200)
    .meta({ description: 'How many of the latest decisions about chat calls.' }),
})

const count = z.int().min(0)

export const SimulatedCallSchema = z
  .strictObject({
    object: z.literal('simulated_call'),
    attestation_id: z.string(),
    trace_id: z.string(),
    index: z.int().min(0).meta({ description: 'Of its entry in the organisation’s log.' }),
    created_at: z.iso.datetime(),
    key_id: z.string(),
    model: z.string(),
    use_case: orNull(z.string()),
    outcome: z.string().meta({ description: 'What was decided then.', example: 'ALLOWED' }),
    result: z.enum(SIMULATED_RESULTS).meta({
      description:
        'What the policy would have made of it. not_evaluated: nothing that is known refuses it, and the rule named in policy would have to know more.',
    }),
    policy: orNull(z.enum(POLICY_IDS)),
    reason: orNull(z.string()).meta({
      description:
        'As error.reason says it. Of what is not evaluated: text_not_kept where the text would have to be looked through.',
    }),
  })
  .meta({ id: 'SimulatedCall' })

const PolicyTotalSchema = z.strictObject({
  policy: z.enum(POLICY_IDS),
  blocks: count,
  needs_approval: count,
  not_evaluated: count,
})

export const PolicySimulationSchema = z
  .strictObject({
    id: z.string().meta({ description: 'The SHA-256 of the document’s canonical JSON, in hexadecimal.' }),
    object: z.literal('policy_simulation'),
    created_at: z.iso.datetime(),
    calls: count.meta({ description: 'Fewer than asked for where no more are at hand.' }),
    passes: count,
    blocks: count,
    needs_approval: count,
    not_evaluated: count,
    by_policy: z.array(PolicyTotalSchema).meta({ description: 'The rules that stopped calls, or could not be told.' }),
    rules_left_out: z.array(z.enum(POLICY_IDS)).meta({
      description: 'Rules of the document that look at more than one call, and are not simulated.',
    }),
    data: z.array(SimulatedCallSchema).meta({ description: 'The latest first.' }),
  })
  .meta({ id: 'PolicySimulation' })

export type PolicySimulation = z.infer<typeof PolicySimulationSchema>
