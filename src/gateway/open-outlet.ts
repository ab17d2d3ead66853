// The outlet of a call's answer, in the place that it was given before it was admitted.
import { systemClock } from '../platform/clock.ts'
import type { AppContext } from '../platform/context.ts'
import { systemRuntime } from '../providers/exchange.ts'
import type { AdmittedCall } from './admitted-call.ts'
import type { ProviderDeps } from './provider-call.ts'
import { createOutlet, type Outlet } from './stream/outlet.ts'

export const openOutlet = (c: AppContext, { place }: AdmittedCall, { limits }: ProviderDeps): Outlet =>
  createOutlet({
    stallMs: limits.stallMs,
    signal: c.req.raw.signal,
    after: systemRuntime.after,
    now: systemClock,
    place,
  })
