// Adds up what the Durable Objects do (requests, SQL statements, rows, alarms) by the method that does it, and calls of bindings.
// One tally is enough, because all objects and their Worker share one isolate.
import { LATER, noCounts, type StorageCounts, type Counts } from './counted-worker-api.ts'

export class StorageTally {
  #turns = new Map<string, Counts>()
  #bindings = new Map<string, number>()
  /** The running method, or null. */
  #method: string | null = null

  /** Runs a method and counts its work. A method that is called by another counted method counts as part of that method. */
  around<T>(method: string, work: () => T): T {
    if (this.#method !== null) return work()
    this.#of(method).requests += 1
    this.#method = method
    try {
      return work()
    } finally {
      this.#method = null
    }
  }

  /** Returns the counts to which the statement's rows are added when they are known. */
  addStatement(namespace: string): Counts {
    const counts = this.#running(namespace)
    counts.statements += 1
    return counts
  }

  addAlarm(namespace: string): void {
    this.#running(namespace).alarmsSet += 1
  }

  addBinding(name: string): void {
    this.#bindings.set(name, (this.#bindings.get(name) ?? 0) + 1)
  }

  /** Returns the counts since the last call, and resets them. */
  take(): Pick<StorageCounts, 'turns' | 'bindings'> {
    const taken = { turns: Object.fromEntries(this.#turns), bindings: Object.fromEntries(this.#bindings) }
    this.#turns = new Map()
    this.#bindings = new Map()
    return taken
  }

  /** Returns the counts of the running method, or of work that a method does after it has waited. */
  #running(namespace: string): Counts {
    return this.#of(this.#method ?? `${namespace}.${LATER}`)
  }

  #of(method: string): Counts {
    const counts = this.#turns.get(method) ?? noCounts()
    this.#turns.set(method, counts)
    return counts
  }
}
