// Tries a policy on the latest calls, and keeps the last result until another comes.
import { useState } from 'preact/hooks'
import type { PolicySimulation } from '../../../management/policies/policy-simulation.schema.ts'
import type { Answer, Problem } from '../../api/send-request.ts'
import { useSingleRun } from '../../parts/button.view.tsx'
import { callApi } from '../session.ts'
import { textOf, type DraftDocument } from './policy-draft.ts'

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
