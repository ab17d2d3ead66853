// The response of /readyz: what each check of a deployment saw, and what to do about it.
import * as z from 'zod'
import { orNull } from './platform/names.schema.ts'
import { once, type Infer } from './platform/once.ts'

/** `warn` stops nobody yet. `unknown`: it could not be asked, which never counts as well. */
export const CHECK_STATES = ['pass', 'warn', 'fail', 'unknown'] as const

/** `seen` has names of settings, never their values. `blocks`: what callers cannot do meanwhile. */
export const ReadinessCheckSchema = once(() =>
  z
    .strictObject({
      id: z.string(),
      state: z.enum(CHECK_STATES),
      seen: z.string(),
      blocks: orNull(z.string()),
      remedy: orNull(z.string()),
    })
    .meta({ id: 'ReadinessCheck' }),
)

export type ReadinessCheck = Infer<typeof ReadinessCheckSchema>
