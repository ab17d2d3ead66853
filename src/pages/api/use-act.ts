// Requests that a button sends: one at a time, however often it is pressed.
import { useRef, useState } from 'preact/hooks'
import type { Answer, Problem } from './call.ts'

export type Act<T> = {
  /** Does nothing while an answer is on its way. */
  ask: () => void
  isAsking: boolean
  /** The latest answer. */
  body: T | null
  problem: Problem | null
}

/** An act of a button. @param then is given what was answered */
export function useAct<T>(act: () => Promise<Answer<T>>, then: (body: T) => void = () => undefined): Act<T> {
  const [answer, setAnswer] = useState<Answer<T> | null>(null)
  const [isAsking, setAsking] = useState(false)
  const asking = useRef(false)
  const ask = async (): Promise<void> => {
    if (asking.current) return
    asking.current = true
    setAsking(true)
    setAnswer((before) => (before?.outcome === 'answered' ? before : null))
    const given = await act()
    asking.current = false
    setAsking(false)
    setAnswer(given)
    if (given.outcome === 'answered') then(given.body)
  }
  return {
    ask: () => void ask(),
    isAsking,
    body: answer?.outcome === 'answered' ? answer.body : null,
    problem: answer?.outcome === 'refused' ? answer.problem : null,
  }
}
