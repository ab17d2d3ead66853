// When a reading is over: at its limit, or sooner where it is told so.
import { describe, expect, it } from 'vitest'
import { startDeadline, withHeaderSlots } from '../../../../src/referral/readers/reading-limits.ts'

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

/** A fetch whose requests wait for their headers until they are let go, in the order in which they came. */
function heldFetch() {
  const waiting: { url: string; answer: (response: Response) => void; fail: (error: Error) => void }[] = []
  const fetch = (url: string): Promise<Response> =>
    new Promise((answer, fail) => {
      waiting.push({ url, answer, fail })
    })
  return { waiting, fetch }
}

const settle = () => new Promise<void>((resolve) => setTimeout(resolve, 0))

describe('header slots', () => {
  it('lets no more than the slots wait for headers, and the next in when one has its headers', async () => {
    const { waiting, fetch } = heldFetch()
    const limited = withHeaderSlots(fetch, 2)
    const all = Promise.allSettled(['a', 'b', 'c', 'd'].map((url) => limited(url, {})))
    await settle()
    expect(waiting.map(({ url }) => url)).toEqual(['a', 'b'])
    waiting[1]?.answer(new Response('b'))
    await settle()
    expect(waiting.map(({ url }) => url)).toEqual(['a', 'b', 'c'])
    waiting[0]?.fail(new Error('gone'))
    await settle()
    expect(waiting.map(({ url }) => url)).toEqual(['a', 'b', 'c', 'd'])
    waiting[2]?.answer(new Response('c'))
    waiting[3]?.answer(new Response('d'))
    expect((await all).map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled', 'fulfilled'])
  })

  it('lets whoever gives up leave the queue, and keeps its place for nobody', async () => {
    const { waiting, fetch } = heldFetch()
    const limited = withHeaderSlots(fetch, 1)
    const leaving = new AbortController()
    const first = limited('a', {})
    const second = limited('b', { signal: leaving.signal })
    const third = limited('c', {})
    leaving.abort()
    await expect(second).rejects.toThrow('left the queue')
    await settle()
    waiting[0]?.answer(new Response('a'))
    await first
    await settle()
    expect(waiting.map(({ url }) => url)).toEqual(['a', 'c'])
    waiting[1]?.answer(new Response('c'))
    await third
  })
})
