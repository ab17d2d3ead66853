// Brings somebody who comes back to a list to the place that they left: the rows that were loaded, and how far the page was scrolled.
// A dashboard page is drawn anew each time, so the browser alone finds a page with nothing in it.
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { LoadedList } from '../../api/use-list.ts'

type Place = { rows: number; top: number }

/** More than so many rows, or pages, are not loaded by themselves. */
const MOST_ROWS = 1_000
const MOST_LOOKS = 20

function keptPlace(): Place | null {
  const state: unknown = history.state
  if (typeof state !== 'object' || state === null || !('rows' in state) || !('top' in state)) return null
  const { rows, top } = state
  return typeof rows === 'number' && typeof top === 'number' ? { rows, top } : null
}

export function useReturnToPlace(list: Pick<LoadedList<unknown>, 'rows' | 'state' | 'hasMore' | 'more'> | null): void {
  const wanted = useRef<Place | null | undefined>(undefined)
  const looks = useRef(0)
  if (wanted.current === undefined) wanted.current = list === null ? null : keptPlace()
  useLayoutEffect(() => {
    if (list === null) return undefined
    const keep = (): void => history.replaceState({ rows: list.rows.length, top: scrollY }, '')
    addEventListener('pagehide', keep)
    return () => removeEventListener('pagehide', keep)
  })
  useLayoutEffect(() => {
    const place = wanted.current
    if (place == null || list === null || list.state === 'loading') return
    const isShort = list.rows.length > 0 && list.rows.length < Math.min(place.rows, MOST_ROWS)
    if (list.state === 'ready' && list.hasMore && isShort && looks.current < MOST_LOOKS) {
      looks.current += 1
      list.more()
      return
    }
    wanted.current = null
    scrollTo(0, place.top)
  })
}
