// Tries a draft policy on the latest calls, compares how they ended with how it would end them, and says why.
import { membersOf, OUTCOMES } from '../../../evidence/records/call-endings.ts'
import type { PolicySimulation } from '../../../management/policies/policy-simulation.schema.ts'
import { ownMember } from '../../../platform/json.ts'
import type { PolicyChange } from '../../../policies/document/policy-changes.ts'
import { findWords } from '../../../policies/rules/words.ts'
import { ruleName } from '../../text/rule-names.ts'
import { formatNumber, plural } from '../../text/format.ts'
import { capitalised, listed, withSpaces } from '../../text/reword-text.ts'
import type { Keys } from '../key-and-person-names.view.tsx'
import SIMULATED_RULES from 'virtual:simulated-rules'
import { useState } from 'preact/hooks'
import type { Answer, Problem } from '../../api/send-request.ts'
import { useSingleRun } from '../../parts/button.view.tsx'
import { callApi } from '../session.ts'
import type { Draft, DraftDocument } from './policy-draft.ts'
import { changedRules } from './rule-words.ts'

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

/** `words` name the changed rules that past calls cannot be tried with; '' if there are none. `isOfAnswers`: a change is about answers. */
export type Untried = { words: string; isAll: boolean; isOfAnswers: boolean }

export function untriedOf(changes: readonly PolicyChange[]): Untried {
  const changed = changedRules(changes)
  const rules = [...changed].filter((id) => !SIMULATED_RULES.includes(id))
  const words = rules.length === 0 ? '' : `${listed(rules.map(ruleName))} cannot be tried on past calls.`
  const isOfAnswers = changes.some(({ path }) => /^\/pii_scan(?:\/answers|$)/.test(path))
  return { words, isAll: rules.length === changed.size, isOfAnswers }
}

export const areAnswersNotKnown = (of: PolicySimulation, { isOfAnswers }: Untried): boolean =>
  isOfAnswers && of.answers_not_known && of.calls > 0

/** Says how many calls would end differently by the rules that were tried. @param untried as `untriedOf` returns it */
export function trialTitle(simulation: PolicySimulation, untried: Untried): string {
  const { calls, not_evaluated: unknown } = simulation
  if (calls === 0) return 'There is no call of the last seven days to try it on'
  if (calls === unknown) return `How the last ${plural(calls, 'call')} would end is not known`
  const count = callsThatChange(simulation).length
  return byTriedRules(
    `${count === 0 ? 'none' : formatNumber(count)} of ${amongCalls(simulation)} would end differently`,
    untried,
  )
}

export const amongCalls = ({ calls, not_evaluated: unknown }: PolicySimulation): string =>
  unknown === 0 ? `the last ${plural(calls, 'call')}` : plural(calls - unknown, 'call')

export const byTriedRules = (words: string, untried: Untried): string =>
  capitalised(untried.words === '' ? words : `by the other rules, ${words}`)

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

/** What a try found, and on how many calls it was asked for. */
export type Tried = { simulation: PolicySimulation; last: number }

export type Trial = {
  /** Tries the draft on the latest calls, unless a try is running. */
  start: () => void
  isRunning: boolean
  /** The result for the draft as it is now. */
  tried: Tried | null
  problem: Problem | null
  last: number
  setLast: (count: number) => void
}

const USUAL_CALLS = 200

export function usePolicyTrial(draft: Draft): Trial {
  const [last, setLast] = useState(USUAL_CALLS)
  const [run, setRun] = useState<{ of: string; last: number; answer: Answer<PolicySimulation> } | null>(null)
  const text = JSON.stringify(draft.document)
  const [isRunning, start] = useSingleRun(async () =>
    setRun({ of: text, last, answer: await simulate(draft.document, last) }),
  )
  const answer = run?.of === text ? run.answer : null
  return {
    start,
    isRunning,
    tried: run !== null && answer?.outcome === 'answered' ? { simulation: answer.body, last: run.last } : null,
    problem: answer?.outcome === 'refused' ? answer.problem : null,
    last,
    setLast,
  }
}

export const simulate = (document: DraftDocument, last = USUAL_CALLS): Promise<Answer<PolicySimulation>> =>
  callApi<PolicySimulation>('POST', '/api/policies/simulate', { body: { document, last } })
