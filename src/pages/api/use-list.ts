// Hook for a list of the API that loads page by page. Its rows stay while more load.
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { List } from '../../platform/pagination.schema.ts'
import type { Answer, Problem } from './send-request.ts'
import { UNREADABLE_ANSWER } from './use-answer.ts'

export type LoadedList<T> = {
  rows: readonly T[]
  state: 'loading' | 'ready' | 'refused'
  problem: Problem | null
  hasMore: boolean
  more: () => void
  /** Loads the list again from the beginning. */
  again: () => void
}

const listOrRefused = <T>(answer: Answer<List<T>>): Answer<List<T>> =>
  answer.outcome === 'refused' || Array.isArray(answer.body.data) ? answer : UNREADABLE_ANSWER

/** Loads a list page by page. Its rows stay while more load. @param on the list's filters: a change loads it anew */
export function useList<T>(
  ask: (cursor: string | null, signal: AbortSignal) => Promise<Answer<List<T>>>,
  on: readonly unknown[],
): LoadedList<T> {
  const [listed, setListed] = useState<{ rows: readonly T[]; next: string | null }>({ rows: [], next: null })
  const [state, setState] = useState<LoadedList<T>['state']>('loading')
  const [problem, setProblem] = useState<Problem | null>(null)
  const [times, setTimes] = useState(0)
  const controller = useRef(new AbortController())

  const load = async (before: readonly T[], cursor: string | null): Promise<void> => {
    const { signal } = controller.current
    setState('loading')
    const answer = await ask(cursor, signal)
      .then(listOrRefused)
      .catch(() => UNREADABLE_ANSWER)
    // The filters changed meanwhile, so this answer belongs to another list.
    if (signal.aborted) return
    if (answer.outcome === 'refused') {
      setProblem(answer.problem)
      setState('refused')
      return
    }
    setProblem(null)
    setListed({ rows: [...before, ...answer.body.data], next: answer.body.next_cursor })
    setState('ready')
  }

  // A change of filters removes the rows at once. Loading the same list again keeps them until the answer comes.
  useLayoutEffect(() => setListed({ rows: [], next: null }), on)
  useLayoutEffect(() => {
    controller.current = new AbortController()
    setProblem(null)
    void load([], null)
    return () => controller.current.abort()
  }, [...on, times])

  const { rows, next } = listed
  return {
    rows,
    state,
    problem,
    hasMore: next !== null,
    more: () => {
      if (state !== 'loading') void load(rows, next)
    },
    again: () => setTimes((before) => before + 1),
  }
}
