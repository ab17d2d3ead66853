// A clock that jumps ahead and steps back, at random: no window is opened twice, and nobody waits for a clock that was wrong.
// The state is built anew from what was written now and then, and keeps all of this.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decideLimit } from '../../../../../src/keys/rate-limits.policy.ts'
import { countsAt, WHOLE_ORGANISATION } from '../../../../../src/organisation/journal/state/calls.ts'
import {
  MOST_STEP_BACK_MS,
  timeOf,
  type StateEvent,
} from '../../../../../src/organisation/journal/state/state-event.ts'
import { isLoop } from '../../../../../src/organisation/journal/state/loops.ts'
import { listOpenChats, monthAt, oldestOpenAt } from '../../../../../src/organisation/journal/state/monthly-usage.ts'
import { spentInDay } from '../../../../../src/organisation/journal/state/readings.ts'
import { stateAt, takeSnapshot } from '../../../../../src/organisation/journal/state/snapshot.ts'
import {
  applyToState,
  emptyState,
  type State,
} from '../../../../../src/organisation/journal/state/organisation-state.ts'
import { DAY_MS, MINUTE_MS, utcDay } from '../../../../../src/platform/time.ts'
import { runs } from '../../../../support/runs.ts'
import { clockStep, elapsed, EVENING, rebuild } from './histories.ts'

const KEY = 'key_of_a_test'
const HASH = 'f'.repeat(32)
const PER_MINUTE = 3
const noon = Date.UTC(2091, 2, 15, 12)

/** An organisation of one key, whose turns write what they decide. */
function createTurns() {
  const events: StateEvent[] = []
  let state = emptyState()
  const write = (event: StateEvent) => {
    events.push(event)
    applyToState(state, event)
  }
  const seenAt = (now: number): { seen: State; at: number } => {
    const at = timeOf(state, now)
    return { seen: stateAt(state, at), at }
  }
  const chat = (now: number, reservedMicroeur = 0) => {
    const { seen, at } = seenAt(now)
    const outcome = isLoop(seen, KEY, HASH, at) ? ('SUPPRESSED' as const) : ('ALLOWED' as const)
    write({ kind: 'chat_decision', at, keyId: KEY, outcome, loop: HASH, reservedMicroeur })
    return outcome
  }
  return {
    chat,
    latest: () => state.clock.latest,
    counts: (at: number) => countsAt(seenAt(at).seen.calls, KEY, at),
    month: (at: number) => monthAt(state.months, at),
    oldestOpenAt: () => oldestOpenAt(state.months),
    open: () => listOpenChats(state.months, Infinity, 100),
    /** Makes a call. Returns true if it passed the limits. */
    call(now: number, perDay = Infinity): boolean {
      const { seen, at } = seenAt(now)
      const counts = countsAt(seen.calls, KEY, at)
      expect(countsAt(seen.calls, WHOLE_ORGANISATION, at)).toEqual(counts)
      const { allowed } = decideLimit({ perMinute: PER_MINUTE, perDay }, counts, at)
      write({ kind: 'call', at, keyId: KEY, ofGateway: true, outcome: allowed ? 'counted' : 'rate' })
      return allowed
    },
    read(now: number, microeur: number, most: number): boolean {
      const { seen, at } = seenAt(now)
      if (spentInDay(seen.readings, KEY, at) + microeur > most) return false
      write({ kind: 'referral_decision', at, keyId: KEY, outcome: null, reservedMicroeur: microeur })
      return true
    },
    settle(now: number, settles: number, costMicroeur: number) {
      write({ kind: 'settlement', at: timeOf(state, now), settles, costMicroeur, outcome: 'settled' })
    },
    restart() {
      state = rebuild(takeSnapshot(state, ''), events)
    },
  }
}

const history = fc.array(
  fc.record({
    elapsedMs: elapsed,
    stepMs: clockStep,
    isRestarted: fc.boolean(),
    /** Settles too, because every write of the organisation counts for the clock. */
    settles: fc.boolean(),
  }),
  { maxLength: 80, size: 'max' },
)

describe('any 60 seconds that really pass', () => {
  it('let no more calls through than the limit, however far the clock steps back in them', () => {
    fc.assert(
      fc.property(history, (steps) => {
        const turns = createTurns()
        const passed: number[] = []
        let real = 0
        let offset = 0
        // A clock that jumps ahead cannot be told from a pause: what came before the jump is not looked at.
        let since = 0
        for (const { elapsedMs, stepMs, isRestarted, settles } of steps) {
          real += elapsedMs
          offset += stepMs
          if (stepMs > 0) since = passed.length
          if (isRestarted) turns.restart()
          if (settles) turns.settle(noon + real + offset, 0, 0)
          if (!turns.call(noon + real + offset)) continue
          passed.push(real)
          const inMinute = passed.slice(since).filter((at) => at > real - MINUTE_MS)
          expect(inMinute.length).toBeLessThanOrEqual(PER_MINUTE)
        }
      }),
      { numRuns: runs(400) },
    )
  })

  it('are all that is waited for once a clock has stepped back from further ahead', () => {
    fc.assert(
      fc.property(history, fc.integer({ min: MOST_STEP_BACK_MS + 1, max: 3 * DAY_MS }), (steps, aheadMs) => {
        const turns = createTurns()
        let now = noon
        turns.call(now)
        for (const { elapsedMs, stepMs } of steps) turns.call((now += elapsedMs + stepMs))
        const right = turns.latest() - aheadMs
        for (let n = 0; n < 5; n += 1) turns.call(right)
        turns.restart()
        expect(turns.call(right + MINUTE_MS)).toBe(true)
      }),
      { numRuns: runs(300) },
    )
  })

  it('are waited for by nobody who has called less, where the clock steps back by minutes', () => {
    const turns = createTurns()
    expect([turns.call(noon), turns.call(noon - MOST_STEP_BACK_MS), turns.call(noon - 1)]).toEqual([true, true, true])
    expect(turns.call(noon - 1)).toBe(false)
    expect(turns.call(noon + MINUTE_MS - 1)).toBe(false)
    expect(turns.call(noon + MINUTE_MS)).toBe(true)
  })
})

