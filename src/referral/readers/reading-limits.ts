// The limits of one reading: its deadline, and the number of requests that wait for headers. A sample after the deadline is a
// time-out. The deadline moves closer if outstanding samples make no difference.
import type { Runtime } from '../../providers/http-exchange.ts'

export type ReadingDeadline = {
  /** The full time limit, from the first request. */
  readonly limitMs: number
  /** Aborts at the deadline, which closes the connections to the providers. */
  readonly signal: AbortSignal
  /** Resolves after half of the time limit. */
  readonly halfway: Promise<void>
  /** Resolves at the deadline. Requests that still run then are not waited for. */
  readonly passed: Promise<'passed'>
  readonly elapsedMs: () => number
  /** Moves the deadline to this soon, unless it is sooner already. Only the first call counts. */
  readonly passWithin: (graceMs: number) => void
  /** Call it after the last sample. */
  readonly release: () => void
}

export function startDeadline(limitMs: number, runtime: Pick<Runtime, 'now' | 'after'>): ReadingDeadline {
  const startedAt = runtime.now()
  const controller = new AbortController()
  const { promise: passed, resolve } = Promise.withResolvers<'passed'>()
  const { promise: halfway, resolve: reachHalf } = Promise.withResolvers<void>()
  const pass = (): void => {
    release()
    resolve('passed')
    controller.abort()
  }
  const cancelHalf = runtime.after(limitMs / 2, reachHalf)
  const cancelLimit = runtime.after(limitMs, pass)
  let cancelGrace: (() => void) | null = null
  const release = (): void => {
    cancelHalf()
    cancelLimit()
    cancelGrace?.()
  }
  return {
    limitMs,
    signal: controller.signal,
    halfway,
    passed,
    elapsedMs: () => Math.round(runtime.now() - startedAt),
    passWithin: (graceMs) => {
      cancelGrace ??= runtime.after(graceMs, pass)
    },
    release,
  }
}

/**
 * The platform lets one invocation have six requests waiting for their headers, and delays a seventh without notice. Here the
 * seventh waits in a queue of our own, first come, first served. An aborted request leaves the queue.
 */
export const HEADER_SLOTS = 6

type Fetch = Runtime['fetch']

/** Returns a `fetch` with at most `slots` requests waiting for headers at a time. */
export function withHeaderSlots(fetch: Fetch, slots = HEADER_SLOTS): Fetch {
  const queue: (() => void)[] = []
  let free = slots

  function enter(signal: AbortSignal | null): Promise<void> {
    if (free > 0) {
      free -= 1
      return Promise.resolve()
    }
    return new Promise((resolve, reject) => {
      const admit = (): void => {
        signal?.removeEventListener('abort', giveUp)
        resolve()
      }
      const giveUp = (): void => {
        queue.splice(queue.indexOf(admit), 1)
        reject(new DOMException('left the queue', 'AbortError'))
      }
      signal?.addEventListener('abort', giveUp, { once: true })
      queue.push(admit)
    })
  }

  function leave(): void {
    const next = queue.shift()
    if (next === undefined) free += 1
    else next()
  }

  return async (url, init) => {
    await enter(init.signal ?? null)
    try {
      return await fetch(url, init)
    } finally {
      leave()
    }
  }
}
