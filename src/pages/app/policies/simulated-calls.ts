// Reads a try of a policy: which calls would end differently, and why.
import type { PolicySimulation } from '../../../management/policies/policy-simulation.schema.ts'
import { withSpaces } from '../../text/reword-text.ts'
import { titleOfRule } from './rule-labels.ts'

export type SimulatedCall = PolicySimulation['data'][number]

/** True if the policy would change the outcome. A call that a loop or a failure stopped never counts as changed. */
const hasOtherOutcome = ({ outcome, approval_id, result }: SimulatedCall): boolean =>
  (outcome === 'passed' && (result === 'blocks' || (result === 'needs_approval' && approval_id === null))) ||
  (outcome === 'held' && result !== 'needs_approval' && result !== 'not_evaluated') ||
  (outcome === 'blocked' && (result === 'passes' || result === 'needs_approval'))

export const callsThatChange = ({ data }: PolicySimulation): SimulatedCall[] => data.filter(hasOtherOutcome)

/** Calls that would change for one reason, from one outcome to one other. */
export type ChangeGroup = {
  id: string
  why: string
  outcome: SimulatedCall['outcome']
  result: SimulatedCall['result']
  calls: readonly SimulatedCall[]
}

/** Groups the calls that would end differently. The largest group comes first. */
export const groupsOf = (simulation: PolicySimulation): ChangeGroup[] =>
  [...Map.groupBy(callsThatChange(simulation), (call) => [reasonOf(call), call.outcome, call.result].join('\n'))]
    .flatMap(([id, calls]) => {
      const [first] = calls
      return first === undefined
        ? []
        : [{ id, why: reasonOf(first), outcome: first.outcome, result: first.result, calls }]
    })
    .toSorted((one, other) => other.calls.length - one.calls.length)

/** Says why a call would end as it would. */
export function reasonOf({ policy, reason, model, use_case: useCase }: SimulatedCall): string {
  if (policy === null) return 'No rule stops it any more'
  const rule = titleOfRule(policy)
  if (policy === 'human_approval') return 'A person must approve it'
  if (reason === 'model_not_in_policy') return `${model} is not in ${rule}`
  if (reason === 'model_not_for_use_case') return `${model} is not allowed for ${useCase ?? 'its use case'}`
  if (reason === 'model_not_for_key') return `${model} is not allowed for its key`
  if (reason === 'use_case_required') return 'It declares no use case'
  if (reason === 'use_case_not_allowed') return `The use case ${useCase ?? ''} is not allowed`
  if (reason === 'text_not_kept') return `${rule}: the text was not kept`
  return reason === null ? rule : `${rule}: ${withSpaces(reason)}`
}
