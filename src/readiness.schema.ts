// The response of /readyz: what each check of the deployment saw, and what to do about it.
import * as z from 'zod'
import { softwareSchema } from './health.schema.ts'
import { orNull } from './platform/names.schema.ts'
import { once, type Infer } from './platform/once.ts'
import { DAY_MS } from './platform/time.ts'

const CHECK_STATES = ['pass', 'warn', 'fail', 'unknown'] as const

export const ReadinessCheckSchema = once(() =>
  z
    .strictObject({
      id: z.string(),
      state: z.enum(CHECK_STATES).meta({
        description:
          '`warn`: it stops nobody yet. `unknown`: it could not be found out, which does not count as ready.',
      }),
      seen: z.string().meta({ description: 'Has names of settings, and no values of secrets.' }),
      blocks: orNull(z.string()).meta({ description: 'What callers cannot do meanwhile.' }),
      remedy: orNull(z.string()).meta({ description: 'What the operator does next.' }),
    })
    .meta({ id: 'ReadinessCheck' }),
)

/** Members of the body, also beside `error` where the service is not ready. */
export const readinessMembers = once(() => ({
  object: z.literal('readiness'),
  ready: z.boolean(),
  checked_at: z.iso.datetime(),
  software: softwareSchema(),
  checks: z.array(ReadinessCheckSchema()),
}))

export const ReadinessSchema = once(() => z.strictObject(readinessMembers()))

export type Readiness = Infer<typeof ReadinessSchema>
export type ReadinessCheck = Infer<typeof ReadinessCheckSchema>
/** What a check says, which its place in the list gives an id. */
export type CheckAnswer = Omit<ReadinessCheck, 'id'>

export const pass = (seen: string): CheckAnswer => ({ state: 'pass', seen, blocks: null, remedy: null })
export const warn = (seen: string, remedy: string): CheckAnswer => ({ state: 'warn', seen, blocks: null, remedy })
export const unknown = (seen: string, remedy: string): CheckAnswer => ({ state: 'unknown', seen, blocks: null, remedy })
export const fail = (seen: string, blocks: string, remedy: string): CheckAnswer => ({
  state: 'fail',
  seen,
  blocks,
  remedy,
})

/** Returns true if nothing stops callers, and everything could be found out. */
export const isReady = (checks: readonly Pick<ReadinessCheck, 'state'>[]): boolean =>
  checks.every(({ state }) => state === 'pass' || state === 'warn')

/** The European Central Bank's rate is of a working day. */
const RATE_GOOD_DAYS = 7

/** Judges the day of the euro rate, before a deployment and in it. */
export function describeRate(date: string | null, now: number): CheckAnswer {
  const remedy = 'Set EUR_PER_USD and EUR_PER_USD_DATE to the European Central Bank’s rate.'
  if (date === null) return warn('EUR_PER_USD_DATE is not set', remedy)
  const days = daysSince(date, now)
  const seen = `the rate is of ${date}, ${days} days old`
  return days > RATE_GOOD_DAYS ? warn(seen, remedy) : pass(seen)
}

/** @param day such as 2026-01-31 */
export const daysSince = (day: string, now: number): number => Math.floor((now - Date.parse(day)) / DAY_MS)
