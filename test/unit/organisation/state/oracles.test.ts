// The folded state beside the stores that kept the same in tables: one history, the same answers. Goes with the stores.
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CostsStore } from '../../../../src/keys/costs.store.ts'
import { LimitsStore } from '../../../../src/keys/limits.store.ts'
import { LoopsStore } from '../../../../src/organisation/loops.store.ts'
import { SpendingStore } from '../../../../src/organisation/spending.store.ts'
import { countsAt, WHOLE_ORGANISATION } from '../../../../src/organisation/state/calls.ts'
import { HELD_MS } from '../../../../src/organisation/state/clock.ts'
import type { Event } from '../../../../src/organisation/state/event.ts'
import { isLoop } from '../../../../src/organisation/state/loops.ts'
import { listMonths, listOpen } from '../../../../src/organisation/state/months.ts'
import { listDays } from '../../../../src/organisation/state/readings.ts'
import { stateAt } from '../../../../src/organisation/state/snapshot.ts'
import { apply, emptyState, type State } from '../../../../src/organisation/state/state.ts'
import { DAY_MS, MINUTE_MS } from '../../../../src/platform/clock.ts'
import { loopThresholds, watchRequest } from '../../../../src/policies/loops.policy.ts'
import { runs } from '../../../support/runs.ts'
import { decide, EVENING, KEYS, stepsOf, type Step } from './histories.ts'

let objects = 0

type Oracle = {
  /** Compares what is asked before the event with the state, then takes the event in. */
  take: (seen: State, event: Event) => void
  /** Compares what the state is after it. */
  compare: (state: State) => void
}

function createOracle(sql: SqlStorage, hasLoops: boolean): Oracle {
  const stores = {
    limits: new LimitsStore(sql),
    costs: new CostsStore(sql),
    spending: new SpendingStore(sql),
    loops: new LoopsStore(sql),
  }
  const { limits, costs, spending, loops } = stores
  let latest = 0

  const takeBack = (at: number) => {
    // What had left the window stays out of it.
    sql.exec('DELETE FROM calls WHERE at <= ?', latest - MINUTE_MS)
    for (const store of Object.values(stores)) store.takeBack(at)
  }
  const count = (seen: State, subject: string, at: number) => {
    const counted = limits.countCalls(subject, at)
    expect(countsAt(seen.calls, subject, at)).toEqual(counted.counts)
    limits.insertCall(subject, counted)
  }
  const watch = (seen: State, keyId: string, hash: string, at: number) => {
    const before = loops.readSeen(keyId, hash)
    const thresholds = loopThresholds(seen.settings)
    const { looping, seen: after } = watchRequest(thresholds, before.seen, { hash, at })
    expect(isLoop(seen, keyId, hash, at)).toBe(looping)
    loops.writeSeen(keyId, { hash, at }, { n: before.n, seen: after }, at - thresholds.repeatWindowMs)
  }
  const settle = ({ settles, costMicroeur, outcome }: Event & { kind: 'settlement' }) => {
    const chat = spending.takeReservation(settles)
    if (chat !== null) spending.spend(chat, costMicroeur)
    for (const subject of KEYS) {
      if (outcome === 'settled') costs.settle({ position: settles, subject, microeur: costMicroeur })
    }
    sql.exec('DELETE FROM reservations WHERE position = ?', settles)
  }
  const beginLoopsAnew = () => {
    sql.exec('DELETE FROM seen_requests')
    sql.exec('DELETE FROM seen_hashes')
    loops.forget()
  }

  return {
    take(seen, event) {
      const { at } = event
      const position = seen.next
      if (at < latest) takeBack(at)
      latest = at
      switch (event.kind) {
        case 'chat_decision':
          for (const subject of [WHOLE_ORGANISATION, event.keyId]) count(seen, subject, at)
          if (event.loop !== null && hasLoops) watch(seen, event.keyId, event.loop, at)
          if (event.outcome === 'ALLOWED') {
            spending.insertReservation({ position, admittedAt: at, microeur: event.reservedMicroeur ?? 0 })
          }
          break
        case 'referral_decision':
          count(seen, event.keyId, at)
          if (event.reservedMicroeur !== null) {
            costs.reserve({ position, subject: event.keyId, microeur: event.reservedMicroeur }, at)
          }
          break
        case 'call':
          if (['rate', 'quota', 'budget'].includes(event.outcome)) break
          if (event.ofGateway) count(seen, WHOLE_ORGANISATION, at)
          count(seen, event.keyId, at)
          break
        case 'settlement':
          settle(event)
          break
        case 'act':
          if (event.settings !== null && loopsDiffer(event.settings, seen.settings)) beginLoopsAnew()
          break
        case 'hour_counts':
      }
    },
    compare({ months, readings }) {
      expect(listMonths(months)).toEqual(spending.listMonths())
      const open = spending.listReservations(Infinity, 1000)
      expect(listOpen(months, Infinity, 1000)).toEqual(
        open.map(({ position, admittedAt, microeur }) => ({ position, at: admittedAt, microeur })),
      )
      if (readings.days.size >= 8) return
      const byDayAndKey = listDays(readings).toSorted((a, b) => b.day - a.day || (a.keyId < b.keyId ? -1 : 1))
      expect(byDayAndKey).toEqual(costs.listDays())
    },
  }
}

const loopsDiffer = (one: State['settings'], other: State['settings']): boolean =>
  JSON.stringify(loopThresholds(one)) !== JSON.stringify(loopThresholds(other))

function compareAlong(steps: readonly Step[], hasLoops: boolean): Promise<void> {
  const id = env.ORGANISATIONS.idFromName(`org_of_oracles_${(objects += 1)}`)
  return runInDurableObject(env.ORGANISATIONS.get(id), (_, { storage: { sql } }) => {
    const oracle = createOracle(sql, hasLoops)
    const state = emptyState()
    let now = EVENING
    for (const { elapsedMs, stepMs, intent } of steps) {
      now += elapsedMs + stepMs
      const event = decide(state, intent, now)
      // Keys that are left out after two days are known to the tables still.
      if (event.kind === 'hour_counts') continue
      oracle.take(stateAt(state, event.at), event)
      apply(state, event)
      oracle.compare(state)
    }
  })
}

describe('the stores', () => {
  it('count, spend and reserve the same, however the clock steps', async () => {
    await fc.assert(
      fc.asyncProperty(stepsOf(100), (steps) => compareAlong(steps, false)),
      { numRuns: runs(25) },
    )
  })

  it('find the same loops, where the clock steps back by minutes', async () => {
    const stepMs = fc.oneof(
      { weight: 20, arbitrary: fc.constant(0) },
      { weight: 2, arbitrary: fc.nat(HELD_MS / 20).map((ms) => -ms) },
      { weight: 1, arbitrary: fc.constantFrom(MINUTE_MS, HELD_MS, DAY_MS) },
    )
    await fc.assert(
      fc.asyncProperty(stepsOf(120, stepMs), (steps) => compareAlong(steps, true)),
      { numRuns: runs(25) },
    )
  })
})
