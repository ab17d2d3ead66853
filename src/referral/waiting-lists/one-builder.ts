// Lets one request of an isolate make a costly value while the others wait for it. Values are shared, never a promise: in
// this runtime a promise belongs to the request that began it, and stays unsettled for all others when that request ends.
// So the others look for the value from time to time, and one of them takes over where the builder has fallen silent.

import type { After, Clock } from '../../platform/clock.ts'

export type BuilderTiming = { now: Clock; after: After }

/** How often the others look, and a builder that is alive says so. */
const LOOK_MS = 50
/** A builder that has said nothing for this long has gone with its request. Longer than anything it does in one go. */
export const SILENT_MS = 5_000
/** Nobody waits longer than this. */
export const MOST_WAITED_MS = 15_000
/** How long a failure is everybody's answer: those who wait would fail the same way, one after the other. */
export const FAILED_MS = 1_000

type Attempt<Value> = { name: string; seenAt: number; outcome: { value: Value | null; at: number } | null }

export type OneBuilder<Value> = (name: string, build: () => Promise<Value | null>) => Promise<Value | null>

/** Keeps the value that was made last. The function returned gives null where it cannot be made, or not in time. */
export function createOneBuilder<Value>({ now, after }: BuilderTiming): OneBuilder<Value> {
  let latest: Attempt<Value> | null = null

  async function buildAs(attempt: Attempt<Value>, build: () => Promise<Value | null>): Promise<Value | null> {
    let rest = after(LOOK_MS, sayAlive)
    function sayAlive(): void {
      attempt.seenAt = now()
      rest = after(LOOK_MS, sayAlive)
    }
    let value: Value | null = null
    try {
      value = await build()
      return value
    } finally {
      rest()
      attempt.outcome = { value, at: now() }
    }
  }

  return async (name, build) => {
    const startedAt = now()
    while (now() - startedAt < MOST_WAITED_MS) {
      if (latest === null || latest.name !== name || isOver(latest, now())) {
        latest = { name, seenAt: now(), outcome: null }
        return buildAs(latest, build)
      }
      if (latest.outcome !== null) return latest.outcome.value
      await new Promise<void>((resolve) => void after(LOOK_MS, resolve))
    }
    return null
  }
}

/** Whether it says nothing about now: failed a while ago, or fallen silent. */
function isOver<Value>({ seenAt, outcome }: Attempt<Value>, now: number): boolean {
  if (outcome === null) return now - seenAt > SILENT_MS
  return outcome.value === null && now - outcome.at > FAILED_MS
}
