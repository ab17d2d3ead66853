// The service is killed at every step between an organisation's ledger and the readers of the public log, under load, and
// the log's objects are aborted and their storage made to fail. No receipt is lost or doubled, and no head is taken back.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startCrashRun, type CrashRun } from '../support/e2e/crash/crash-run.ts'
import { PUBLIC_TILE_CUTS, PUBLISHING_ABORTS, PUBLISHING_CUTS, PUBLISHING_FAILURES } from '../support/e2e/crash/cuts.ts'

let run: CrashRun

/** Each life waits for some alarms, and the load goes on meanwhile. */
const ALARM_SPEED = 200

beforeAll(async () => {
  run = await startCrashRun(ALARM_SPEED)
})
afterAll(() => run.close())

const BUSY = 8

describe('a process that is killed', () => {
  it.each([...PUBLISHING_CUTS, ...PUBLIC_TILE_CUTS])('leaves a whole public log: $name', async (cut) => {
    const { faults, inFlight } = await run.killAt(cut)
    expect(faults).toEqual([])
    expect(inFlight).toBeGreaterThanOrEqual(BUSY)
  })

  it('has every receipt in the public log once it is left alone, with proofs that verify', async () => {
    const { decisions } = await run.killAt({ name: '', arm: { step: 'take:after', nth: 2, action: 'kill' } })
    expect(await run.settleDown()).toMatchObject({ faults: [], unpublished: [], decisions, leaves: decisions })
  })
})

describe('the public log’s objects', () => {
  it('lose and double nothing when they are aborted', async () => {
    expect((await run.disturb(PUBLISHING_ABORTS)).faults).toEqual([])
    expect(await run.settleDown()).toMatchObject({ faults: [], unpublished: [] })
  })

  it('lose and double nothing when their databases, their disk, their files or their index fail', async () => {
    expect((await run.disturb(PUBLISHING_FAILURES)).faults).toEqual([])
    expect(await run.settleDown()).toMatchObject({ faults: [], unpublished: [] })
  })
})
