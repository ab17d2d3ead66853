// The disk as it is at random moments under load, with the end of every write-ahead log torn: whatever was answered by then is
// in it, and the service goes on from it.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startCrashRun, type CrashRun } from '../support/e2e/crash/crash-run.ts'

let run: CrashRun

beforeAll(async () => {
  run = await startCrashRun()
})
afterAll(() => run.close())

it('has whole books at every moment, and goes on from the last', async () => {
  expect((await run.losePower(4)).faults).toEqual([])
  expect((await run.losePower(1)).faults).toEqual([])
  expect(await run.settleDown()).toMatchObject({ faults: [], unpublished: [] })
})
