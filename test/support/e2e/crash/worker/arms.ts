// Reads the arms of the Worker under test, and counts how often each step was reached.
import { env as settings } from 'cloudflare:workers'
import * as z from 'zod'
import { CrashSettingSchema, type Arm, type Deed, type Step } from '../steps.ts'

export const crash = z.object({ CRASH: CrashSettingSchema }).parse({ ...settings }).CRASH

const reached = new Map<Step, number>()

/** Counts a step; what is armed for this time, if anything. */
export function reach(step: Step): Arm | null {
  const times = (reached.get(step) ?? 0) + 1
  reached.set(step, times)
  return crash.arms.find((arm) => arm.step === step && arm.nth === times) ?? null
}

/** Arms that came about and end no process. The next request reports them: an object that reports its own may be aborted meanwhile. */
export const untold: Arm[] = []

/** An armed kill ends the process before its report is answered or, in the middle of a turn, soon after. */
export async function report(arm: Arm): Promise<void> {
  if (arm.action === 'kill') await send(arm)
  else untold.push(arm)
}

/** Call it before a request is answered. */
export async function reportUntold(): Promise<void> {
  await Promise.all(untold.splice(0).map(send))
}

async function send({ action, step }: Arm): Promise<void> {
  await fetch(`${crash.control}/${action}/${step}`, { method: 'POST' })
}

export const failure = (): Error => new Error('the storage fails, as it was told to')

/** Around a deed that is done outside of objects. */
export async function aroundDeed<T>(deed: Deed, work: () => Promise<T>): Promise<T> {
  const before = reach(`${deed}:before`)
  if (before !== null) await report(before)
  if (before?.action === 'fail') throw failure()
  const answer = await work()
  const after = reach(`${deed}:after`)
  if (after !== null) await report(after)
  return answer
}
