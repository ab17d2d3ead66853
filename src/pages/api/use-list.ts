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
  /**
   * Reads the first page again: what is new comes before the rows, and what is no longer there goes. What was loaded after it stays.
   * A refusal changes nothing.
   */
  refresh: (keyOf: (row: T) => string) => Promise<void>
  /** Reads a few rows of the beginning: what is listed changes in its place, and what is new is counted as `fresh`. */
  look: (keyOf: (row: T) => string) => Promise<void>
  /** How many rows have come before those that are listed. */
  fresh: number
}

const listOrRefused = <T>(answer: Answer<List<T>>): Answer<List<T>> =>
  answer.outcome === 'refused' || Array.isArray(answer.body.data) ? answer : UNREADABLE_ANSWER

/**
 * `first`: the cursor behind the first page, which had `firstRows` rows. All that comes after it was loaded or looked through, up to
 * `next`.
 */
type Listed<T> = { rows: readonly T[]; firstRows: number; first: string | null; next: string | null }

const NOTHING_LISTED = { rows: [], firstRows: 0, first: null, next: null }

/** A refresh reads at most so many pages to meet what is loaded. */
const MOST_REFRESHED = 4

/** Loads a list page by page. Its rows stay while more load. @param on the list's filters: a change loads it anew */
export function useList<T>(
  ask: (cursor: string | null, signal: AbortSignal, isLook: boolean) => Promise<Answer<List<T>>>,
  on: readonly unknown[],
): LoadedList<T> {
  const [listed, setListed] = useState<Listed<T>>(NOTHING_LISTED)
  const [state, setState] = useState<LoadedList<T>['state']>('loading')
  const [problem, setProblem] = useState<Problem | null>(null)
  const [times, setTimes] = useState(0)
  const [fresh, setFresh] = useState(0)
  const controller = useRef(new AbortController())

  const read = (cursor: string | null, signal: AbortSignal, isLook = false): Promise<Answer<List<T>>> =>
    ask(cursor, signal, isLook)
      .then(listOrRefused)
      .catch(() => UNREADABLE_ANSWER)

  const load = async (cursor: string | null): Promise<void> => {
    const { signal } = controller.current
    setState('loading')
    const answer = await read(cursor, signal)
    // The filters changed meanwhile, so this answer belongs to another list.
    if (signal.aborted) return
    if (answer.outcome === 'refused') {
      setProblem(answer.problem)
      setState('refused')
      return
    }
    setProblem(null)
    const { data, next_cursor: to } = answer.body
    setListed((before) =>
      cursor === null
        ? { rows: data, firstRows: data.length, first: to, next: to }
        : { ...before, rows: [...before.rows, ...data], next: to },
    )
    setState('ready')
  }

  // A change of filters removes the rows at once. Loading the same list again keeps them until the answer comes.
  useLayoutEffect(() => setListed(NOTHING_LISTED), on)
  useLayoutEffect(() => {
    controller.current = new AbortController()
    setProblem(null)
    setFresh(0)
    void load(null)
    return () => controller.current.abort()
  }, [...on, times])

  const refresh = async (keyOf: (row: T) => string): Promise<void> => {
    const { signal } = controller.current
    const known = new Set(listed.rows.map(keyOf))
    const fetched: T[] = []
    let cursor: string | null = null
    let first: Pick<Listed<T>, 'first' | 'firstRows'> = NOTHING_LISTED
    for (let page = 0; page < MOST_REFRESHED; page += 1) {
      // oxlint-disable-next-line no-await-in-loop -- each page begins where the one before it ended
      const answer: Answer<List<T>> = await read(cursor, signal)
      if (signal.aborted || answer.outcome === 'refused') return
      fetched.push(...answer.body.data)
      cursor = answer.body.next_cursor
      if (page === 0) first = { first: cursor, firstRows: fetched.length }
      if (cursor === null || fetched.some((row) => known.has(keyOf(row))) || isBehind(cursor, listed.first)) break
    }
    const found: Listed<T> = { ...first, rows: fetched, next: cursor }
    setListed((before) => refreshed(before, found, keyOf))
    setFresh(0)
  }

  const look: LoadedList<T>['look'] = async (keyOf) => {
    const { signal } = controller.current
    const answer = await read(null, signal, true)
    if (signal.aborted || answer.outcome === 'refused') return
    const { data } = answer.body
    const known = new Map(listed.rows.map((row) => [keyOf(row), row]))
    const at = data.findIndex((row) => known.has(keyOf(row)))
    setFresh(at < 0 ? data.length : at)
    const seen = new Map(data.map((row) => [keyOf(row), row]))
    const isOther = (row: T): boolean => JSON.stringify(known.get(keyOf(row))) !== JSON.stringify(row)
    if (data.some((row) => known.has(keyOf(row)) && isOther(row)))
      setListed((before) => ({ ...before, rows: before.rows.map((row) => seen.get(keyOf(row)) ?? row) }))
  }

  const { rows, next } = listed
  return {
    refresh,
    look,
    fresh,
    rows,
    state,
    problem,
    hasMore: next !== null,
    more: () => {
      if (state !== 'loading') void load(next)
    },
    again: () => setTimes((before) => before + 1),
  }
}

/** Returns the rows of both without a gap between them. Where there may be one, the list begins anew. */
function refreshed<T>(before: Listed<T>, fresh: Listed<T>, keyOf: (row: T) => string): Listed<T> {
  const keys = new Set(fresh.rows.map(keyOf))
  const last = before.rows.findLastIndex((row) => keys.has(keyOf(row)))
  const hasFirst = isBehind(fresh.next, before.first)
  if (last < 0 && !hasFirst) return fresh.rows.length === 0 ? before : fresh
  // What the first page had and is in none of these is no longer there.
  const older = fresh.next === null ? [] : before.rows.slice(Math.max(last + 1, hasFirst ? before.firstRows : 0))
  const isFurther = older.length === 0 && isBehind(fresh.next, before.next)
  return { ...fresh, rows: [...fresh.rows, ...older], next: isFurther ? fresh.next : before.next }
}

/** True if a list that goes back from `from` passes `to`. Cursors of a log are positions in it; null is its beginning. */
const isBehind = (from: string | null, to: string | null): boolean =>
  from === null || (to !== null && Number(from) <= Number(to))
