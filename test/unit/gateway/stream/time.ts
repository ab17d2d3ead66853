// Time for a response stream, that passes when told to.

/** Time that stops at each timer on its way. */
export function createTime() {
  let now = 0
  const timers = new Set<{ at: number; action: () => void }>()
  return {
    now: () => now,
    pending: () => timers.size,
    after: (delayMs: number, action: () => void) => {
      const timer = { at: now + delayMs, action }
      timers.add(timer)
      return () => void timers.delete(timer)
    },
    pass: async (ms: number): Promise<void> => {
      const until = now + ms
      for (;;) {
        await drainMicrotasks()
        const [due] = [...timers].filter(({ at }) => at <= until).toSorted((a, b) => a.at - b.at)
        if (due === undefined) break
        timers.delete(due)
        now = due.at
        due.action()
      }
      now = until
    },
  }
}

export const drainMicrotasks = () => new Promise((resolve) => setTimeout(resolve, 0))
