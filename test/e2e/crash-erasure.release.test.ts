// The process is killed (SIGKILL) after each step of an erasure, when its work is done and that is not noted. It comes to its
// end all the same, and leaves nothing that the organisation ever wrote.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findErasureFault } from '../../src/evidence/records/erasure-record.ts'
import { ERASURE_STEPS } from '../../src/organisation/erasure/erasure.ts'
import { MARK, OTHER_MARK, startErasureRun } from '../support/e2e/crash/erasure-run.ts'

let run: Awaited<ReturnType<typeof startErasureRun>>

beforeAll(async () => {
  run = await startErasureRun()
})
afterAll(() => run.close())

it('erases one organisation and not the other, although it is killed after every step', async () => {
  await run.putAway()
  const before = await run.everythingStored()
  for (const mark of [MARK, OTHER_MARK]) expect(before).toContain(mark)

  let id = ''
  const [first, ...others] = ERASURE_STEPS
  await run.killAfter(first, async () => (id = await run.request()))
  for (const step of others) {
    await run.killAfter(step)
    expect((await run.everythingStored()).includes(OTHER_MARK)).toBe(true)
  }
  await run.goOn()

  const record = await run.record(id)
  expect(findErasureFault(record, { keys: [await run.publicKey()] })).toBeNull()
  expect(record).toMatchObject({ org_id: run.practice.id })
  const after = await run.everythingStored()
  expect(after).not.toContain(MARK)
  for (const kept of [OTHER_MARK, run.other.id, run.other.personId]) expect(after).toContain(kept)
  expect(after.split('"act":"organisation.erased"')).toHaveLength(2)
})
