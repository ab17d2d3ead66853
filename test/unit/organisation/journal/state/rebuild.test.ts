// The state that is held is the state that is built anew from what was written, wherever a snapshot was taken.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  differences,
  readSnapshot,
  takeFullSnapshot,
  takeSnapshot,
} from '../../../../../src/organisation/journal/state/snapshot.ts'
import {
  applyToState,
  emptyState,
  clampTimes,
  type State,
} from '../../../../../src/organisation/journal/state/organisation-state.ts'
import { DAY_MS } from '../../../../../src/platform/time.ts'
import { runs } from '../../../../support/runs.ts'
import { answersOf, EVENING, live, rebuild, stepsOf, type Step } from './histories.ts'

const expectSame = (one: State, other: State) => {
  expect(differences(one, other)).toEqual([])
  expect(answersOf(one)).toEqual(answersOf(other))
}

const snapshotsOf = (steps: readonly Step[], take: (state: State) => string) => {
  const snapshots = [take(emptyState())]
  return { snapshots, ...live(steps, (state) => snapshots.push(take(state))) }
}

const small = (state: State) => takeSnapshot(state, 'frontier')

describe('a state', () => {
  it('is the same from a small snapshot at any point, the events of the minutes before it and those after it', () => {
    fc.assert(
      fc.property(stepsOf(120), fc.array(fc.nat(119), { minLength: 1, maxLength: 6 }), (steps, points) => {
        const { snapshots, events, state } = snapshotsOf(steps, small)
        for (const point of points.filter((index) => index <= events.length)) {
          const rebuilt = rebuild(snapshots[point] ?? '', events.slice(0, point))
          for (const event of events.slice(point)) applyToState(rebuilt, event)
          expectSame(rebuilt, state)
        }
      }),
      { numRuns: runs(150) },
    )
  })

  it('is the same right after it was built anew, and after more such restarts', () => {
    fc.assert(
      fc.property(stepsOf(100), fc.array(fc.integer({ min: 1, max: 25 }), { maxLength: 8 }), (steps, gaps) => {
        const { snapshots, events } = snapshotsOf(steps, small)
        let rebuilt = emptyState()
        let point = 0
        for (const gap of gaps) {
          if (point + gap > events.length) break
          for (const event of events.slice(point, point + gap)) applyToState(rebuilt, event)
          point += gap
          const snapshot = small(rebuilt)
          expect(JSON.parse(snapshot)).toEqual(JSON.parse(snapshots[point] ?? ''))
          const again = rebuild(snapshot, events.slice(0, point))
          expectSame(again, rebuilt)
          rebuilt = again
        }
      }),
      { numRuns: runs(100) },
    )
  })

  it('is the same from a full snapshot at any point and the events after it', () => {
    fc.assert(
      fc.property(stepsOf(100), fc.nat(100), (steps, point) => {
        const { snapshots, events, state } = snapshotsOf(steps, (held) => takeFullSnapshot(held, 'frontier'))
        const read = readSnapshot(snapshots[Math.min(point, events.length)] ?? '')
        expect(read.frontier).toBe('frontier')
        for (const event of events.slice(point)) applyToState(read.state, event)
        expectSame(read.state, state)
      }),
      { numRuns: runs(100) },
    )
  })

  it('is changed by nothing that is asked of it', () => {
    fc.assert(
      fc.property(stepsOf(60), (steps) => {
        const { state } = live(steps)
        const before = structuredClone(state)
        answersOf(state)
        small(state)
        expect(state).toEqual(before)
      }),
      { numRuns: runs(60) },
    )
  })
})

describe('differences', () => {
  const { state } = live(fc.sample(stepsOf(80), { numRuns: 1, seed: 7 })[0] ?? [])
  const copy = () => readSnapshot(takeFullSnapshot(state, '')).state

  it('name what differs', () => {
    const other = copy()
    other.next += 1
    for (const usage of other.months.used.values()) usage.spentMicroeur += 1
    other.calls.set('key_z', {
      lastAt: 0,
      today: { day: 0, calls: 1 },
      before: { day: -1, calls: 0 },
      window: { all: [], head: 0 },
    })
    const months = Array.from(other.months.used.values(), (_, index) => `months.used.${index}.spentMicroeur`)
    expect(differences(state, other).toSorted()).toEqual(['calls.key_z', ...months, 'next', 'windows.key_z'])
    expect(months).not.toEqual([])
  })
})

