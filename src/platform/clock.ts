// Time as a value that is passed in, so that tests can turn it.

/** Milliseconds since the epoch. */
export type Clock = () => number

export const systemClock: Clock = () => Date.now()

export const MINUTE_MS = 60_000
export const DAY_MS = 86_400_000

/** The number of whole UTC days since the epoch. */
export const utcDay = (now: number): number => Math.floor(now / DAY_MS)
