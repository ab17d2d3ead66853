// A pool of the isolate's memory whose time passes when told to.
import { openAnswerMemory, type AnswerMemory } from '../../../../src/gateway/memory/answer-memory.ts'
import { openBodyMemory, type BodyMemory } from '../../../../src/gateway/memory/body-memory.ts'
import { createMemoryPool } from '../../../../src/gateway/memory/memory-pool.ts'

export const LIMITS = {
  totalBytes: 100,
  ownerBytes: 100,
  largeBytes: 10,
  answerBytes: 5,
  totalAnswers: 8,
  ownerAnswers: 6,
  stalledMs: 200,
  slowMs: 2_000,
  arrivalMs: 30,
  leaseMs: 1_000,
}

/** A pool whose time passes when told to. */
export function openPool(limits = LIMITS) {
  let now = 0
  const timers = new Set<{ at: number; action: () => void }>()
  const released: Promise<void>[] = []
  const pool = createMemoryPool({
    limits,
    now: () => now,
    after(delayMs, action) {
      const timer = { at: now + delayMs, action }
      timers.add(timer)
      return () => void timers.delete(timer)
    },
  })
  return {
    /** Opens memory for a new owner, unless one is named. */
    open: (owner: string = crypto.randomUUID()): BodyMemory =>
      openBodyMemory(pool, owner, (whenReleased) => void released.push(whenReleased)),
    /** null where there is no room for it. */
    openAnswer: (owner: string = crypto.randomUUID()): AnswerMemory | null => openAnswerMemory(pool, owner),
    now: () => now,
    released,
    pendingTimers: () => timers.size,
    /** Does what the runtime does to a call that it ends by force, if it is the only one. */
    killCall: () => timers.clear(),
    pass: (ms: number): void => {
      now += ms
      for (const timer of timers) {
        if (timer.at > now) continue
        timers.delete(timer)
        timer.action()
      }
    },
  }
}
