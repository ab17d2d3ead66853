// When a reading is over: at its limit, or sooner where it is told so.
import { describe, expect, it } from 'vitest'
import { startDeadline } from '../../../../src/referral/readers/reading-deadline.ts'

/** A clock that is moved by hand. */
function manualTime() {
  const timers = new Map<symbol, { at: number; action: () => void }>()
  const time = {
    nowMs: 0,
    waiting: () => timers.size,
    pass(milliseconds: number) {
      time.nowMs += milliseconds
      for (const [id, { at, action }] of [...timers].toSorted(([, a], [, b]) => a.at - b.at)) {
        if (at <= time.nowMs && timers.delete(id)) action()
      }
    },
    now: () => time.nowMs,
    after(delayMs: number, action: () => void) {
      const id = Symbol('timer')
      timers.set(id, { at: time.nowMs + delayMs, action })
      return () => void timers.delete(id)
    },
  }
  return time
}

describe('the deadline of a reading', () => {
  it('passes at its limit, and not before', () => {
    const time = manualTime()
    const { signal } = startDeadline(1000, time)
    time.pass(999)
    expect(signal.aborted).toBe(false)
    time.pass(1)
    expect([signal.aborted, time.waiting()]).toEqual([true, 0])
  })

  it('passes after the grace, counted from when it was first given', async () => {
    const time = manualTime()
    const { signal, passed, passWithin } = startDeadline(1000, time)
    time.pass(300)
    passWithin(200)
    time.pass(150)
    passWithin(200)
    expect(signal.aborted).toBe(false)
    time.pass(50)
    expect([signal.aborted, time.waiting()]).toEqual([true, 0])
    expect(await passed).toBe('passed')
  })

  it('is not put off by a grace that is longer than what is left', () => {
    const time = manualTime()
    const { signal, passWithin } = startDeadline(1000, time)
    time.pass(900)
    passWithin(1500)
    time.pass(100)
    expect([signal.aborted, time.waiting()]).toEqual([true, 0])
  })

  it('leaves no timer behind once it is released', () => {
    const time = manualTime()
    const { signal, passWithin, release } = startDeadline(1000, time)
    passWithin(200)
    release()
    time.pass(5000)
    expect([signal.aborted, time.waiting()]).toEqual([false, 0])
  })
})
