// The record inside a document around it, where the document is just what it claims to be. What is around the record is
// not signed, and is looked at only to tell that the record belongs there.
import { canonicalJson } from '../records/canonical-json.ts'
import { isJsonObject, type JsonObject } from '../../platform/json-object.ts'

export const UNWRAP_FAULTS = {
  not_an_answer: 'It is no answer of the gateway: neither a chat.completion with aqta nor error and aqta alone.',
  not_an_entry: 'It is no line of an export: id, a text, and attestation, a record, and nothing else.',
  no_record: 'It has no record in it.',
  record_of_another_call: 'The record in it is about another call, or another outcome.',
} as const

export type UnwrapFault = keyof typeof UNWRAP_FAULTS

export type Unwrapped = { record: JsonObject } | { fault: UnwrapFault }

/** An answer to a chat call: whole, or the body of an error. */
export function unwrapAnswer(answer: JsonObject): Unwrapped {
  const { aqta, error } = answer
  const isCompletion = answer['object'] === 'chat.completion' && error === undefined
  if (!isJsonObject(aqta) || !(isCompletion || isErrorBody(answer, aqta))) return { fault: 'not_an_answer' }
  const { attestation: record } = aqta
  if (!isJsonObject(record)) return { fault: 'no_record' }
  const { trace_id: traceId = record['trace_id'], status = statusOf(record['outcome']) } = aqta
  const isItsOwn = traceId === record['trace_id'] && status === statusOf(record['outcome'])
  return isItsOwn ? { record } : { fault: 'record_of_another_call' }
}

/** `aqta` stands beside the error and in it, since some clients keep only the one and some only the other. */
function isErrorBody(body: JsonObject, aqta: JsonObject): boolean {
  const { error } = body
  if (!isJsonObject(error) || Object.keys(body).length !== 2) return false
  return error['aqta'] === undefined || isSameJson(error['aqta'], aqta)
}

function isSameJson(one: unknown, other: unknown): boolean {
  try {
    return canonicalJson(one) === canonicalJson(other)
  } catch {
    return false
  }
}

function statusOf(outcome: unknown): string | null {
  if (outcome === 'ALLOWED' || outcome === 'PASSED') return 'passed'
  return outcome === 'BLOCKED' || outcome === 'SUPPRESSED' ? outcome.toLowerCase() : null
}

export function unwrapEntry(entry: JsonObject): Unwrapped {
  const { id, attestation: record } = entry
  if (typeof id !== 'string' || Object.keys(entry).length !== 2) return { fault: 'not_an_entry' }
  if (!isJsonObject(record)) return { fault: 'no_record' }
  return id === record['attestation_id'] ? { record } : { fault: 'record_of_another_call' }
}
