// The facts of a record that was found valid, in the words of the pages.
import { readJsonObject } from '../../evidence/records/read-json-object.ts'
import { isJsonObject, type JsonObject } from '../../platform/json.ts'
import { RECORD_OUTCOMES, recordStatusOf, type Outcome } from '../../evidence/records/call-endings.ts'

export type RecordFacts = {
  id: string
  outcome: Outcome
  /** The outcome as it is signed. */
  signed: string
  /** When it was decided: ISO 8601. */
  timestamp: string
  organisation: string
  model: string
  rules: readonly string[]
  requestHash: string
}

/** Returns the facts of the record that is checked in a document of the kind; null if it has none. */
export function recordFactsOf(document: Uint8Array, kind: string): RecordFacts | null {
  const record = recordInside(document, kind)
  if (record === null) return null
  const rules = Array.isArray(record['policy_applied']) ? record['policy_applied'].map(String) : []
  const text = (name: string): string => {
    const value = record[name]
    return typeof value === 'string' ? value : ''
  }
  const signed = RECORD_OUTCOMES.find((one) => one === text('outcome'))
  if (signed === undefined || Number.isNaN(Date.parse(text('timestamp')))) return null
  return {
    id: text('attestation_id'),
    // A call that waited for people is signed as blocked.
    outcome: signed === 'BLOCKED' && rules[0] === 'human_approval' ? 'held' : recordStatusOf(signed),
    signed,
    timestamp: text('timestamp'),
    organisation: text('org_id'),
    model: text('model'),
    rules,
    requestHash: text('request_hash'),
  }
}

/** The members that lead to the record in a document of each kind. */
const PATHS: Readonly<Partial<Record<string, readonly string[]>>> = {
  record: [],
  answer: ['aqta', 'attestation'],
  entry: ['attestation'],
  bundle: ['record'],
  receipt: ['attestation'],
}

/**
 * Returns the record that is checked in a document of the kind; null if it has none. SECURITY: a document can have another record
 * elsewhere, which nobody checks.
 */
export function recordInside(document: Uint8Array, kind: string): JsonObject | null {
  const read = readJsonObject(document)
  if (!read.readable) return null
  const inner = PATHS[kind]?.reduce<unknown>((outer, name) => (isJsonObject(outer) ? outer[name] : null), read.object)
  return isJsonObject(inner) ? inner : null
}