describe('a snapshot', () => {
  it('has no time in it that is in a rolling window, when it is small', () => {
    const { state } = live(fc.sample(stepsOf(80), { numRuns: 1, seed: 7 })[0] ?? [])
    const snapshot = JSON.parse(small(state)) as { windows?: unknown; loops: { keys: Record<string, object> } }
    expect(snapshot.windows).toBeUndefined()
    for (const key of Object.values(snapshot.loops.keys)) expect(Object.keys(key)).toEqual(['active'])
  })

  const whole = JSON.parse(small(emptyState())) as Record<string, unknown>
  it.each([
    ['text that is no JSON', '{'],
    ['nothing', 'null'],
    ['another version', JSON.stringify({ ...whole, version: 2 })],
    ['a member that nobody knows', JSON.stringify({ ...whole, more: 1 })],
    ['a setting under a name that nobody knows', small(emptyState()).replace('loop_repeats', 'loopRepeats')],
    ['a missing member', JSON.stringify({ ...whole, months: undefined })],
    ['a position that is none', JSON.stringify({ ...whole, next: -1 })],
    ['half a micro-euro', JSON.stringify({ ...whole, months: { used: [], open: [[1, 2, 0.5]] } })],
    ['a time that is text', JSON.stringify({ ...whole, clock: { latest: '1', runs: [] } })],
  ])('is refused where it is %s', (_, text) => {
    expect(() => readSnapshot(text)).toThrow()
  })
})

describe('a clock that was ahead', () => {
  it('leaves no time later than the one that it is taken back to, and no sum other than before', () => {
    fc.assert(
      fc.property(stepsOf(100), fc.integer({ min: 1, max: 40 * DAY_MS }), (steps, backMs) => {
        const { state } = live(steps)
        const sums = sumsOf(state)
        const at = Math.max(state.clock.latest, EVENING) - backMs
        clampTimes(state, at)
        expect(latestOf(state)).toBeLessThanOrEqual(at)
        expect(sumsOf(state)).toEqual(sums)
      }),
      { numRuns: runs(100) },
    )
  })
})

const sumOf = (values: Iterable<number>) => [...values].reduce((sum, value) => sum + value, 0)

const sumsOf = ({ months, readings, counts }: State) => ({
  requests: sumOf([...months.used.values()].map(({ requests }) => requests)),
  spent: sumOf([...months.used.values()].map(({ spentMicroeur }) => spentMicroeur)),
  reserved: sumOf([...months.used.values()].map(({ reservedMicroeur }) => reservedMicroeur)),
  readings: sumOf(Array.from(readings.days.values(), (costs) => sumOf(costs.values()))),
  counts: { ...counts, hour: null },
})

/** Returns the latest of all times in a state. Days, months and hours count with their beginning. */
function latestOf({ clock, calls, months, readings, loops, counts, approvals }: State): number {
  const times = [clock.latest, (counts.hour ?? 0) * 3_600_000]
  for (const { lastAt, window, today, before } of calls.values()) {
    times.push(lastAt, today.day * DAY_MS, before.day * DAY_MS, ...window.all.slice(window.head))
  }
  for (const month of months.used.keys()) times.push(Date.UTC(1970, month))
  for (const { at } of months.open.values()) times.push(at)
  for (const day of readings.days.keys()) times.push(day * DAY_MS)
  for (const { day } of readings.open.values()) times.push(day * DAY_MS)
  for (const key of loops.keys.values()) {
    for (const { at } of key.recent) times.push(at)
    for (const same of key.times.values()) times.push(...same)
    for (const { lastAt } of key.active) times.push(lastAt)
  }
  for (const { createdAt, decisions } of approvals.values()) times.push(createdAt, ...decisions.map(({ at }) => at))
  return Math.max(...times)
}
