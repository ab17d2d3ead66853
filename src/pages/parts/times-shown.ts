// How all times of a page are shown: as this browser was last told.

export const TIMES_SHOWN = ['relative', 'utc', 'local'] as const
export type TimesShown = (typeof TIMES_SHOWN)[number]

const KEY = 'times'
const watchers = new Set<(shown: TimesShown) => void>()

function kept(): TimesShown {
  const value = localStorage.getItem(KEY)
  return TIMES_SHOWN.find((one) => one === value) ?? 'relative'
}

export const timesShown = {
  get value(): TimesShown {
    return kept()
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
