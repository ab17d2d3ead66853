// Decides how long a webhook message waits before it is sent again. Pure.

const [SECOND, MINUTE, HOUR] = [1000, 60_000, 3_600_000]

/** The waits after the first attempt, the second and so on. Together they take about three days. */
const WAITS_MS = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  1 * HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
  24 * HOUR,
  24 * HOUR,
] as const

/** Varies each wait by up to this share, so that messages that failed together do not return together. */
const JITTER = 0.1

export const LONGEST_WAIT_MS = 24 * HOUR * (1 + JITTER)

/**
 * Returns the wait before the next attempt, in milliseconds; null after the last attempt.
 * @param attempts attempts made, at least one
 * @param random from 0 up to, not including, 1
 */
export function retryWaitMs(attempts: number, random: number): number | null {
  const wait = WAITS_MS[attempts - 1]
  return wait === undefined ? null : Math.round(wait * (1 - JITTER + 2 * JITTER * random))
}
