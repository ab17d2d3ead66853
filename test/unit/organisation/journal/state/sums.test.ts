// Tests that a state says what a recount of all events says.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countsAt, WHOLE_ORGANISATION } from '../../../../../src/organisation/journal/state/calls.ts'
import {
  createHourCounts,
  countsDueAt,
  type HourCounts,
} from '../../../../../src/organisation/journal/state/current-hour.ts'
import type { StateEvent } from '../../../../../src/organisation/journal/state/state-event.ts'
import { listMonths, type UsedMonth } from '../../../../../src/organisation/journal/state/monthly-usage.ts'
import { listDays } from '../../../../../src/organisation/journal/state/readings.ts'
import { daySpending, keyMonthSpending } from '../../../../../src/organisation/journal/state/spending.ts'
import { readSnapshot, takeSnapshot } from '../../../../../src/organisation/journal/state/snapshot.ts'
import { applyToState, emptyState } from '../../../../../src/organisation/journal/state/organisation-state.ts'
import { DAY_MS, MINUTE_MS, utcDay, utcMonth } from '../../../../../src/platform/time.ts'
import { DEFAULT_SETTINGS } from '../../../../../src/policies/organisation-settings.ts'
import { planOf } from '../../../../../src/policies/tier.policy.ts'
import { listIdleKeys, lastUseOf } from '../../../../../src/organisation/journal/state/calls.ts'
import { isLoop } from '../../../../../src/organisation/journal/state/loops.ts'
import { runs } from '../../../../support/runs.ts'
import { EVENING, KEYS, live, stepsOf } from './histories.ts'

type Positioned = { event: StateEvent; position: number }

function positioned(events: readonly StateEvent[]): Positioned[] {
  let next = 0
  return events.map((event) => ({ event, position: event.kind === 'call' ? next : next++ }))
}

/** When each event counts for in the end: never later than any event after it. */
function timesInTheEnd(events: readonly StateEvent[]): number[] {
  let least = Infinity
  return events
    .map(({ at }) => at)
    .toReversed()
    .map((at) => (least = Math.min(least, at)))
    .toReversed()
}

/** The cost of what a decision reserved: settled once, by the first that names it. */
const settlementOf = (events: readonly Positioned[], { position }: Positioned) =>
  events
    .filter((after) => after.position > position)
    .map(({ event }) => event)
    .find((event) => event.kind === 'settlement' && event.settles === position)

function recountMonths(events: readonly StateEvent[]): UsedMonth[] {
  const times = timesInTheEnd(events)
  const months = new Map<number, UsedMonth>()
  const all = positioned(events)
  for (const [index, { event, position }] of all.entries()) {
    if (event.kind !== 'chat_decision' || event.outcome !== 'ALLOWED') continue
    const month = utcMonth(times[index] ?? 0)
    const usage = months.get(month) ?? { month, requests: 0, spentMicroeur: 0, reservedMicroeur: 0 }
    months.set(month, usage)
    usage.requests += 1
    const settlement = settlementOf(all, { event, position })
    if (settlement?.kind === 'settlement') usage.spentMicroeur += settlement.costMicroeur
    else usage.reservedMicroeur += event.reservedMicroeur ?? 0
  }
  return [...months.values()].toSorted((one, other) => other.month - one.month)
}

/** Spent and reserved by a key in the last day with calls of its own. */
function recountLastDay(events: readonly StateEvent[], keyId: string) {
  const times = timesInTheEnd(events)
  const all = positioned(events)
  const allowed = all.flatMap((one, index) => {
    const { event } = one
    const isMine = event.kind === 'chat_decision' && event.outcome === 'ALLOWED' && event.keyId === keyId
    return isMine ? [{ one, day: utcDay(times[index] ?? 0), reserved: event.reservedMicroeur ?? 0 }] : []
  })
  const last = allowed.at(-1)
  if (last === undefined) return null
  const spent = { spentMicroeur: 0, reservedMicroeur: 0 }
  for (const { one, reserved } of allowed.filter(({ day }) => day === last.day)) {
    const settlement = settlementOf(all, one)
    if (settlement?.kind === 'settlement') spent.spentMicroeur += settlement.costMicroeur
    else spent.reservedMicroeur += reserved
  }
  return { at: last.day * DAY_MS, spent }
}

