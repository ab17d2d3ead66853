// The service is killed, aborted and made to fail while an organisation's tiles go into files, while what is older than a week
// leaves its database and while what is kept no longer is deleted. Nothing is lost on the way, and proofs of all verify.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startCrashRun, type CrashRun } from '../support/e2e/crash/crash-run.ts'
import {
  A_TILE,
  LEAVING_ABORTS,
  LEAVING_ARMS,
  PURGING_ABORT,
  PURGING_ARMS,
  TILE_ABORTS,
  TILE_CUTS,
  TILE_FAILURES,
} from '../support/e2e/crash/cuts.ts'

let run: CrashRun

beforeAll(async () => {
  run = await startCrashRun()
})
afterAll(() => run.close())

describe('a tile of an organisation', () => {
  it.each(TILE_CUTS)('is stored or not when the process is killed: $name', async (cut) => {
    expect((await run.killAt(cut)).faults).toEqual([])
  })

  it('is stored or not when its object is aborted, and when files or the database fail', async () => {
    expect((await run.disturb(TILE_ABORTS)).faults).toEqual([])
    expect((await run.disturb(TILE_FAILURES)).faults).toEqual([])
  })
})

describe('what leaves the database', () => {
  beforeAll(() => run.disturb(A_TILE))

  it.each(LEAVING_ARMS)('is in one place at least: $action at $step', async (arm) => {
    expect((await run.putAway(arm)).faults).toEqual([])
  })

  it('has left in the end, also where its object is aborted', async () => {
    const { faults, left } = await run.putAway()
    expect(faults).toEqual([])
    expect(left).toBeGreaterThanOrEqual(256)
    await run.disturb(A_TILE)
    const again = await run.putAway(...LEAVING_ABORTS)
    expect(again.faults).toEqual([])
    expect(again.left).toBeGreaterThan(left)
  })
})

describe('what is kept no longer', () => {
  it.each(PURGING_ARMS)('is known until it is deleted: $action at $step', async (arm) => {
    expect((await run.expire(arm)).faults).toEqual([])
  })

  it('is gone in the end, also where its object is aborted, and has proofs', async () => {
    expect((await run.expire(PURGING_ABORT)).faults).toEqual([])
    expect(await run.expire()).toMatchObject({ faults: [], overdue: 0 })
    expect((await run.disturb([])).faults).toEqual([])
    expect(await run.settleDown()).toMatchObject({ faults: [], unpublished: [] })
  })
})
