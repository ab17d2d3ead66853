// Adds up the counts of objects by the method that does the work. All objects and their Worker share one isolate.
import { LATER, noCounts, type Counted, type Counts } from './counts.ts'

export class Tally {
  #turns = new Map<string, Counts>()
  #bindings = new Map<string, number>()
  /** The running method, or null. */
  #turn: string | null = null
  #isPaused = false

  /** Runs a counted method. If another counted method calls it, it counts as part of that one. */
  around<T>(turn: string, work: () => T): T {
    if (this.#isPaused || this.#turn !== null) return work()
    this.#of(turn).requests += 1
    this.#turn = turn
    try {
      return work()
    } finally {
      this.#turn = null
    }
  }

  /** Returns the counts to which the statement's rows are added when they are known, or null while it is paused. */
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

  /** Counts nothing during `work`, because counting itself would change the counts. */
  async paused<T>(work: () => Promise<T>): Promise<T> {
    this.#isPaused = true
    try {
      return await work()
    } finally {
      this.#isPaused = false
    }
  }

  /** Returns the counts since the last call, and resets them. */
  take(): Pick<Counted, 'turns' | 'bindings'> {
    const taken = { turns: Object.fromEntries(this.#turns), bindings: Object.fromEntries(this.#bindings) }
    this.#turns = new Map()
    this.#bindings = new Map()
    return taken
  }

  /** Returns the counts of the running method, or of work that a method does after it has waited. */
  #running(namespace: string): Counts {
    return this.#of(this.#turn ?? `${namespace}.${LATER}`)
  }

  #of(turn: string): Counts {
    const counts = this.#turns.get(turn) ?? noCounts()
    this.#turns.set(turn, counts)
    return counts
  }
}
