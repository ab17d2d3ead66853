// What the benches make of their figures: the targets of the gateway, and what a call uses of what is billed.
import { describe, expect, it } from 'vitest'
import { usageOf } from '../../scripts/bench/cost/factors.ts'
import { CASES } from '../../scripts/bench/gateway/cases.ts'
import type { CaseRuns } from '../../scripts/bench/gateway/measure.ts'
import type { SystemName } from '../../scripts/bench/gateway/systems.ts'
import { judge } from '../../scripts/bench/gateway/targets.ts'
import { LATER, noCounts } from '../../scripts/bench/ledger/counts.ts'
import { Tally } from '../../scripts/bench/ledger/tally.ts'
import type { Run } from '../../scripts/bench/workerd/rounds.ts'

const run = (cpuMicroseconds: number | null): Run => ({
  requestsPerSecond: 1,
  cpuMicroseconds,
  timings: [{ firstByteMs: 1, longestGapMs: 0, elapsedMs: 1 }],
})

type Way = readonly [SystemName, number | null]

function measured(name: string, cpu: readonly Way[]): CaseRuns {
  const chatCase = CASES.find((one) => one.name === name)
  if (chatCase === undefined) throw new Error(`no case ${name}`)
  return { chatCase, runs: new Map(cpu.map(([way, value]) => [way, [run(value)]])) }
}

const cpuLines = (one: CaseRuns): string[] => judge([one]).filter((line) => line.includes('CPU'))

describe('the targets of the gateway', () => {
  it('are told for each kind of storage, with how much is missing', () => {
    const cpu: Way[] = [
      ['gateway, memory', 110],
      ['gateway, disk', 150],
      ['Portkey on Node', 100],
    ]
    expect(cpuLines(measured('json, 20 ms, c16', cpu))).toEqual([
      'json, 20 ms, c16: CPU, gateway, memory / Portkey on Node: 1.10×, target at most 1.1×: met',
      'json, 20 ms, c16: CPU, gateway, disk / Portkey on Node: 1.50×, target at most 1.3×: MISSED by 0.20×',
    ])
  })

  it('are not told beside a way that was not measured, nor of another case', () => {
    const cpu: Way[] = [
      ['gateway, memory', 110],
      ['Portkey on Node', 100],
    ]
    expect(cpuLines(measured('json, 20 ms, c16', [['gateway, memory', 110]]))).toEqual([])
    expect(cpuLines(measured('json, instant, c16', cpu))).toEqual([])
  })

  it('are unknown, and not met, where the system does not tell CPU time', () => {
    const cpu: Way[] = [
      ['gateway, memory', null],
      ['read and enqueue', null],
    ]
    expect(cpuLines(measured('stream, 200 at once, c16', cpu))).toEqual([
      'stream, 200 at once, c16: CPU, gateway, memory / read and enqueue: not measurable on this system (target 0.7×)',
    ])
  })
})

describe('what a call uses', () => {
  const weights = { fresh: {}, putAway: {}, kept: {} }
  const counts = { ...noCounts(), requests: 2, rowsWritten: 3, alarmsSet: 0.5, rowsRead: 7, milliseconds: 1000 }
  const life = {
    times: 10,
    objects: { ORGANISATIONS: counts, PUBLIC_LOG: { ...noCounts(), rowsWritten: 1 } },
    bindings: { 'FILES.put': 0.25, 'FILES.get': 0.5, 'FILES.delete': 9 },
    databaseByteDays: 3e9,
    fileByteDays: 6e9,
    weights,
  }
  const usage = usageOf({ methods: {}, bindings: { 'DATASETS.get': 1 }, cpuMicroseconds: 1500 }, life)

  it('counts the rows of every object, and an alarm that is set as a row', () => {
    expect(usage).toMatchObject({ rowsWritten: 4.5, rowsRead: 7, objectRequests: 2 })
  })

  it('takes what is stored by the month, and an object as 128 MB', () => {
    expect(usage).toMatchObject({ databaseGbMonths: 0.1, bucketGbMonths: 0.2, objectGbSeconds: 0.128 })
  })

  it('counts operations by their class, of which deletions have none', () => {
    expect(usage).toMatchObject({ bucketWrites: 0.25, bucketReads: 0.5, kvReads: 1, workerCpuMs: 1.5 })
  })
})

describe('the tally', () => {
  it('adds what a method does before it waits to the method, and what it does afterwards to none', async () => {
    const tally = new Tally(() => 0)
    await tally.around('A.method', async () => {
      tally.addStatement('A')
      await Promise.resolve()
      tally.addStatement('A')
    })
    const { turns } = tally.take()
    expect([turns['A.method']?.statements, turns[`A.${LATER}`]?.statements]).toEqual([1, 1])
  })

  it('counts a method that another one calls as that one’s own, and forgets what it has told', () => {
    const tally = new Tally(() => 0)
    tally.around('A.outer', () => tally.around('A.inner', () => tally.addStatement('A')))
    expect(tally.take().turns).toEqual({ 'A.outer': { ...noCounts(), requests: 1, statements: 1 } })
    expect(tally.take().turns).toEqual({})
  })

  it('counts nothing while it is paused, and goes on after work that failed', async () => {
    const tally = new Tally(() => 0)
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
