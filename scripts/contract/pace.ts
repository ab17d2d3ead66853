// When the next call may be made with a key that is limited per rolling minute. Pure: headers and the clock come in,
// milliseconds to wait come out.

export type Rate = { readonly remaining: number; readonly resetAtMs: number }

const MINUTE_MS = 60_000
// A limit that does not open within about a minute is the day's: waiting for that is for the operator to decide.
const LONGEST_WAIT_MS = MINUTE_MS + 5_000
// The server's clock and ours differ a little, and its reset is in whole seconds.
const MARGIN_MS = 250

export function rateOf(headers: Headers): Rate | null {
  const remaining = headers.get('x-ratelimit-remaining')
  const reset = headers.get('x-ratelimit-reset')
  if (remaining === null || reset === null) return null
  const rate = { remaining: Number(remaining), resetAtMs: Number(reset) * 1000 }
  return Number.isFinite(rate.remaining) && Number.isFinite(rate.resetAtMs) ? rate : null
}

export function waitBeforeNextCall({ remaining, resetAtMs }: Rate, nowMs: number): number {
  if (remaining > 0 || resetAtMs <= nowMs) return 0
  const ms = resetAtMs - nowMs + MARGIN_MS
  return ms <= LONGEST_WAIT_MS ? ms : 0
}

/** How long to wait after a 429 before the call is made again; null when it should not be. */
export function waitAfterRefusal(retryAfter: unknown): number | null {
  if (typeof retryAfter !== 'number' || retryAfter < 1) return null
  const ms = retryAfter * 1000 + MARGIN_MS
  return ms <= LONGEST_WAIT_MS ? ms : null
}
