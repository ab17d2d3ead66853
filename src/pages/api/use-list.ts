// A list of the service, page by page: what is there stays in its place while more is asked for.
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { List } from '../../platform/list.schema.ts'
import { UNREADABLE, type Answer, type Problem } from './call.ts'

export type Listed<T> = {
  rows: readonly T[]
  state: 'loading' | 'ready' | 'refused'
  problem: Problem | null
  hasMore: boolean
  more: () => void
  /** From the beginning. */
  again: () => void
}

/** What came may be other than the page can read: that is said too. */
const NOT_READ = { outcome: 'refused', problem: UNREADABLE } as const

const listOrRefused = <T>(answer: Answer<List<T>>): Answer<List<T>> =>
  answer.outcome === 'refused' || Array.isArray(answer.body.data) ? answer : NOT_READ

/** @param on what the list depends on: its filters */
export function useList<T>(
  ask: (cursor: string | null, signal: AbortSignal) => Promise<Answer<List<T>>>,
  on: readonly unknown[],
): Listed<T> {
  const [listed, setListed] = useState<{ rows: readonly T[]; next: string | null }>({ rows: [], next: null })
  const [state, setState] = useState<Listed<T>['state']>('loading')
  const [problem, setProblem] = useState<Problem | null>(null)
  const [asked, setAsked] = useState(0)

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

  // What other filters found goes at once; what is only looked at again stays until the answer is there.
  useLayoutEffect(() => setListed({ rows: [], next: null }), on)
  useLayoutEffect(() => {
    leaving.current = new AbortController()
    setProblem(null)
    void load([], null)
    return () => leaving.current.abort()
  }, [...on, asked])

  const { rows, next } = listed
  return {
    rows,
    state,
    problem,
    hasMore: next !== null,
    more: () => {
      if (state !== 'loading') void load(rows, next)
    },
    again: () => setAsked((times) => times + 1),
  }
}
