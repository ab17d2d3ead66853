// A list of the service, page by page: rows stay in their place while more are on their way.
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { List } from '../../platform/list.schema.ts'
import type { Answer, Problem } from './call.ts'
import { NOT_READ } from './use-answer.ts'

export type Listed<T> = {
  rows: readonly T[]
  state: 'loading' | 'ready' | 'refused'
  problem: Problem | null
  hasMore: boolean
  more: () => void
  /** From the beginning. */
  again: () => void
}

const listOrRefused = <T>(answer: Answer<List<T>>): Answer<List<T>> =>
  answer.outcome === 'refused' || Array.isArray(answer.body.data) ? answer : NOT_READ

/** A list, page by page: rows stay while more are on their way. @param on what the list depends on: its filters */
export function useList<T>(
  ask: (cursor: string | null, signal: AbortSignal) => Promise<Answer<List<T>>>,
  on: readonly unknown[],
): Listed<T> {
  const [listed, setListed] = useState<{ rows: readonly T[]; next: string | null }>({ rows: [], next: null })
  const [state, setState] = useState<Listed<T>['state']>('loading')
  const [problem, setProblem] = useState<Problem | null>(null)
  const [times, setTimes] = useState(0)
  const leaving = useRef(new AbortController())

  const load = async (before: readonly T[], cursor: string | null): Promise<void> => {
    const { signal } = leaving.current
    setState('loading')
    const answer = await ask(cursor, signal)
      .then(listOrRefused)
      .catch(() => NOT_READ)
    // Another list was asked for meanwhile.
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

  // Rows of other filters go at once; rows that are only asked for again stay until the answer is there.
  useLayoutEffect(() => setListed({ rows: [], next: null }), on)
  useLayoutEffect(() => {
    leaving.current = new AbortController()
    setProblem(null)
    void load([], null)
    return () => leaving.current.abort()
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
