// Hook for a button that sends a request. Only one request is sent at a time, however often the button is pressed.
import { useState } from 'preact/hooks'
import { useSingleRun } from '../parts/button.view.tsx'
import { bodyOf, type Answer, type Problem } from './send-request.ts'

export type ButtonRequest<T> = {
  /** Sends the request, unless one is being sent. */
  ask: () => void
  isAsking: boolean
  /** The body of the latest answer, or null. */
  body: T | null
  problem: Problem | null
}

/** Returns a button's act and its state. @param then gets the body of the answer */
export function useButtonRequest<T>(
  act: () => Promise<Answer<T>>,
  then: (body: T) => void = () => undefined,
): ButtonRequest<T> {
  const [answer, setAnswer] = useState<Answer<T> | null>(null)
  const [isAsking, ask] = useSingleRun(async () => {
    setAnswer((before) => (before?.outcome === 'answered' ? before : null))
    const given = await act()
    setAnswer(given)
    if (given.outcome === 'answered') then(given.body)
  })
  return {
    ask,
    isAsking,
    body: bodyOf(answer),
    problem: answer?.outcome === 'refused' ? answer.problem : null,
  }
}
