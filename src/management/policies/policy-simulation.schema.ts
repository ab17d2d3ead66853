// Request and response shapes of a policy simulation over past calls.
import * as z from 'zod'
import { once, type Infer } from '../../platform/once.ts'
import { membersOf, OUTCOMES } from '../../evidence/records/call-endings.ts'
import { orNull } from '../../platform/names.schema.ts'
import { PolicyDocumentSchema } from '../../policies/document/policy-document.ts'
import { POLICY_IDS } from '../../policies/rules/index.ts'
import { SIMULATED_RESULTS } from '../../policies/document/simulate-call.ts'

export const SimulatePolicySchema = once(() =>
  z.strictObject({
    document: PolicyDocumentSchema(),
    last: z
      .int()
      .min(1)
      .max(1000)
      .default(200)
      .meta({ description: 'How many of the latest decisions about chat calls.' }),
  }),
)

const count = once(() => z.int().min(0))

export const SimulatedCallSchema = once(() =>
  z
    .strictObject({
      object: z.literal('simulated_call'),
      attestation_id: z.string(),
      trace_id: z.string(),
      index: z.int().min(0).meta({ description: 'Of its entry in the organisation’s log.' }),
      created_at: z.iso.datetime(),
      key_id: z.string(),
      model: z.string(),
      use_case: orNull(z.string()),
      outcome: z.enum(OUTCOMES).meta({ description: 'What was decided then.' }),
      approval_id: orNull(z.string()).meta({ description: 'The approval that the call waited for or ran with.' }),
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
    .meta({ id: 'SimulatedCall' }),
)

const PolicyTotalSchema = once(() =>
  z.strictObject({
    policy: z.enum(POLICY_IDS),
    blocks: count(),
    needs_approval: count(),
    not_evaluated: count(),
  }),
)

/** Counts of calls: as they were decided, as the policy would decide them, and the rules that would stop them. */
const counts = once(() => ({
  calls: count().meta({ description: 'Fewer than asked for where no more are at hand.' }),
  decided: z.strictObject(membersOf(OUTCOMES, count)).meta({
    id: 'DecidedCounts',
    description: 'What was decided then. A call that waited and was approved is passed.',
  }),
  passes: count(),
  blocks: count(),
  needs_approval: count(),
  not_evaluated: count(),
  by_policy: z.array(PolicyTotalSchema()).meta({ description: 'The rules that stopped calls, or could not be told.' }),
}))

export const PolicySimulationSchema = once(() =>
  z
    .strictObject({
      id: z.string().meta({ description: 'The SHA-256 of the document’s canonical JSON, in hexadecimal.' }),
      object: z.literal('policy_simulation'),
      created_at: z.iso.datetime(),
      ...counts(),
      by_key: z
        .array(z.strictObject({ key_id: z.string(), ...counts() }).meta({ id: 'KeySimulation' }))
        .meta({ description: 'The same for each key, the one with the most calls first.' }),
      rules_left_out: z.array(z.enum(POLICY_IDS)).meta({
        description: 'Rules of the document that look at more than one call, and are not simulated.',
      }),
      answers_not_known: z.boolean().meta({
        description:
          'True if pii_scan.answers redacts or blocks. What the answers held is not known: a call that passes may have had its answer changed or stopped.',
      }),
      data: z.array(SimulatedCallSchema()).meta({ description: 'The latest first.' }),
    })
    .meta({ id: 'PolicySimulation' }),
)

export type PolicySimulation = Infer<typeof PolicySimulationSchema>
