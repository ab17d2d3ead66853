// The benches: how runs become ratios and verdicts, what a chat uses of what is billed, and what the counted service counts.
import { describe, expect, it } from 'vitest'
import { LATER, noCounts } from '../../scripts/bench/ledger/counted-worker-api.ts'
import { billedUsageOf } from '../../scripts/bench/ledger/chat-lifetime.ts'
import { StorageTally } from '../../scripts/bench/ledger/storage-tally.ts'
import type { CaseRuns, Measurement } from '../../scripts/bench/measure-cases.ts'
import {
  addedTo,
  cpuOf,
  checkTargets,
  medianTiming,
  ratioTo,
  type Target,
} from '../../scripts/bench/benchmark-report.ts'

const run = (cpuMicroseconds: number, elapsedMs = 1): Measurement => ({
  requestsPerSecond: 1,
  cpuMicroseconds,
  timings: [{ firstByteMs: 1, longestGapMs: 0, elapsedMs }],
})

const measured = (runs: Record<string, Measurement[]>): CaseRuns => ({
  name: 'a case',
  runs: new Map(Object.entries(runs)),
})

const CPU: Target = {
  appliesTo: (name) => name === 'a case',
  system: 'gateway',
  what: 'CPU / floor',
  figure: ratioTo('floor', cpuOf),
  most: 1.1,
  unit: '×',
}
const judged = (runs: Record<string, Measurement[]>, target: Partial<Target> = {}) =>
  checkTargets([measured(runs)], [{ ...CPU, ...target }])

describe('a figure', () => {
  it('is compared within each round, so that a round in which all is slow changes nothing', () => {
    const one = measured({ gateway: [run(100), run(900), run(110)], floor: [run(100), run(1000), run(100)] })
    expect(ratioTo('floor', cpuOf)(one, 'gateway')).toBe(1)
  })

  it('of time is a difference', () => {
    const one = measured({ gateway: [run(1, 5), run(1, 9)], floor: [run(1, 2), run(1, 4)] })
    expect(addedTo('floor', medianTiming('elapsedMs'))(one, 'gateway')).toBe(4)
  })
})

describe('a target', () => {
  it.each([
    [110, 'a case: CPU / floor: 1.10×, target at most 1.1×: met', true],
    [150, 'a case: CPU / floor: 1.50×, target at most 1.1×: MISSED by 0.40×', false],
    [Number.NaN, 'a case: CPU / floor: not measurable on this system (target 1.1×)', true],
  ])('of a system that takes %d beside 100', (cpu, line, holds) => {
    expect(judged({ gateway: [run(cpu)], floor: [run(100)] })).toEqual({ lines: [line], holds })
  })

  it.each([
    ['of another case', { appliesTo: () => false }],
    ['of a system that was not measured', { system: 'another' }],
  ])('%s is not judged', (_, target) => {
    expect(judged({ gateway: [run(150)], floor: [run(100)] }, target)).toEqual({ lines: [], holds: true })
  })
})

describe('a chat', () => {
  const counts = { ...noCounts(), requests: 2, rowsWritten: 3, alarmsSet: 0.5, rowsRead: 7 }
  const usage = billedUsageOf(
    {
      times: 10,
      objects: { ORGANISATIONS: counts, PUBLIC_LOG: { ...noCounts(), rowsWritten: 1 } },
      bindings: { 'FILES.put': 0.25, 'FILES.get': 0.5, 'FILES.delete': 9 },
      storedBytes: { firstDay: {}, archived: {}, forGood: {} },
      byteDays: { databases: 3e9, files: 6e9 },
    },
    1500,
  )

  it('uses the rows of every object, and a row for each alarm that is set', () => {
    expect(usage).toMatchObject({
      'databases: rows written': 4.5,
      'databases: rows read': 7,
      'objects: requests and alarms': 2,
    })
  })

  it('uses storage by the month, and operations by their class: deletions have none', () => {
    expect(usage).toMatchObject({
      'databases: GB-months': 0.1,
      'R2: GB-months': 0.2,
      'R2: operations of class A': 0.25,
      'R2: operations of class B': 0.5,
      'Worker: ms of CPU': 1.5,
    })
  })
})

describe('the tally', () => {
  it('adds what a method does before it waits to the method, and what it does afterwards to none', async () => {
    const tally = new StorageTally()
    await tally.around('A.method', async () => {
      tally.addStatement('A')
      await Promise.resolve()
      tally.addStatement('A')
    })
    const { turns } = tally.take()
    expect([turns['A.method']?.statements, turns[`A.${LATER}`]?.statements]).toEqual([1, 1])
  })

  it('counts a method that another one calls as that one’s own, and forgets what it has told', () => {
    const tally = new StorageTally()
    tally.around('A.outer', () => tally.around('A.inner', () => tally.addStatement('A')))
    expect(tally.take().turns).toEqual({ 'A.outer': { ...noCounts(), requests: 1, statements: 1 } })
    expect(tally.take().turns).toEqual({})
  })

  it('counts nothing while it is paused, and goes on after work that failed', async () => {
    const tally = new StorageTally()
    const failing = tally.paused(async () => {
      tally.addAlarm('A')
      throw new Error('failed')
    })
    await expect(failing).rejects.toThrow('failed')
    expect(tally.take().turns).toEqual({})
    tally.addAlarm('A')
    expect(tally.take().turns[`A.${LATER}`]?.alarmsSet).toBe(1)
  })
})
