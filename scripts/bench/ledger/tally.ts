// Adds up what objects do, by the method that does it. All objects and their Worker are in one isolate.
import { LATER, noCounts, type Counted, type Counts } from './counts.ts'

export class Tally {
  /** The machine's own time, in milliseconds. */
  readonly #now: () => number
  #turns = new Map<string, Counts>()
  #bindings = new Map<string, number>()
  /** The method that runs now. */
  #turn: string | null = null
  #isPaused = false

  constructor(now: () => number) {
    this.#now = now
  }

  /** What another counted method calls is its own. */
  around<T>(turn: string, work: () => T): T {
    if (this.#isPaused || this.#turn !== null) return work()
    const counts = this.#of(turn)
    counts.requests += 1
    const startedAt = this.#now()
    const end = (): void => void (counts.milliseconds += this.#now() - startedAt)
    this.#turn = turn
    try {
      const answer = work()
      if (answer instanceof Promise) void answer.then(end, end)
      else end()
      return answer
    } finally {
      this.#turn = null
    }
  }

  /** Where its rows are to be added, once they are known; null where it does not count. */
  addStatement(namespace: string): Counts | null {
    if (this.#isPaused) return null
    const counts = this.#running(namespace)
    counts.statements += 1
    return counts
  }

  addAlarm(namespace: string): void {
    if (!this.#isPaused) this.#running(namespace).alarmsSet += 1
  }

  addBinding(name: string): void {
    if (!this.#isPaused) this.#bindings.set(name, (this.#bindings.get(name) ?? 0) + 1)
  }

  /** Where counting would be part of what is measured. */
  async paused<T>(work: () => Promise<T>): Promise<T> {
    this.#isPaused = true
    try {
      return await work()
    } finally {
      this.#isPaused = false
    }
  }

  /** What was counted since the last time. */
  take(): Pick<Counted, 'turns' | 'bindings'> {
    const told = { turns: Object.fromEntries(this.#turns), bindings: Object.fromEntries(this.#bindings) }
    this.#turns = new Map()
    this.#bindings = new Map()
    return told
  }

  /** Of the method that runs now, or of what one does after it has waited. */
  #running(namespace: string): Counts {
    return this.#of(this.#turn ?? `${namespace}.${LATER}`)
  }

  #of(turn: string): Counts {
    const known = this.#turns.get(turn)
    if (known !== undefined) return known
    const counts = noCounts()
    this.#turns.set(turn, counts)
    return counts
  }
}
