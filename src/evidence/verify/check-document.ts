// Detects a document's kind and runs the checks of that kind. A record inside a response or an export line is taken out first.
// Throws if an option does not fit the kind.
import { RECORD_OUTCOMES, recordStatusOf, type RecordStatus } from '../records/call-endings.ts'
import { readJsonObject } from '../records/read-json-object.ts'
import { type JsonObject, isJsonObject } from '../../platform/json.ts'
import { MisuseError, type CheckOptions } from './check-options.ts'
import { checkErasure, checkRecord } from './check-record.ts'
import { checkBundle, checkReceipt, isReceipt } from './check-call-evidence.ts'
import { checkHeadHistory } from './check-head-history.ts'
import { checkConsistency, checkHead, checkInclusion } from './check-proof.ts'
import { detectKind, profileOf, type DocumentKind, type Profile } from './document-kind.ts'
import type { FindingsReport } from './findings-report.ts'
import { failed, faultOf, judged, passed, type Finding } from './verification-finding.ts'

export function checkDocument(document: JsonObject, options: CheckOptions): Finding[] {
  if (options.profile !== null) return options.profile(document, options)
  const profile = profileOf(document)
  if (profile !== null && options.answer === null) return [profileNotNamed(profile)]
  if (isReceipt(document)) {
    if (options.kind !== null) throw new MisuseError('receipt_with_more')
    assertUsed('receipt', options)
    return checkReceipt(document, options)
  }
  const detected = detectKind(document, options.kind)
  if ('mixed' in detected) return [mixed(detected.mixed)]
  assertUsed(detected.kind, options)
  return CHECKS[detected.kind](document, options)
}

const CHECKS: Readonly<Record<DocumentKind, (document: JsonObject, options: CheckOptions) => Finding[]>> = {
  record: checkRecord,
  answer: (document, options) => withItsNote(checkUnwrapped(unwrapAnswer(document), options)),
  entry: (document, options) => checkUnwrapped(unwrapEntry(document), options),
  inclusion: checkInclusion,
  consistency: checkConsistency,
  head: checkHead,
  bundle: checkBundle,
  history: (document, options) => [checkHeadHistory(document, options)],
  erasure: (document, options) => [checkErasure(document, options)],
}

/** Checks the record as a document of its own, so members added to it are found. */
function checkUnwrapped(unwrapped: Unwrapped, options: CheckOptions): Finding[] {
  if ('fault' in unwrapped) return [judged('document', '', faultOf(UNWRAP_FAULTS, unwrapped.fault))]
  const detected = detectKind(unwrapped.record, 'record')
  return 'mixed' in detected ? [mixed(detected.mixed)] : checkRecord(unwrapped.record, options)
}

/** Adds what a valid record leaves open of the answer around it. */
function withItsNote(findings: Finding[]): Finding[] {
  const code = 'only_the_record'
  return findings.every(({ valid }) => valid)
    ? [...findings, passed('answer', '', { code, reason: ONLY_THE_RECORD })]
    : findings
}

const ONLY_THE_RECORD = 'Only its record is proven, not its text, model, usage or cost. Give its bundle with --answer.'

const mixed = (kinds: readonly DocumentKind[]): Finding =>
  failed('document', kinds.join(', '), 'mixed_members', 'It has members of several kinds of document.')

const profileNotNamed = (profile: Profile): Finding =>
  failed(
    'document',
    '',
    'profile_not_named',
    `It says that it is of ${profile}, which is another format: check it with --profile ${profile}.`,
  )

/** Throws if an input is unused. Otherwise a caller could believe that an unused head was checked. */
function assertUsed(kind: DocumentKind | 'receipt', { request, proof, heads, freshness, answer }: CheckOptions): void {
  const isRecord = kind === 'record' || kind === 'answer' || kind === 'entry'
  const isProof = kind === 'inclusion' || kind === 'consistency' || (isRecord && proof !== null)
  if (request !== null && !isRecord) throw new MisuseError('request_of_no_record')
  if (proof !== null && !isRecord) throw new MisuseError('proof_of_no_record')
  if (answer !== null && kind !== 'bundle') throw new MisuseError('answer_of_no_bundle')
  const hasHead = kind === 'head' || ((kind === 'inclusion' || kind === 'consistency') && heads.length > 0)
  if (freshness !== null && !hasHead) throw new MisuseError('age_of_no_head')
  if (heads.length > 0 && !isProof) throw new MisuseError('head_of_no_proof')
}

export const UNWRAP_FAULTS = {
  not_an_answer: 'It is not an answer of the gateway: a chat.completion or a response, with aqta.',
  error_body:
    'An error has no record. GET /v1/attestations/{attestation_id}?bundle=true returns it: give that with --answer.',
  not_an_entry: 'It is not a line of an export, which has only the text id and the record attestation.',
  no_record: 'It has no record in it.',
  record_of_another_call: 'The record in it is about another call, or another outcome.',
} as const

export type Unwrapped = { record: JsonObject } | { fault: keyof typeof UNWRAP_FAULTS }

/** Takes the record out of the response to a chat call. An error has only the id of its record. */
export function unwrapAnswer(answer: JsonObject): Unwrapped {
  const { aqta, error, object } = answer
  // A response always has `error`.
  if (error !== undefined && !(error === null && object === 'response')) return { fault: 'error_body' }
  if (!isJsonObject(aqta) || (object !== 'chat.completion' && object !== 'response')) return { fault: 'not_an_answer' }
  const { attestation: record } = aqta
  if (!isJsonObject(record)) return { fault: 'no_record' }
  const { trace_id: traceId = record['trace_id'], status = statusOf(record['outcome']) } = aqta
  const isItsOwn = traceId === record['trace_id'] && status === statusOf(record['outcome'])
  return isItsOwn ? { record } : { fault: 'record_of_another_call' }
}

/** Returns the status in `aqta` of a call with this outcome; null for an unknown outcome. */
export function statusOf(outcome: unknown): RecordStatus | null {
  const signed = RECORD_OUTCOMES.find((one) => one === (outcome === 'PASSED' ? 'ALLOWED' : outcome))
  return signed === undefined ? null : recordStatusOf(signed)
}

export function unwrapEntry(entry: JsonObject): Unwrapped {
  const { id, attestation: record } = entry
  if (typeof id !== 'string' || Object.keys(entry).length !== 2) return { fault: 'not_an_entry' }
  if (!isJsonObject(record)) return { fault: 'no_record' }
  return id === record['attestation_id'] ? { record } : { fault: 'record_of_another_call' }
}

/** @param line its number in a file of several lines */
export function addDocumentFindings(
  report: FindingsReport,
  bytes: Uint8Array,
  options: CheckOptions,
  line?: number,
): void {
  const read = readJsonObject(bytes)
  if (read.readable) report.add(checkDocument(read.object, options), line)
  else report.addUnreadable(read.fault, line)
}