function recountDays(events: readonly StateEvent[]): Map<string, number> {
  const times = timesInTheEnd(events)
  const days = new Map<string, number>()
  const all = positioned(events)
  for (const [index, { event, position }] of all.entries()) {
    if (event.kind !== 'referral_decision' || event.reservedMicroeur === null) continue
    const settlement = settlementOf(all, { event, position })
    const isSettled = settlement?.kind === 'settlement' && settlement.outcome === 'settled'
    const of = `${utcDay(times[index] ?? 0)} ${event.keyId}`
    days.set(of, (days.get(of) ?? 0) + (isSettled ? settlement.costMicroeur : event.reservedMicroeur))
  }
  return days
}

function recountHour(events: readonly StateEvent[]): Omit<HourCounts, 'hour'> {
  const all = positioned(events)
  const begun = all.findLastIndex(({ event }) => event.kind === 'hour_counts')
  const counts = createHourCounts(begun < 0 ? 0 : (all[begun]?.position ?? 0) + 1)
  for (const { event } of all.slice(begun + 1)) {
    if (event.kind === 'chat_decision') {
      counts.chats[event.outcome] += 1
      counts.retentionDays = planOf(DEFAULT_SETTINGS).retentionDays
    }
    if (event.kind === 'call') counts.calls[event.outcome] += 1
    if (event.kind !== 'referral_decision') continue
    const { outcome } = event
    if (outcome === null) counts.readings += 1
    else counts.referrals.set(outcome, (counts.referrals.get(outcome) ?? 0) + 1)
  }
  const { hour: _, ...rest } = counts
  return rest
}

const isCounted = (event: StateEvent, subject: string): boolean => {
  if (event.kind === 'chat_decision') return subject === WHOLE_ORGANISATION || subject === event.keyId
  if (event.kind === 'referral_decision') return subject === event.keyId
  if (event.kind !== 'call' || ['rate', 'quota', 'budget'].includes(event.outcome)) return false
  return subject === event.keyId || (subject === WHOLE_ORGANISATION && event.ofGateway)
}

/** The times in the last minute: what had left it before the clock stepped back stays out of it. */
function recountWindow(events: readonly StateEvent[], subject: string): number[] {
  let times: number[] = []
  let latest = 0
  for (const event of events) {
    const { at } = event
    times = times.filter((time) => time > latest - MINUTE_MS).map((time) => Math.min(time, at))
    latest = at
    if (isCounted(event, subject)) times.push(at)
  }
  return times.filter((time) => time > latest - MINUTE_MS)
}

describe('the latest day of a key', () => {
  it('has what its requests cost and reserve, to the micro-euro, whatever order they are settled in', () => {
    fc.assert(
      fc.property(stepsOf(150, fc.constant(0)), (steps) => {
        const { state, events } = live(steps)
        for (const key of KEYS) {
          const counted = recountLastDay(events, key)
          if (counted !== null) expect(daySpending(state.spending, key, counted.at)).toEqual(counted.spent)
        }
      }),
      { numRuns: runs(100) },
    )
  })

  it('never falls below nothing, and reads the same from a snapshot', () => {
    fc.assert(
      fc.property(stepsOf(150), (steps) => {
        const { state } = live(steps, ({ spending }) => {
          for (const periods of [spending.days, spending.keyMonths]) {
            expect(periods.size).toBeLessThanOrEqual(3)
            for (const subjects of periods.values()) {
              for (const { spentMicroeur, reservedMicroeur } of subjects.values()) {
                expect(Math.min(spentMicroeur, reservedMicroeur)).toBeGreaterThanOrEqual(0)
              }
            }
          }
        })
        expect(readSnapshot(takeSnapshot(state, '')).state.spending).toEqual(state.spending)
      }),
      { numRuns: runs(100) },
    )
  })
})

describe('what a key spent', () => {
  it('in a day and a month that the clock was ahead to, it spent in those of the clock that is right', () => {
    const state = emptyState()
    const chat = { kind: 'chat_decision', keyId: 'key_a', outcome: 'ALLOWED', loop: null, reservedMicroeur: 5 } as const
    applyToState(state, { ...chat, at: EVENING })
    applyToState(state, { ...chat, at: EVENING + 40 * DAY_MS })
    applyToState(state, { ...chat, at: EVENING })
    const spent = { spentMicroeur: 0, reservedMicroeur: 15 }
    expect(daySpending(state.spending, 'key_a', EVENING)).toEqual(spent)
    expect(keyMonthSpending(state.spending, 'key_a', EVENING)).toEqual(spent)
    applyToState(state, { kind: 'settlement', at: EVENING, settles: 1, costMicroeur: 9, outcome: 'settled' })
    expect(keyMonthSpending(state.spending, 'key_a', EVENING)).toEqual({ spentMicroeur: 9, reservedMicroeur: 10 })
  })
})

