// A chat call's trace: its id, and what `aqta` says of it.
import type { AttestationRecord } from '../attestation/record.ts'
import type { AppContext } from '../platform/context.ts'
import type { Aqta } from './aqta.schema.ts'

export const newTraceId = (): string => `tr_${crypto.getRandomValues(new Uint8Array(16)).toHex()}`

const MICROEUR_PER_EUR = 1_000_000

type TraceFacts = {
  attestation: AttestationRecord
  status: Aqta['status']
  provider: Aqta['provider']
  costMicroeur?: number
  estimated?: boolean
}

/** The only place that builds `aqta`. */
export function describeTrace({
  attestation,
  status,
  provider,
  costMicroeur = 0,
  estimated = false,
}: TraceFacts): Aqta {
  return {
    trace_id: attestation.trace_id,
    cost_eur: costMicroeur / MICROEUR_PER_EUR,
    ...(estimated ? { cost_estimated: true } : {}),
    provider,
    status,
    cached: false,
    loop_detected: status === 'suppressed',
    attestation,
  }
}

/** For clients that drop members they do not know, and for all before a stream's first byte. */
export function setTraceHeaders(c: AppContext, traceId: string, status: Aqta['status']): void {
  c.header('x-aqta-trace-id', traceId)
  c.header('x-aqta-status', status)
  c.get('logged').outcome = status
}
