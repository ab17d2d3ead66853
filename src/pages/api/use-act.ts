// Requests that a button sends. Only one is sent at a time, however often the button is pressed.
import { useRef, useState } from 'preact/hooks'
import type { Answer, Problem } from './call.ts'

export type Act<T> = {
  /** Sends the request, unless one is under way. */
  ask: () => void
  isAsking: boolean
  /** The latest answer. */
  body: T | null
  problem: Problem | null
}

/** The act of a button. @param then gets the body of the answer */
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
