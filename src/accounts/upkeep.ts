// What is done once a day for all accounts, step by step: one that fails keeps no other from being done.
import { describeThrown, log } from '../platform/log.ts'

/** `name`: as it stands in the log, should the step fail. It is tried again the next day. */
export type UpkeepStep = { name: string; run: (now: number) => Promise<void> }

/** Throws once all steps are done or have failed, so that the platform counts the run as failed. */
export async function runUpkeep(steps: readonly UpkeepStep[], now: number): Promise<void> {
  const failed: string[] = []
  for (const { name, run } of steps) {
    try {
      await run(now)
    } catch (thrown) {
      failed.push(name)
      log({
        level: 'error',
        event: 'upkeep_failed',
        outcome: name,
        ...describeThrown(thrown),
      })
    }
  }
  if (failed.length > 0) throw new Error(`failed: ${failed.join(', ')}`)
}
