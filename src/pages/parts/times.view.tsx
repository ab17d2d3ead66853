// Shows times, relative or exact as the person chose in this browser, and counts down the time left.
import { useLayoutEffect, useState } from 'preact/hooks'
import { formatMoment, formatRelative, formatTimeLeft } from '../text/format.ts'

export const TIME_FORMATS = ['relative', 'utc', 'local'] as const
export type TimeFormat = (typeof TIME_FORMATS)[number]

const KEY = 'times'
const watchers = new Set<(shown: TimeFormat) => void>()

/** The format that the person chose for all times: relative, UTC or local. The browser stores it. */
export const chosenTimeFormat = {
  get value(): TimeFormat {
    const stored = localStorage.getItem(KEY)
    return TIME_FORMATS.find((one) => one === stored) ?? 'relative'
  },
  set(shown: TimeFormat): void {
    localStorage.setItem(KEY, shown)
    for (const watcher of watchers) watcher(shown)
  },
  watch(watcher: (shown: TimeFormat) => void): () => void {
    watchers.add(watcher)
    return () => watchers.delete(watcher)
  },
}

export const isLocalChosen = (): boolean => chosenTimeFormat.value === 'local'

/** Formats a time exactly, in the zone that the person chose. @param at ISO 8601 */
export const exactTime = (at: string): string => formatMoment(new Date(at), isLocalChosen())

/** Returns the format that the person chose, and the next one once they choose another. */
export function useTimeFormat(): TimeFormat {
  const [shown, setShown] = useState<TimeFormat>(chosenTimeFormat.value)
  useLayoutEffect(() => chosenTimeFormat.watch(setShown), [])
  return shown
}

/** Shows a time, relative or exact, with the other form on hover. @param at ISO 8601 */
export function Moment({ at }: { at: string }) {
  const shown = useTimeFormat()
  const date = new Date(at)
  const isAgo = shown === 'relative'
  const exact = formatMoment(date, shown === 'local')
  const ago = formatRelative(date, new Date())
  return (
    <time dateTime={at} class={isAgo ? 'ago' : undefined} title={isAgo ? exact : ago}>
      {isAgo ? ago : exact}
    </time>
  )
}

/** Counts down to a time. @param until ISO 8601 */
export function TimeLeft({ until }: { until: string }) {
  const remaining = Date.parse(until) - useNow()
  return (
    <time dateTime={until} title={exactTime(until)}>
      {remaining <= 0 ? 'over' : formatTimeLeft(remaining)}
    </time>
  )
}

const TICK_MS = 1_000

/** Returns the current time in milliseconds, updated every second. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now)
  useLayoutEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS)
    return () => clearInterval(timer)
  }, [])
  return now
}
