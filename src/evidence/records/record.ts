// The record of ATTESTATION-v1: its twelve members, the bytes that are signed, and how a decision becomes one.
import { canonicalBytes } from './canonical-json.ts'
import type { JsonObject } from '../../platform/json-object.ts'

export type Outcome = 'ALLOWED' | 'BLOCKED' | 'SUPPRESSED'

export type UnsignedRecord = {
  readonly v: 1
  readonly attestation_id: string
  readonly trace_id: string
  readonly org_id: string
  readonly request_hash: string
  readonly model: string
  readonly outcome: Outcome
  readonly policy_applied: readonly string[]
  readonly cost_prevented_eur: number
  readonly timestamp: string
  readonly public_key: string
}

export type AttestationRecord = UnsignedRecord & { readonly signature: string }

export type Decision = {
  /** A UUID of version 4, of this decision alone: crypto.randomUUID(). */
  attestationId: string
  traceId: string
  organisationId: string
  /** requestHash of the body as parsed. */
  requestHash: string
  model: string
  outcome: Outcome
  /** In any order; doubles are dropped. */
  policies: readonly string[]
  /** A whole number, so that the record has at most 6 decimals of a euro. 0 for ALLOWED. */
  costPreventedMicroeur: number
  /** Milliseconds since the epoch. */
  decidedAt: number
}

const MICROEUR_PER_EUR = 1_000_000

/** Throws TypeError where the decision cannot be a record that every verifier accepts: that would be our mistake. */
export function describeDecision(decision: Decision, publicKey: string): UnsignedRecord {
  const { costPreventedMicroeur: microeur } = decision
  if (!Number.isSafeInteger(microeur) || microeur < 0) throw new TypeError('not a whole number of microeuros')
  return {
    v: 1,
    attestation_id: decision.attestationId,
    trace_id: decision.traceId,
    org_id: decision.organisationId,
    request_hash: decision.requestHash,
    model: decision.model,
    outcome: decision.outcome,
    policy_applied: [...new Set(decision.policies)].toSorted(byCodeUnits),
    cost_prevented_eur: microeur / MICROEUR_PER_EUR,
    timestamp: new Date(decision.decidedAt).toISOString(),
    public_key: publicKey,
  }
}

/** The canonical JSON of everything but the signature. Throws where there is none. */
export function signedBytes(record: JsonObject): Uint8Array {
  const { signature: _signature, ...signed } = record
  return canonicalBytes(signed)
}

/** `<` compares strings by UTF-16 code unit, which is the order the format asks for. */
export function byCodeUnits(first: string, second: string): number {
  if (first === second) return 0
  return first < second ? -1 : 1
}
