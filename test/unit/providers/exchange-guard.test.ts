// The deadlines of an exchange, each over at its moment and not before, with one timer for all of them.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createDeadlineGuard, type DeadlineGuard, type Stop } from '../../../src/providers/http-exchange.ts'

const DEADLINES = { headersMs: 50, silenceMs: 30, totalMs: 200 }

/** A clock that stops at each timer on its way. */
function createWorld() {
  let now = 1_000
  let skewMs = 0
  const timers = new Map<symbol, { at: number; action: () => void }>()
  const after = (delayMs: number, action: () => void) => {
    const timer = Symbol('timer')
    timers.set(timer, { at: now + delayMs, action })
    return () => void timers.delete(timer)
  }
  const caller = new AbortController()
  const guard = createDeadlineGuard(DEADLINES, { signal: caller.signal, runtime: { now: () => now + skewMs, after } })
  return {
    guard,
    leave: () => caller.abort(),
    pending: () => timers.size,
    /** As an operator or a time server does. Timers do not follow it. */
    setClock: (byMs: number) => void (skewMs += byMs),
    advance: (ms: number): void => {
      const until = now + ms
      for (;;) {
        const [due] = [...timers].filter(([, { at }]) => at <= until).toSorted(([, a], [, b]) => a.at - b.at)
        if (due === undefined) break
        timers.delete(due[0])
        now = Math.max(now, due[1].at)
        due[1].action()
      }
      now = until
    },
  }
}

type Act = (guard: DeadlineGuard) => void
const awaitHeaders: Act = (guard) => guard.awaits('headers')
const awaitBytes: Act = (guard) => guard.awaits('bytes')
const arrive: Act = (guard) => guard.arrived()

describe('a guard', () => {
  it.each<[Stop, string, { at: number; act: Act }[], number]>([
    ['no_headers', 'the headers do not come', [{ at: 0, act: awaitHeaders }], 50],
    [
      'silence',
      'no byte follows the headers',
      [
        { at: 0, act: awaitHeaders },
        { at: 49, act: awaitBytes },
      ],
      79,
    ],
    [
      'silence',
      'bytes cease to come',
      [
        { at: 20, act: awaitBytes },
        { at: 45, act: awaitBytes },
      ],
      75,
    ],
    [
      'deadline',
      'the whole takes too long',
      [
        { at: 10, act: awaitBytes },
        { at: 20, act: arrive },
      ],
      200,
    ],
    ['deadline', 'the silence is not over by then', [{ at: 180, act: awaitBytes }], 200],
  ])('stops for %s where %s, not a millisecond before', (stop, _, acts, stopsAt) => {
    const { guard, advance, pending } = createWorld()
    let at = 0
    for (const { at: actsAt, act } of acts) {
      advance(actsAt - at)
      at = actsAt
      act(guard)
    }
    advance(stopsAt - 1 - at)
    expect([guard.stopped(), guard.signal.aborted, pending()]).toEqual([null, false, 1])
    advance(1)
    expect([guard.stopped(), guard.signal.aborted, pending()]).toEqual([stop, true, 0])
  })

  it.each([-3_600_000, 3_600_000])('ends the whole when it is over, though the clock is set by %i ms', (byMs) => {
    const { guard, advance, setClock } = createWorld()
    advance(60)
    setClock(byMs)
    advance(DEADLINES.totalMs - 61)
    expect(guard.stopped()).toBeNull()
    advance(1)
    expect(guard.stopped()).toBe('deadline')
  })

  it('remembers what came first', () => {
    const { guard, advance, leave } = createWorld()
    leave()
    awaitHeaders(guard)
    advance(1_000)
    expect(guard.stopped()).toBe('caller')
  })

  it('leaves no timer and hears of nothing once it is released', () => {
    const { guard, advance, leave, pending } = createWorld()
    awaitBytes(guard)
    advance(10)
    guard.release()
    expect(pending()).toBe(0)
    leave()
    advance(1_000)
    expect([guard.stopped(), guard.signal.aborted]).toEqual([null, false])
  })

  it.each([
    ['sooner than it would have', 5, 5],
    ['and no later than it would have', 1_000, DEADLINES.totalMs],
  ])('stops once the whole is shortened, %s', (_, shortenedMs, stopsAfterMs) => {
    const { guard, advance, pending } = createWorld()
    awaitHeaders(guard)
    arrive(guard)
    guard.shorten(shortenedMs)
    expect(pending()).toBe(1)
    advance(stopsAfterMs - 1)
    expect(guard.stopped()).toBeNull()
    advance(1)
    expect([guard.stopped(), pending()]).toEqual(['deadline', 0])
  })

  it('never takes a reader’s own time for silence, and stops when a provider’s is over', () => {
    const turns = fc.array(fc.record({ waitsMs: fc.nat(29), readsMs: fc.nat(60) }), { maxLength: 3 })
    fc.assert(
      fc.property(turns, (reads) => {
        const { guard, advance, pending } = createWorld()
        let left = DEADLINES.totalMs
        for (const { waitsMs, readsMs } of reads) {
          if (left <= waitsMs + readsMs) break
          left -= waitsMs + readsMs
          awaitBytes(guard)
          advance(waitsMs)
          arrive(guard)
          advance(readsMs)
          expect([guard.stopped(), pending()]).toEqual([null, 1])
        }
        awaitBytes(guard)
        advance(Math.min(left, DEADLINES.silenceMs) - 1)
        expect(guard.stopped()).toBeNull()
        advance(1)
        expect(guard.stopped()).toBe(left <= DEADLINES.silenceMs ? 'deadline' : 'silence')
      }),
      { numRuns: 300 },
    )
  })
})
