// Presents a simulation: each call, and the totals.
import type { SimulatedDecision } from '../../organisation/policy/simulate-policy.ts'
import { versionPolicy, type PolicyDocument } from '../../policies/document/policy-document.ts'
import { POLICY_IDS } from '../../policies/document/rule.ts'
import { rulesNotSimulated, type SimulatedResult } from '../../policies/document/simulate-call.ts'
import type { PolicySimulation } from './policy-simulation.schema.ts'

export function presentSimulation(
  document: PolicyDocument,
  calls: readonly SimulatedDecision[],
  now: number,
): PolicySimulation {
  return {
    id: versionPolicy(0, document).sha256,
    object: 'policy_simulation',
    created_at: new Date(now).toISOString(),
    calls: calls.length,
    passes: countOf(calls, 'passes'),
    ...countStopped(calls),
    by_policy: POLICY_IDS.flatMap((policy) => {
      const own = calls.filter((call) => call.policy === policy)
      return own.length === 0 ? [] : [{ policy, ...countStopped(own) }]
    }),
    rules_left_out: rulesNotSimulated(document),
    data: calls.map(presentCall),
  }
}

const countOf = (calls: readonly SimulatedDecision[], result: SimulatedResult): number =>
  calls.filter((call) => call.result === result).length

const countStopped = (calls: readonly SimulatedDecision[]) => ({
  blocks: countOf(calls, 'blocks'),
  needs_approval: countOf(calls, 'needs_approval'),
  not_evaluated: countOf(calls, 'not_evaluated'),
})

const presentCall = (call: SimulatedDecision): PolicySimulation['data'][number] => ({
  object: 'simulated_call',
  attestation_id: call.attestationId,
  trace_id: call.traceId,
  index: call.position,
  created_at: new Date(call.decidedAt).toISOString(),
  key_id: call.keyId,
  model: call.model,
  use_case: call.useCase,
  outcome: call.outcome,
  result: call.result,
  policy: call.policy,
  reason: call.reason,
})
