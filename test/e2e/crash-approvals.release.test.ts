// The service is killed at each step of an approval, while others are under way. Afterwards no approval was used twice, none is
// lost, and nothing ran without one.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Step } from '../support/e2e/crash/steps.ts'
import { startApprovalRun } from '../support/e2e/crash/approval-run.ts'

let run: Awaited<ReturnType<typeof startApprovalRun>>

beforeAll(async () => {
  run = await startApprovalRun()
})
afterAll(() => run.close())

/** Six requests in each life: six turns that ask, twelve that decide, six that use an approval and six that settle. */
const CUTS: readonly (readonly [name: string, step: Step, nth: number])[] = [
  ['when an approval is asked for and nothing is on disk', 'admit:during', 3],
  ['when an approval is asked for and its caller does not know it', 'block:after', 3],
  ['before a person has decided', 'decide:before', 4],
  ['when a person has decided and nothing is on disk', 'decide:during', 9],
  ['when a decision is on disk and nobody knows it', 'decide:after', 5],
  ['when an approval is used and nothing is on disk', 'admit:during', 9],
  ['when an approval is used and its request goes to no provider', 'admit:after', 9],
  ['before a request is settled', 'settle:before', 2],
  ['when a request is settled and nothing is on disk', 'settle:during', 2],
  ['when a request is settled and the Worker does not know it', 'settle:after', 2],
]

describe('a process that is killed', () => {
  it.each(CUTS)('leaves whole books: %s', async (_, step, nth) => {
    expect(await run.killAt(step, nth)).toEqual([])
  })

  it('lets each of these requests run once in the end, or never again', async () => {
    expect(await run.finish()).toEqual([])
    expect(run.requests.length).toBe(6 * (CUTS.length + 1))
  })

  it.each(['alarm:during', 'alarm:after'] as const)('ends what nobody decided about, once: at %s', async (step) => {
    expect(await run.expire(step)).toEqual({ faults: [], states: Array.from({ length: 6 }, () => 'expired') })
  })
})
