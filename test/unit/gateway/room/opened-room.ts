// A room in the isolate's memory whose time passes when told to.
import { openAnswerPlace, type AnswerPlace } from '../../../../src/gateway/room/answer-place.ts'
import { openBodyPlace, type BodyPlace } from '../../../../src/gateway/room/body-place.ts'
import { createMemoryRoom } from '../../../../src/gateway/room/memory-room.ts'

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

/** A room whose time passes when told to. */
export function openRoom(limits = LIMITS) {
  let now = 0
  const timers = new Set<{ at: number; action: () => void }>()
  const released: Promise<void>[] = []
  const room = createMemoryRoom({
    limits,
    now: () => now,
    after(delayMs, action) {
      const timer = { at: now + delayMs, action }
      timers.add(timer)
      return () => void timers.delete(timer)
    },
  })
  return {
    /** Of an owner of its own, unless one is named. */
    open: (owner: string = crypto.randomUUID()): BodyPlace =>
      openBodyPlace(room, owner, (whenReleased) => void released.push(whenReleased)),
    /** null where there is no room for it. */
    openAnswer: (owner: string = crypto.randomUUID()): AnswerPlace | null => openAnswerPlace(room, owner),
    now: () => now,
    released,
    pendingTimers: () => timers.size,
    /** What the runtime does to a call that it ends by force, if it is the only one. */
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
