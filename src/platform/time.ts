// Time: clocks and timers that tests replace, UTC days and months, and a time limit for a promise.

/** Returns milliseconds since the epoch. */
export type Clock = () => number

export const systemClock: Clock = () => Date.now()

/** Schedules an action and returns a function that cancels it. */
export type After = (delayMs: number, action: () => void) => () => void

export const systemAfter: After = (delayMs, action) => {
  const timer = setTimeout(action, delayMs)
  return () => clearTimeout(timer)
}

/** Waits. Ends immediately if the signal is aborted. Never rejects. */
export type Pause = (ms: number, signal: AbortSignal) => Promise<void>

export const systemPause: Pause = (ms, signal) =>
  new Promise((resolve) => {
    const cancel = systemAfter(ms, resolve)
    const end = (): void => {
      cancel()
      resolve()
    }
    signal.addEventListener('abort', end, { once: true })
    if (signal.aborted) end()
  })

export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 86_400_000

/** Returns the number of whole UTC days since the epoch. */
export const utcDay = (now: number): number => Math.floor(now / DAY_MS)

/** Returns the date of a UTC day, given by its number, as YYYY-MM-DD. */
export const dateOf = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10)

/** Returns the number of whole UTC months since the epoch. */
export function utcMonth(now: number): number {
  const date = new Date(now)
  return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth()
}

/** Returns the name of a UTC month, given by its number, as YYYY-MM. */
export const utcMonthName = (month: number): string => new Date(Date.UTC(1970, month)).toISOString().slice(0, 7)

/** Returns the end of a UTC month, given by its number: 00:00 on the first of the next, in milliseconds. */
export const utcMonthEnd = (month: number): number => Date.UTC(1970, month + 1)

export class TimeLimitError extends Error {
  override readonly name = 'TimeLimitError'
}

/** Rejects with TimeLimitError after `limitMs`. The work itself does not stop, so repeating it must be harmless. */
export async function withTimeLimit<T>(work: Promise<T>, limitMs: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimeLimitError()), limitMs)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
