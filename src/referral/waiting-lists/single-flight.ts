// Lets one request of an isolate, the builder, make a costly value while others wait for it. Requests share values, never
// promises: a promise stays pending if its request ends. So the others poll, and one takes over if the builder falls silent.
import type { After, Clock } from '../../platform/time.ts'

export type SingleFlightTiming = { now: Clock; after: After }

/** The milliseconds between polls of waiting requests, and between reports of a builder. */
const POLL_MS = 50
/** A builder that reports nothing for this long has ended with its request. No step delays its reports for longer. */
export const SILENT_MS = 5_000
export const MOST_WAITED_MS = 15_000
/** Shares a failure for this long, because waiting requests would fail the same way one after the other. */
export const FAILED_MS = 1_000

/** `seenAt`: when the builder last reported. `outcome`: null while it builds; its `value` is null if the build failed. */
type Attempt<Value> = { name: string; seenAt: number; outcome: { value: Value | null; at: number } | null }

export type SingleFlight<Value> = (name: string, build: () => Promise<Value | null>) => Promise<Value | null>

/** Stores the last value. The returned function returns null if the value cannot be made in time. */
export function createSingleFlight<Value>({ now, after }: SingleFlightTiming): SingleFlight<Value> {
  let latest: Attempt<Value> | null = null

  async function buildAndReport(attempt: Attempt<Value>, build: () => Promise<Value | null>): Promise<Value | null> {
    let cancelReport = after(POLL_MS, reportAlive)
    function reportAlive(): void {
      attempt.seenAt = now()
      cancelReport = after(POLL_MS, reportAlive)
    }
    let value: Value | null = null
    try {
      value = await build()
      return value
    } finally {
      cancelReport()
      attempt.outcome = { value, at: now() }
    }
  }

  return async (name, build) => {
    const startedAt = now()
    while (now() - startedAt < MOST_WAITED_MS) {
      if (latest === null || latest.name !== name || isReplaceable(latest, now())) {
        latest = { name, seenAt: now(), outcome: null }
        return buildAndReport(latest, build)
      }
      if (latest.outcome !== null) return latest.outcome.value
      await new Promise<void>((resolve) => void after(POLL_MS, resolve))
    }
    return null
  }
}

/** Returns true if another request may build again: the attempt failed a while ago, or fell silent. */
function isReplaceable<Value>({ seenAt, outcome }: Attempt<Value>, now: number): boolean {
  if (outcome === null) return now - seenAt > SILENT_MS
  return outcome.value === null && now - outcome.at > FAILED_MS
}