describe('a day', () => {
  const perDay = 10

  it('holds the calls of a clock that was days ahead for a while, and lends none of them to the next day', () => {
    fc.assert(
      fc.property(fc.nat(9), fc.nat(9), fc.constantFrom(1, 2, 30), (before, during, days) => {
        const turns = createTurns()
        const start = utcDay(noon) * DAY_MS
        const made = (at: number, calls: number) =>
          Array.from({ length: calls }, (_, n) => turns.call(at + n * MINUTE_MS, perDay)).filter(Boolean).length
        const first = made(start, before)
        const second = made(start + days * DAY_MS + 30 * MINUTE_MS, during)
        expect([first, second]).toEqual([before, during])
        turns.restart()
        expect(made(start + 60 * MINUTE_MS, 20)).toBe(Math.max(0, perDay - before - during))
        expect(turns.counts(start + DAY_MS).inDay).toBe(0)
        expect(made(start + DAY_MS, 20)).toBe(perDay)
      }),
      { numRuns: runs(60) },
    )
  })

  it('is not begun again by a clock that steps back over midnight by minutes', () => {
    const turns = createTurns()
    const call = (at: number, most: number) => turns.call(at, most)
    const midnight = (utcDay(noon) + 1) * DAY_MS
    expect([call(midnight, 2), call(midnight + 1, 2)]).toEqual([true, true])
    for (const backMs of [1, MINUTE_MS, MOST_STEP_BACK_MS]) expect(call(midnight + 1 - backMs, 2)).toBe(false)
    expect(call(midnight + 5 * MINUTE_MS, 2)).toBe(false)
  })
})

describe('an organisation that made a call while the clock was ahead', () => {
  it('has spent it in the month that it was, and not in the next', () => {
    const turns = createTurns()
    turns.chat(noon, 10)
    turns.chat(noon + 30 * DAY_MS, 60)
    turns.chat(noon + 1000, 30)
    expect(turns.month(noon)).toEqual({ requests: 3, spentMicroeur: 0, reservedMicroeur: 100 })
    turns.settle(noon + 2000, 1, 5)
    expect(turns.month(noon)).toEqual({ requests: 3, spentMicroeur: 5, reservedMicroeur: 40 })
    expect(turns.month(noon + 30 * DAY_MS).requests).toBe(0)
  })

  it('is out of a loop after a minute of quiet', () => {
    const turns = createTurns()
    for (let n = 0; n < 5; n += 1) turns.chat(noon + DAY_MS)
    expect(turns.chat(noon)).toBe('SUPPRESSED')
    turns.restart()
    expect(turns.chat(noon + MINUTE_MS)).toBe('ALLOWED')
  })

  it('is in the loop still, where it goes on', () => {
    const turns = createTurns()
    for (let n = 0; n < 5; n += 1) turns.chat(noon + DAY_MS)
    turns.settle(noon, 0, 0)
    turns.restart()
    expect(turns.chat(noon + MINUTE_MS - 1)).toBe('SUPPRESSED')
  })

  it('has admitted it now, so that it is settled in time where nobody settles it', () => {
    const turns = createTurns()
    turns.chat(noon + DAY_MS, 7)
    expect(turns.oldestOpenAt()).toBe(noon + DAY_MS)
    turns.call(noon)
    turns.restart()
    expect(turns.open()).toEqual([{ position: 0, at: noon, microeur: 7, keyId: 'key_of_a_test' }])
  })
})

describe('what readings cost in a day', () => {
  it.each([
    ['by minutes over midnight', MINUTE_MS, 5 * MINUTE_MS],
    ['by a day', DAY_MS, DAY_MS],
    ['by two days', 2 * DAY_MS, 2 * DAY_MS],
    ['by a month', 31 * DAY_MS, 31 * DAY_MS],
  ])('holds when the clock steps back %s', (_, aheadMs, backMs) => {
    const turns = createTurns()
    const read = (at: number, microeur: number) => turns.read(at, microeur, 20)
    expect(read(EVENING + aheadMs, 15)).toBe(true)
    expect(read(EVENING + aheadMs - backMs, 6)).toBe(false)
    expect(read(EVENING + aheadMs - backMs, 5)).toBe(true)
    expect(read(EVENING + aheadMs - backMs + 1, 1)).toBe(false)
  })

  it('is known again of the day before, where the clock was far ahead', () => {
    const turns = createTurns()
    const read = (at: number, microeur: number) => turns.read(at, microeur, 20)
    expect(read(noon, 12)).toBe(true)
    expect(read(noon + 400 * DAY_MS, 5)).toBe(true)
    expect(read(noon + 1000, 4)).toBe(false)
    expect(read(noon + 1000, 3)).toBe(true)
    expect(read(noon + DAY_MS, 20)).toBe(true)
  })
})
