// How long a request waited for others. In production clocks stand still during computation, so these are waits for the
// organisation's object, a provider or storage; there is no CPU figure to give.

export type WaitedFor = 'organisation' | 'upstream' | 'storage'

export class Timings {
  readonly #waits = new Map<WaitedFor, number>()

  async measure<T>(what: WaitedFor, work: () => Promise<T>): Promise<T> {
    const startedAt = performance.now()
    try {
      return await work()
    } finally {
      this.#waits.set(what, (this.#waits.get(what) ?? 0) + performance.now() - startedAt)
    }
  }

  /** The value of a `server-timing` header (W3C Server Timing), durations in milliseconds. */
  header(): string {
    const entries = (['organisation', 'upstream', 'storage'] as const).map(
      (what) => `${what};dur=${(this.#waits.get(what) ?? 0).toFixed(1)}`,
    )
    return entries.join(', ')
  }

  /** Whole milliseconds waited for each. */
  milliseconds(): Record<string, number> {
    return Object.fromEntries([...this.#waits].map(([what, ms]) => [what, Math.round(ms)]))
  }
}
