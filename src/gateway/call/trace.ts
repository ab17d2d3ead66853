// A chat call's trace: its id, and what `aqta` says of it.
import type { AttestationRecord } from '../../evidence/records/record.ts'
import { parseAttestationId } from '../../public-log/attestation-positions.ts'
import type { AppContext } from '../../platform/context.ts'
import { formatUuid } from '../../platform/ids.ts'
import type { Aqta } from './aqta.schema.ts'

/** The digits of the attestation's id, so that a record is found by either. */
export const traceIdOf = (attestationId: string): string => `tr_${attestationId.replaceAll('-', '')}`

/** The attestation_id that a caller names, by itself or by its trace; null for what can be neither. */
export function readAttestationId(named: string): string | null {
  const digits = /^tr_([0-9a-f]{32})$/.exec(named)?.[1]
  const id = digits === undefined ? named : formatUuid(Uint8Array.fromHex(digits))
  return parseAttestationId(id) === null ? null : id
}

export type TraceIds = { traceId: string; attestationId: string }

/** Of a call whose decision is about to be made. */
export function newTrace(): TraceIds {
  const attestationId = crypto.randomUUID()
  return { traceId: traceIdOf(attestationId), attestationId }
}

const MICROEUR_PER_EUR = 1_000_000

type TraceFacts = {
  attestation: AttestationRecord
  status: Aqta['status']
  provider: Aqta['provider']
  costMicroeur?: number
  estimated?: boolean
  cached?: boolean
}

/** The only place that builds `aqta`. */
export function describeTrace({
  attestation,
  status,
  provider,
  costMicroeur = 0,
  estimated = false,
  cached = false,
}: TraceFacts): Aqta {
  return {
    trace_id: attestation.trace_id,
    cost_eur: costMicroeur / MICROEUR_PER_EUR,
    ...(estimated ? { cost_estimated: true } : {}),
    provider,
    status,
    cached,
    loop_detected: status === 'suppressed',
    attestation,
  }
}

/**
 * For clients that drop members they do not know, and for all before a stream's first byte: a stream that is cut leaves its
 * caller no other way to the record.
 */
export function setTraceHeaders(c: AppContext, ids: TraceIds, status: Aqta['status']): void {
  for (const [name, value] of Object.entries(traceHeaders(ids, status))) c.header(name, value)
  c.get('logged').outcome = status
}

export const traceHeaders = (ids: TraceIds, status: Aqta['status']): Record<string, string> => ({
  'x-aqta-trace-id': ids.traceId,
  'x-aqta-attestation-id': ids.attestationId,
  'x-aqta-status': status,
})
