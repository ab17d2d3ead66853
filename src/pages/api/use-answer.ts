// Hook that loads one answer of the API and returns its state: loading, answered or refused.
import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { UNREADABLE, type Answer, type Problem } from './send-request.ts'

export type Loaded<T> = { state: 'loading' } | { state: 'answered'; body: T } | { state: 'refused'; problem: Problem }

/** An answer and a function that loads it again. */
export type LoadedAnswer<T> = readonly [loaded: Loaded<T>, again: () => void]

/** The refusal that is shown if the page cannot read the answer. */
export const UNREADABLE_ANSWER = { outcome: 'refused', problem: UNREADABLE } as const

/** Loads an answer when the component appears. @param on values that load it again when they change */
export function useAnswer<T>(
  ask: (signal: AbortSignal) => Promise<Answer<T>>,
  on: readonly unknown[],
): LoadedAnswer<T> {
  const [loaded, setLoaded] = useState<Loaded<T>>({ state: 'loading' })
  const [times, setTimes] = useState(0)
  useLayoutEffect(() => {
    const controller = new AbortController()
    void ask(controller.signal)
      .catch((): Answer<T> => UNREADABLE_ANSWER)
      .then((answer) => controller.signal.aborted || setLoaded(loadedFrom(answer)))
    return () => controller.abort()
  }, [...on, times])
  const again = useCallback(() => setTimes((before) => before + 1), [])
  return [loaded, again]
}

/** Keeps what was read where it cannot be read again just now, so that nothing typed beside it is lost. */
export function useLastAnswer<T>([loaded, again]: LoadedAnswer<T>): LoadedAnswer<T> {
  const last = useRef(loaded)
  const isOutOfReach = loaded.state === 'refused' && (loaded.problem.status === 0 || loaded.problem.status >= 500)
  if (last.current.state !== 'answered' || !isOutOfReach) last.current = loaded
  return [last.current, again]
}

const loadedFrom = <T>(answer: Answer<T>): Loaded<T> =>
  answer.outcome === 'answered'
    ? { state: 'answered', body: answer.body }
    : { state: 'refused', problem: answer.problem }
