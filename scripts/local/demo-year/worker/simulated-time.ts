// The time of the invented year: a clock that can be set, and the events that are still to happen.

const trueTime = Date.now
let invented: number | null = null

// A turn is synchronous, so it can have its own time. Everything else in this Worker has the true one.
Date.now = () => invented ?? trueTime()

/** Sets the clock; null sets it back to the true time. */
export function setTime(time: number | null): void {
  invented = time
}

/** Runs the synchronous part of `work` at a time. */
export function atTime<T>(time: number, work: () => T): T {
  const before = invented
  invented = time
  try {
    return work()
  } finally {
    invented = before
  }
}

type Event = { at: number; happen: () => void }

export class Agenda {
  /** The earliest event is the last. */
  #events: Event[] = []

  add(...events: readonly Event[]): void {
    this.#events = [...this.#events, ...events].toSorted((a, b) => b.at - a.at)
  }

  /** Takes the earliest event before a time; null if there is none. */
  next(before: number): Event | null {
    const first = this.#events.at(-1)
    if (first === undefined || first.at >= before) return null
    this.#events.pop()
    return first
  }
}
