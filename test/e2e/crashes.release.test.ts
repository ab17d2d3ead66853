// The service is killed at every step of a call, under load, and its objects are aborted and their databases made to fail.
// Whatever the moment, its books agree with what providers saw and what callers got, and it goes on from them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startCrashRun, type CrashRun } from '../support/e2e/crash/crash-run.ts'
import { ABORTS, ALARM_STEPS, CUTS, failureAt, failures } from '../support/e2e/crash/cuts.ts'

let run: CrashRun

beforeAll(async () => {
  run = await startCrashRun()
})
afterAll(() => run.close())

const BUSY = 8

describe('a process that is killed', () => {
  it.each(CUTS)('leaves whole books: $name', async (cut) => {
    const { faults, inFlight } = await run.killAt(cut)
    expect(faults).toEqual([])
    expect(inFlight).toBeGreaterThanOrEqual(BUSY)
  })

  it('leaves calls open that are settled as interrupted later, each once, whenever it is killed again', async () => {
    const { open, interrupted } = await run.killAt({
      name: 'before',
      arm: { step: 'settle:before', nth: 20, action: 'kill' },
    })
    expect(open).toBeGreaterThan(0)
    for (const step of ALARM_STEPS) {
      expect((await run.wakeLater({ step, nth: 1, action: 'kill' })).faults).toEqual([])
    }
    const later = await run.wakeLater(null)
    expect(later).toMatchObject({ faults: [], open: 0, interrupted: interrupted + open })
  })
})

describe('an object that is aborted', () => {
  it('leaves whole books, and the calls it was to decide about are answered 503', async () => {
    const { faults, unavailable } = await run.disturb(ABORTS)
    expect(faults).toEqual([])
    expect(unavailable).toBeGreaterThanOrEqual(2)
  })
})

describe('a database that fails', () => {
  it('decides nothing by halves: the call is answered 503 and its provider gets nothing', async () => {
    const arms = failures('admit:before', 2)
    const { faults, unavailable } = await run.disturb(arms)
    expect(faults).toEqual([])
    expect(unavailable).toBeGreaterThanOrEqual(arms.length)
  })

  it('fails as often as it is armed to, however crowded the failures and whatever turns lie between', async () => {
    const arms = Array.from({ length: 16 }, (_, at) => failureAt('admit:before', 1 + (at % 2), 20 + at))
    const { faults, unavailable } = await run.disturb(arms)
    expect(faults).toEqual([])
    expect(unavailable).toBeGreaterThanOrEqual(arms.length)
  })

  it('settles nothing by halves: the call stays open', async () => {
    const arms = failures('settle:before', 2)
    const before = await run.disturb([])
    const { faults, open } = await run.disturb(arms)
    expect(faults).toEqual([])
    expect(open).toBeGreaterThanOrEqual(before.open + arms.length)
  })
})

describe('a disk that is full', () => {
  it('has calls answered 503, whose provider gets nothing, and is no harm once there is room again', async () => {
    const { faults, unavailable } = await run.fillDisk(BUSY)
    expect(faults).toEqual([])
    expect(unavailable).toBeGreaterThanOrEqual(BUSY)
    expect(await run.settleDown()).toMatchObject({ faults: [], unpublished: [] })
  })
})
