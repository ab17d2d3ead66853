// What a page has of an answer: on its way, there, or refused. Asked again when what it depends on changes.
import { useCallback, useLayoutEffect, useState } from 'preact/hooks'
import { UNREADABLE, type Answer, type Problem } from './call.ts'

export type Loaded<T> = { state: 'loading' } | { state: 'answered'; body: T } | { state: 'refused'; problem: Problem }

/** @param on what the question depends on */
export function useAnswer<T>(
  ask: (signal: AbortSignal) => Promise<Answer<T>>,
  on: readonly unknown[],
): [Loaded<T>, () => void] {
  const [loaded, setLoaded] = useState<Loaded<T>>({ state: 'loading' })
  const [asked, setAsked] = useState(0)
  useLayoutEffect(() => {
    const leaving = new AbortController()
    // What came may be other than the page can read: that is said too.
    void ask(leaving.signal)
      .then(loadedFrom, (): Loaded<T> => ({ state: 'refused', problem: UNREADABLE }))
      .then((found) => leaving.signal.aborted || setLoaded(found))
    return () => leaving.abort()
  }, [...on, asked])
  const again = useCallback(() => setAsked((times) => times + 1), [])
  return [loaded, again]
}

const loadedFrom = <T>(answer: Answer<T>): Loaded<T> =>
  answer.outcome === 'answered'
    ? { state: 'answered', body: answer.body }
    : { state: 'refused', problem: answer.problem }
