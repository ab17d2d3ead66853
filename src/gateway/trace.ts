// A chat call's trace: its id, and what `aqta` says of it.
import type { AppContext } from '../platform/context.ts'
import type { Aqta } from './aqta.schema.ts'

export const newTraceId = (): string => `tr_${crypto.getRandomValues(new Uint8Array(16)).toHex()}`

const MICROEUR_PER_EUR = 1_000_000

type TraceFacts = {
  traceId: string
  status: Aqta['status']
  provider: Aqta['provider']
  costMicroeur?: number
  estimated?: boolean
}

/** The only place that builds `aqta`; the attestation of the decision becomes a member here. */
export function describeTrace({ traceId, status, provider, costMicroeur = 0, estimated = false }: TraceFacts): Aqta {
  return {
    trace_id: traceId,
    cost_eur: costMicroeur / MICROEUR_PER_EUR,
    ...(estimated ? { cost_estimated: true } : {}),
    provider,
    status,
    cached: false,
    loop_detected: status === 'suppressed',
  }
}

/** For clients that drop members they do not know, and for all before a stream's first byte. */
export function setTraceHeaders(c: AppContext, traceId: string, status: Aqta['status']): void {
  c.header('x-aqta-trace-id', traceId)
  c.header('x-aqta-status', status)
  c.get('logged').outcome = status
}
