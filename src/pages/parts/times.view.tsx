// Times: how long ago or exact, as this browser was last told, and how long is left.
import { useLayoutEffect, useState } from 'preact/hooks'
import { formatMoment, formatRelative, formatTimeLeft } from '../text/format.ts'

export const TIMES_SHOWN = ['relative', 'utc', 'local'] as const
export type TimesShown = (typeof TIMES_SHOWN)[number]

const KEY = 'times'
const watchers = new Set<(shown: TimesShown) => void>()

/** How all times of a page are shown. */
export const timesShown = {
  get value(): TimesShown {
    const kept = localStorage.getItem(KEY)
    return TIMES_SHOWN.find((one) => one === kept) ?? 'relative'
  },
  set(shown: TimesShown): void {
    localStorage.setItem(KEY, shown)
    for (const watcher of watchers) watcher(shown)
  },
  watch(watcher: (shown: TimesShown) => void): () => void {
    watchers.add(watcher)
    return () => watchers.delete(watcher)
  },
}

/** How long ago, with the exact time for who points at it; or the exact time. @param at ISO 8601 */
export function Moment({ at }: { at: string }) {
  const [shown, setShown] = useState<TimesShown>(timesShown.value)
  useLayoutEffect(() => timesShown.watch(setShown), [])
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

/** How long something is still there, counting down. @param until ISO 8601 */
export function TimeLeft({ until }: { until: string }) {
  const left = Date.parse(until) - useNow()
  return (
    <time dateTime={until} title={formatMoment(new Date(until), false)}>
      {left <= 0 ? 'over' : formatTimeLeft(left)}
    </time>
  )
}

const TICK_MS = 1_000

/** The time in milliseconds, changing every second. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now)
  useLayoutEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS)
    return () => clearInterval(timer)
  }, [])
  return now
}
