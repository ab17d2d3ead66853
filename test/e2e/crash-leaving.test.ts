// The service is killed while an organisation's tiles go into files and while what is older than a week leaves its database.
// Nothing is lost on the way, and proofs of what has left verify.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startCrashRun, type CrashRun } from '../../scripts/soak/crashes/crash-run.ts'
import { A_TILE, LEAVING_STEPS, TILE_ABORTS, TILE_CUTS, TILE_FAILURES } from '../../scripts/soak/crashes/cuts.ts'

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
  it.each(LEAVING_STEPS)('is in one place at least when the process is killed at %s', async (step) => {
    // Another tile, so that there is something to leave whatever the life before came to.
    await run.disturb(A_TILE)
    expect((await run.putAway({ step, nth: 1, action: 'kill' })).faults).toEqual([])
  })

  it('has left in the end, and has proofs', async () => {
    const { faults, left } = await run.putAway(null)
    expect(faults).toEqual([])
    expect(left).toBeGreaterThanOrEqual(256)
    expect((await run.disturb([])).faults).toEqual([])
    expect(await run.settleDown()).toMatchObject({ faults: [], unpublished: [] })
  })
})
