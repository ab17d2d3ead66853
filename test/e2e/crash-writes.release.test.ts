// The service is killed, its objects aborted and their databases made to fail, under load, while an organisation writes what
// is no chat call: its snapshot, a reading and its end, an act of the operator. Its books agree with what was seen.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startCrashRun, type CrashRun } from '../support/e2e/crash/crash-run.ts'
import { OTHER_ABORTS, OTHER_CUTS, OTHER_FAILURES } from '../support/e2e/crash/cuts.ts'

let run: CrashRun

beforeAll(async () => {
  run = await startCrashRun()
})
afterAll(() => run.close())

describe('a process that is killed', () => {
  it.each(OTHER_CUTS)('leaves whole books: $name', async (cut) => {
    expect((await run.killAt(cut)).faults).toEqual([])
  })

  it('leaves readings open that nobody answered', async () => {
    const { reading } = await run.killAt({ name: '', arm: { step: 'account:before', nth: 1, action: 'kill' } })
    expect(reading).toBeGreaterThan(0)
  })
})

it('writes a snapshot or none when its object is aborted over it', async () => {
  expect((await run.disturb(OTHER_ABORTS)).faults).toEqual([])
})

it('reads its memory again after a snapshot, an act or that very reading failed', async () => {
  expect((await run.disturb(OTHER_FAILURES)).faults).toEqual([])
  expect(await run.settleDown()).toMatchObject({ faults: [], unpublished: [] })
})
