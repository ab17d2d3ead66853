// The platform lets one invocation have six requests waiting for their headers; a seventh waits unseen. Here they wait
// in the open instead: first come, first served, and whoever gives up leaves the queue.
import type { Runtime } from '../../providers/exchange.ts'

export const HEADER_SLOTS = 6

type Fetch = Runtime['fetch']

/** `fetch` with at most `slots` requests waiting for headers at a time. */
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
