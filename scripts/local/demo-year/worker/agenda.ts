// What is still to happen, in the order of its times.

export type Event = { at: number; happen: () => void }

export class Agenda {
  /** The earliest one last. */
  #events: Event[] = []

  add(...events: readonly Event[]): void {
    this.#events = [...this.#events, ...events].toSorted((a, b) => b.at - a.at)
  }

  /** The earliest one that comes before a time; null where there is none. */
  next(before: number): Event | null {
    const first = this.#events.at(-1)
    if (first === undefined || first.at >= before) return null
    this.#events.pop()
    return first
  }
}
