// A list of the service, page by page: what is there stays in its place while more is asked for.
import { useEffect, useState } from 'preact/hooks'
import type { List } from '../../platform/list.schema.ts'
import type { Answer, Problem } from './call.ts'

export type Listed<T> = {
  rows: readonly T[]
  state: 'loading' | 'ready' | 'refused'
  problem: Problem | null
  hasMore: boolean
  more: () => void
  /** From the beginning. */
  again: () => void
}

/** @param on what the list depends on: its filters */
export function useList<T>(
  ask: (cursor: string | null, signal: AbortSignal) => Promise<Answer<List<T>>>,
  on: readonly unknown[],
): Listed<T> {
  const [listed, setListed] = useState<{ rows: readonly T[]; next: string | null }>({ rows: [], next: null })
  const [state, setState] = useState<Listed<T>['state']>('loading')
  const [problem, setProblem] = useState<Problem | null>(null)
  const [asked, setAsked] = useState(0)

  const load = async (before: readonly T[], cursor: string | null, signal: AbortSignal): Promise<void> => {
    setState('loading')
    const answer = await ask(cursor, signal)
    if (answer.outcome === 'refused') {
      setProblem(answer.problem)
      setState('refused')
      return
    }
    setProblem(null)
    setListed({ rows: [...before, ...answer.body.data], next: answer.body.next_cursor })
    setState('ready')
  }

  useEffect(() => {
    const leaving = new AbortController()
    setListed({ rows: [], next: null })
    load([], null, leaving.signal).catch(() => undefined)
    return () => leaving.abort()
  }, [...on, asked])

  const { rows, next } = listed
  return {
    rows,
    state,
    problem,
    hasMore: next !== null,
    more: () => void load(rows, next, new AbortController().signal),
    again: () => setAsked((times) => times + 1),
  }
}