describe('months', () => {
  it('have what their requests cost and reserve, to the micro-euro, whatever order they are settled in', () => {
    fc.assert(
      fc.property(stepsOf(150), (steps) => {
        const { state, events } = live(steps, ({ months }) => {
          for (const usage of months.used.values()) {
            expect(Math.min(usage.requests, usage.spentMicroeur, usage.reservedMicroeur)).toBeGreaterThanOrEqual(0)
          }
        })
        expect(listMonths(state.months)).toEqual(recountMonths(events))
      }),
      { numRuns: runs(150) },
    )
  })

  it('turn at 00:00 UTC on the first, and what was admitted before is settled in the month before', () => {
    const state = emptyState()
    const turn = EVENING + 30_000
    const chat = { kind: 'chat_decision', keyId: 'key_a', outcome: 'ALLOWED', loop: null, reservedMicroeur: 5 } as const
    applyToState(state, { ...chat, at: turn - 1 })
    applyToState(state, { ...chat, at: turn })
    applyToState(state, { kind: 'settlement', at: turn + 1, settles: 0, costMicroeur: 9, outcome: 'settled' })
    expect(listMonths(state.months)).toEqual([
      { month: utcMonth(turn), requests: 1, spentMicroeur: 0, reservedMicroeur: 5 },
      { month: utcMonth(turn) - 1, requests: 1, spentMicroeur: 9, reservedMicroeur: 0 },
    ])
  })
})

describe('readings', () => {
  it('cost a key in a day what was settled, and what was reserved where nothing was', () => {
    fc.assert(
      fc.property(stepsOf(120), (steps) => {
        let most = 0
        const { state, events } = live(steps, ({ readings }) => {
          most = Math.max(most, readings.days.size)
          for (const { microeur } of listDays(readings)) expect(microeur).toBeGreaterThanOrEqual(0)
        })
        fc.pre(most < 8)
        const days = new Map(listDays(state.readings).map(({ day, keyId, microeur }) => [`${day} ${keyId}`, microeur]))
        expect(days).toEqual(recountDays(events))
      }),
      { numRuns: runs(150) },
    )
  })

  it('of eight days are known, and of more where some are under way', () => {
    const state = emptyState()
    const read = (day: number) =>
      applyToState(state, {
        kind: 'referral_decision',
        at: EVENING + day * DAY_MS,
        keyId: 'key_a',
        outcome: null,
        reservedMicroeur: 5,
      })
    for (let day = 0; day < 10; day += 1) read(day)
    expect(listDays(state.readings).length).toBe(10)
    for (let settles = 0; settles < 10; settles += 1) {
      const at = EVENING + 9 * DAY_MS
      applyToState(state, { kind: 'settlement', at, settles, costMicroeur: 1, outcome: 'settled' })
    }
    read(10)
    expect(listDays(state.readings).map(({ microeur }) => microeur)).toEqual([5, 1, 1, 1, 1, 1, 1, 1])
  })
})

describe('the counts of the hour', () => {
  it('are those of the events since they were last written', () => {
    fc.assert(
      fc.property(stepsOf(100), (steps) => {
        const { state, events } = live(steps)
        const { hour, ...counts } = state.counts
        expect(counts).toEqual(recountHour(events))
        const isAny = [
          ...Object.values(counts.chats),
          ...Object.values(counts.calls),
          counts.readings,
          counts.referrals.size,
        ]
        expect(hour !== null).toBe(isAny.some((n) => n > 0))
      }),
      { numRuns: runs(150) },
    )
  })

  it('are due when the hour ends in which the first of them came, and not while there are none', () => {
    const state = emptyState()
    const hour = Date.UTC(2091, 2, 15, 12)
    applyToState(state, { kind: 'settlement', at: hour, settles: 0, costMicroeur: 0, outcome: 'settled' })
    applyToState(state, { kind: 'act', at: hour, settings: null })
    expect(countsDueAt(state.counts)).toBeNull()
    applyToState(state, { kind: 'call', at: hour + 3_599_999, keyId: 'key_a', ofGateway: true, outcome: 'budget' })
    applyToState(state, { kind: 'call', at: hour + 3_600_000, keyId: 'key_a', ofGateway: true, outcome: 'budget' })
    expect(countsDueAt(state.counts)).toBe(hour + 3_600_000)
    applyToState(state, { kind: 'hour_counts', at: hour + 3_600_000 })
    expect([countsDueAt(state.counts), state.counts.from]).toEqual([null, 3])
  })
})

