// The demo year's simulated clock, and its queue of future events.

const trueTime = Date.now
let invented: number | null = null

// A turn is synchronous, so it can have its own time. Everything else in this Worker has the true time.
Date.now = () => invented ?? trueTime()

/** Sets the clock. Null resets it to the true time. */
export function setTime(time: number | null): void {
  invented = time
}

/** Runs `work` at a simulated time. Only its synchronous part sees that time. */
export function atTime<T>(time: number, work: () => T): T {
  const before = invented
  invented = time
  try {
    return work()
  } finally {
    invented = before
  }
}

type Event = { at: number; run: () => void }

export class EventQueue {
  /** Sorted: the earliest event is the last item. */
  readonly #events: Event[] = []

  add(...events: readonly Event[]): void {
    for (const event of events) {
      // Most events are near the next one. Events of one time run in the order in which they were added.
      const after = this.#events.findLastIndex(({ at }) => at > event.at)
      this.#events.splice(after + 1, 0, event)
    }
  }

  /** Removes and returns the earliest event before a time, or null. */
  next(before: number): Event | null {
    const first = this.#events.at(-1)
    if (first === undefined || first.at >= before) return null
    this.#events.pop()
    return first
  }
}
