// The outlet of a call's answer, in the place that it was given before it was admitted.
import { systemClock } from '../../platform/clock.ts'
import type { AppContext } from '../../platform/context.ts'
import { systemRuntime } from '../../providers/exchange.ts'
import type { AdmittedCall } from './admitted-call.ts'
import type { ProviderDeps } from './provider-call.ts'
import { createOutlet, type Outlet } from '../stream/outlet.ts'

/** The runtime is asked to keep the call alive until its place is given back, should its caller leave. */
export function openOutlet(
  c: AppContext,
  { place }: Pick<AdmittedCall, 'place'>,
  { limits }: Pick<ProviderDeps, 'limits'>,
): Outlet {
  const { after } = systemRuntime
  const outlet = createOutlet({ stallMs: limits.stallMs, signal: c.req.raw.signal, after, now: systemClock, place })
  c.executionCtx.waitUntil(outlet.over)
  return outlet
}