describe('the calls in a minute', () => {
  it('are the counted ones, of each key and of the gateway', () => {
    fc.assert(
      fc.property(stepsOf(120), (steps) => {
        const { state, events } = live(steps)
        const { latest } = state.clock
        for (const subject of [WHOLE_ORGANISATION, ...KEYS]) {
          const times = recountWindow(events, subject)
          const { inWindow, oldestAt } = countsAt(state.calls, subject, latest)
          expect([inWindow, oldestAt]).toEqual([times.length, times[0] ?? null])
        }
      }),
      { numRuns: runs(200) },
    )
  })

  it('are known one by one, however many there are', () => {
    const state = emptyState()
    for (let n = 0; n < 5000; n += 1) {
      applyToState(state, { kind: 'call', at: EVENING + n * 20, keyId: 'key_a', ofGateway: true, outcome: 'counted' })
    }
    const last = EVENING + 4999 * 20
    expect(countsAt(state.calls, 'key_a', last)).toMatchObject({ inWindow: 3000, oldestAt: last - 59_980 })
    expect(countsAt(state.calls, 'key_a', last + 59_999)).toMatchObject({ inWindow: 1, oldestAt: last })
    expect(countsAt(state.calls, 'key_a', last + 60_000)).toMatchObject({ inWindow: 0, oldestAt: null })
    expect(state.calls.get('key_a')?.window.all.length).toBeLessThan(8000)
  })
})

describe('a key that was not used for two days', () => {
  it('is left out from the next counts of an hour on, which name its last use before', () => {
    const state = emptyState()
    const at = EVENING + 2 * DAY_MS
    applyToState(state, { kind: 'call', at: EVENING, keyId: 'key_a', ofGateway: true, outcome: 'counted' })
    applyToState(state, { kind: 'call', at: EVENING + 1, keyId: 'key_b', ofGateway: true, outcome: 'counted' })
    expect(listIdleKeys(state.calls, at - 1)).toEqual([])
    expect(listIdleKeys(state.calls, at)).toEqual([{ keyId: 'key_a', lastUsedAt: EVENING }])
    applyToState(state, { kind: 'hour_counts', at })
    expect([lastUseOf(state.calls, 'key_a'), lastUseOf(state.calls, 'key_b')]).toEqual([null, EVENING + 1])
    expect(listIdleKeys(state.calls, at)).toEqual([])
  })
})

describe('loops', () => {
  const hash = 'a'.repeat(32)
  const watched = {
    kind: 'chat_decision',
    keyId: 'key_a',
    outcome: 'ALLOWED',
    loop: hash,
    reservedMicroeur: 0,
  } as const
  const settings = { ...DEFAULT_SETTINGS, version: 1 }

  it.each([
    ['begin anew where a threshold changes', { ...settings, loopRepeats: 6 }, false],
    ['go on where something else changes', { ...settings, monthlyBudgetMicroeur: 1 }, true],
    ['go on where nothing does', null, true],
  ])('%s', (_, changed, isLooping) => {
    const state = emptyState()
    for (let n = 0; n < 5; n += 1) applyToState(state, { ...watched, at: EVENING })
    expect(isLoop(state, 'key_a', hash, EVENING)).toBe(true)
    applyToState(state, { kind: 'act', at: EVENING, settings: changed })
    expect(isLoop(state, 'key_a', hash, EVENING)).toBe(isLooping)
  })

  it('are remembered of no more requests than can be in one', () => {
    const state = emptyState()
    for (let n = 0; n < 300; n += 1) {
      applyToState(state, { ...watched, at: EVENING + n, loop: n % 2 === 0 ? hash : n.toString(16).padStart(32, '0') })
    }
    const key = state.loops.keys.get('key_a')
    expect([key?.recent.length, key?.times.get(hash)?.length]).toEqual([79, 19])
    for (let n = 0; n < 600; n += 1) {
      applyToState(state, { ...watched, at: EVENING + 61_000 + n * 1000, loop: n.toString(16).padStart(32, '1') })
    }
    expect(key?.times.size).toBeLessThanOrEqual(2 * 60 + 1)
    for (let n = 0; n < 5; n += 1) applyToState(state, { ...watched, at: EVENING + DAY_MS })
    const loopsOf = () => readSnapshot(takeSnapshot(state, '')).state.loops.keys.get('key_a')?.active.length
    expect(loopsOf()).toBe(1)
    applyToState(state, { kind: 'act', at: EVENING + DAY_MS + MINUTE_MS, settings: null })
    expect(loopsOf()).toBeUndefined()
    applyToState(state, { kind: 'hour_counts', at: EVENING + 2 * DAY_MS })
    expect(state.loops.keys.size).toBe(0)
  })
})
