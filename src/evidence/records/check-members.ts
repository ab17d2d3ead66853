// What a record's members must be, before any cryptography. The identifiers and the model may hold any JSON, as they may
// for the format's public verifiers: what they say is the signer's word either way.
import { wholeNumberIn } from './number-text.ts'
import type { JsonObject } from '../../platform/json-object.ts'
import { byCodeUnits } from './record.ts'
import type { RecordFault } from './record-fault.ts'
import { secondsOf } from './rfc3339.ts'

const MEMBERS: ReadonlySet<string> = new Set([
  'v',
  'attestation_id',
  'trace_id',
  'org_id',
  'request_hash',
  'model',
  'outcome',
  'policy_applied',
  'cost_prevented_eur',
  'timestamp',
  'public_key',
  'signature',
])

/** PASSED is an old synonym of ALLOWED: accepted, never written. */
const OUTCOMES: ReadonlySet<string> = new Set(['ALLOWED', 'BLOCKED', 'SUPPRESSED', 'PASSED'])

const REQUEST_HASH = /^[0-9a-f]{64}$/

/** The first thing wrong, or null. The order is part of the format. */
export function findMemberFault(record: JsonObject): RecordFault | null {
  for (const name of MEMBERS) if (!Object.hasOwn(record, name)) return 'missing_member'
  for (const name of Object.keys(record)) if (!MEMBERS.has(name)) return 'unknown_member'
  if (wholeNumberIn(record, 'v') !== 1) return 'unsupported_version'
  return (
    findOutcomeFault(record['outcome']) ??
    findPolicyFault(record['policy_applied']) ??
    findRequestHashFault(record['request_hash']) ??
    findCostFault(record['cost_prevented_eur']) ??
    findTimestampFault(record['timestamp'])
  )
}

function findOutcomeFault(outcome: unknown): RecordFault | null {
  if (typeof outcome !== 'string') return 'outcome_not_a_string'
  return OUTCOMES.has(outcome) ? null : 'unknown_outcome'
}

export function findPolicyFault(policies: unknown): RecordFault | null {
  if (!Array.isArray(policies)) return 'policies_not_an_array'
  const names: string[] = []
  for (const policy of policies as readonly unknown[]) {
    if (typeof policy !== 'string') return 'policies_not_strings'
    names.push(policy)
  }
  const isSorted = names.every((name, at) => at === 0 || byCodeUnits(names[at - 1] ?? '', name) <= 0)
  return isSorted ? null : 'policies_not_sorted'
}

const findRequestHashFault = (hash: unknown): RecordFault | null =>
  typeof hash === 'string' && REQUEST_HASH.test(hash) ? null : 'request_hash_malformed'

function findCostFault(cost: unknown): RecordFault | null {
  if (typeof cost !== 'number' || !Number.isFinite(cost)) return 'cost_not_a_number'
  return cost < 0 ? 'cost_negative' : null
}

const findTimestampFault = (timestamp: unknown): RecordFault | null =>
  secondsOf(timestamp) !== null ? null : 'timestamp_malformed'
