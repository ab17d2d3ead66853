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
  /** Reads the first page again: what is new comes before the rows, what is no longer there goes. A refusal changes nothing. */
  refresh: (keyOf: (row: T) => string) => Promise<void>
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

  const refresh = async (keyOf: (row: T) => string): Promise<void> => {
    const { signal } = controller.current
    const answer = await ask(null, signal)
      .then(listOrRefused)
      .catch(() => UNREADABLE_ANSWER)
    if (signal.aborted || answer.outcome === 'refused') return
    const { data, next_cursor: fresh } = answer.body
    setListed((before) => {
      const keys = new Set(data.map(keyOf))
      const last = before.rows.findLastIndex((row) => keys.has(keyOf(row)))
      const older = before.rows.slice(last + 1)
      // Without a row in common there is no telling what lies between: the list begins anew.
      if (last < 0) return data.length === 0 ? before : { rows: data, next: fresh }
      return { rows: [...data, ...older], next: older.length > 0 ? before.next : fresh }
    })
  }

  const { rows, next } = listed
  return {
    refresh,
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
