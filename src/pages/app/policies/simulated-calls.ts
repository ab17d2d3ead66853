// Tries a draft policy on the latest calls, compares how they ended with how it would end them, and says why.
import { membersOf, OUTCOMES } from '../../../evidence/records/call-endings.ts'
import type { PolicySimulation } from '../../../management/policies/policy-simulation.schema.ts'
import { ownMember } from '../../../platform/json.ts'
import { findWords } from '../../../policies/rules/words.ts'
import { ruleName } from '../../text/rule-names.ts'
import { formatNumber, plural } from '../../text/format.ts'
import { withSpaces } from '../../text/reword-text.ts'
import type { Keys } from '../key-and-person-names.view.tsx'
import { useState } from 'preact/hooks'
import type { Answer, Problem } from '../../api/send-request.ts'
import { useSingleRun } from '../../parts/button.view.tsx'
import { callApi } from '../session.ts'
import { textOf, type DraftDocument } from './policy-draft.ts'

export type SimulatedCall = PolicySimulation['data'][number]

/** How a simulation can end a call. */
export const END_NAMES = OUTCOMES.filter((outcome) => outcome !== 'suppressed')
type End = (typeof END_NAMES)[number]

export const END_OF_RESULT = {
  passes: 'passed',
  needs_approval: 'held',
  blocks: 'blocked',
  not_evaluated: null,
} as const

/** Returns how a call ended. Null if a loop or a failure stopped it, which a simulation cannot tell. */
const actualEnd = ({ outcome }: SimulatedCall): End | null => (outcome === 'suppressed' ? null : outcome)

/** Returns how a call would end; null if unknown. Assumes that a person approves an approved call again. */
function simulatedEnd({ outcome, approval_id: approval, result }: SimulatedCall): End | null {
  if (outcome === 'suppressed') return null
  return outcome === 'passed' && approval !== null && result === 'needs_approval' ? 'passed' : END_OF_RESULT[result]
}

export const callsThatChange = ({ data }: PolicySimulation): SimulatedCall[] =>
  data.filter((call) => simulatedEnd(call) !== null && simulatedEnd(call) !== actualEnd(call))

export function changedTitle(calls: number, count: number): string {
  if (calls === 0) return 'There is no call of the last seven days to try it on'
  if (count === 0) return `None of the last ${plural(calls, 'call')} would end differently`
  return `${formatNumber(count)} of the last ${plural(calls, 'call')} would end differently`
}

export type EndCounts = Readonly<Record<End, number>>

type EndsCompared = { today: EndCounts; after: EndCounts }

export const compareEnds = (calls: readonly SimulatedCall[]): EndsCompared => ({
  today: countEnds(calls.map(actualEnd)),
  after: countEnds(calls.map(simulatedEnd)),
})

export type KeyEnds = EndsCompared & { name: string }

/** The keys whose calls would end differently. Keys of the same name are one, such as those that a page makes for its own calls. */
export const endsByKey = ({ data }: PolicySimulation, keys: Keys): readonly KeyEnds[] =>
  [...Map.groupBy(data, ({ key_id: id }) => keys.get(id)?.name ?? id)]
    .map(([name, calls]): KeyEnds => Object.assign(compareEnds(calls), { name }))
    .filter(({ today, after }) => END_NAMES.some((end) => today[end] !== after[end]))

/** “16 → 0”, or one number if it stays. */
export const changeOf = ({ today, after }: KeyEnds, end: End): string =>
  today[end] === after[end] ? formatNumber(after[end]) : `${formatNumber(today[end])} → ${formatNumber(after[end])}`

const countEnds = (ends: readonly (End | null)[]): EndCounts =>
  membersOf(END_NAMES, (end) => ends.filter((one) => one === end).length)

/** Calls that would change for one reason, from one outcome to one other. */
export type ChangeGroup = Pick<SimulatedCall, 'outcome' | 'result'> & {
  id: string
  why: string
  calls: readonly SimulatedCall[]
}

/** Groups the calls that would end differently. The largest group comes first. */
export const groupsOf = (simulation: PolicySimulation): ChangeGroup[] =>
  [...Map.groupBy(callsThatChange(simulation), (call) => [reasonOf(call), call.outcome, call.result].join('\n'))]
    .flatMap(([id, calls]) =>
      calls
        .slice(0, 1)
        .map((first) => ({ id, why: reasonOf(first), outcome: first.outcome, result: first.result, calls })),
    )
    .toSorted((one, other) => other.calls.length - one.calls.length)

export function reasonOf({ policy, reason, model, use_case: useCase }: SimulatedCall): string {
  if (policy === null) return 'No rule stops it any more'
  const { name = ruleName(policy), reasons } = findWords(policy) ?? {}
  if (reason === null) return name
  if (reason === 'text_not_kept') return `${name}: the text was not kept`
  const subject = reason.startsWith('model_') ? model : reason === 'use_case_not_allowed' ? useCase : null
  return `${ownMember(reasons, reason) ?? `${name}: ${withSpaces(reason)}`}${subject === null ? '' : `: ${subject}`}`
}

/** The last try, the policy that was tried, and on how many calls it was asked for. */
export type Tried = { text: string; simulation: PolicySimulation; last: number }

export type Trial = {
  /** Tries the draft on the latest calls, unless a try is running. */
  start: () => void
  isRunning: boolean
  tried: Tried | null
  /** True if the last try was of the draft as it is now. */
  isFresh: boolean
  problem: Problem | null
  last: number
  setLast: (count: number) => void
  forget: () => void
}

const USUAL_CALLS = 200

export function usePolicyTrial(document: DraftDocument): Trial {
  const [last, setLast] = useState(USUAL_CALLS)
  const [tried, setTried] = useState<Tried | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [isRunning, start] = useSingleRun(async () => {
    const answer = await simulate(document, last)
    setProblem(answer.outcome === 'refused' ? answer.problem : null)
    if (answer.outcome === 'answered') setTried({ text: textOf(document), simulation: answer.body, last })
  })
  const isFresh = tried?.text === textOf(document)
  return { start, isRunning, tried, isFresh, problem, last, setLast, forget: () => setTried(null) }
}

export const simulate = (document: DraftDocument, last = USUAL_CALLS): Promise<Answer<PolicySimulation>> =>
  callApi<PolicySimulation>('POST', '/api/policies/simulate', { body: { document, last } })
