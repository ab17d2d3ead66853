// Checks a call's record in the browser with countersign-verify's own code, and compares it with the list of calls. Sends no request.
import { readAnswerScan } from '../../../evidence/records/answer-scan.ts'
import { OUTCOMES, settledEndingOf, signedOutcomeOf } from '../../../evidence/records/call-endings.ts'
import type { PublishedKeyHistory } from '../../../evidence/records/attestation.schema.ts'
import type { Trust } from '../../../evidence/records/verify-record.ts'
import { KEY_LIST_FAULTS, readKeyList } from '../../../evidence/records/key-list.ts'
import { READ_FAULTS, readJsonObject } from '../../../evidence/records/read-json-object.ts'
import { NO_OPTIONS } from '../../../evidence/verify/check-options.ts'
import { checkDocument } from '../../../evidence/verify/check-document.ts'
import { checkAcceptance } from '../../../evidence/verify/check-record.ts'
import { isReceipt } from '../../../evidence/verify/check-call-evidence.ts'
import { toPrintable } from '../../../evidence/verify/printable.ts'
import { failed, type Finding, passed } from '../../../evidence/verify/verification-finding.ts'
import { FindingsReport } from '../../../evidence/verify/findings-report.ts'
import type { Call } from '../../../management/calls/calls.schema.ts'
import type { ShownApprovalWithRecords } from '../../../organisation/approvals/approval-response.schema.ts'
import type { MedicalReceiptWithProofs } from '../../../management/receipts/receipts.schema.ts'
import { toMicroeur } from '../../../platform/money.ts'
import { DATA_REGIONS, type DataRegion } from '../../../platform/data-region.ts'

/** The record of a call with its proofs. A medical receipt has the same members. */
export type Receipt = Omit<MedicalReceiptWithProofs, 'object'>

export type SignedCallRecord = NonNullable<Call['record']>

export type SignedDecision = NonNullable<ShownApprovalWithRecords['decisions'][number]['acceptance']>

/** A receipt as received. `id` is the id of the requested record. */
type Received = { id: string; bytes: Uint8Array; keys: PublishedKeyHistory }

/** Checks with the service's published keys. @param another a fault that comes first; null if there is none */
function checkBy(keys: PublishedKeyHistory, check: (trust: Trust) => Finding[], another: Finding | null): Finding[] {
  const list = readKeyList(keys)
  if (!list.ok) return [failed('keys', '', list.fault, KEY_LIST_FAULTS[list.fault])]
  const findings = check({ keys: [], list: list.keys })
  return another === null ? findings : [another, ...findings]
}

/** Checks a receipt with the service's published keys. SECURITY: a genuine receipt of another call fails. */
export function checkLoadedReceipt({ id, bytes, keys }: Received): Finding[] {
  const read = readJsonObject(bytes)
  if (!read.readable) return [failed('document', '', read.fault, READ_FAULTS[read.fault])]
  const { object } = read
  if (!isReceipt(object)) return [failed('document', '', 'not_a_receipt', 'It is no medical receipt.')]
  const another = 'It is of another call than the one asked for.'
  return checkBy(
    keys,
    (trust) => checkDocument(object, { ...NO_OPTIONS, trust }),
    object['id'] === id ? null : failed('receipt', toPrintable(object['id']), 'another_call', another),
  )
}

type ReceivedRecord = Omit<Received, 'bytes'> & {
  record: SignedCallRecord
  /** The body of the request that the record must be about. */
  request?: object | undefined
}

/** Checks a record without its proofs. SECURITY: a genuine record of another call or request fails. */
export function checkRecordAlone({ id, record, keys, request }: ReceivedRecord): Finding[] {
  const { attestation_id: own } = record
  const about = request === undefined ? {} : { request: { ...request } }
  return checkBy(
    keys,
    (trust) => checkDocument({ ...record }, { ...NO_OPTIONS, ...about, trust }),
    own === id ? null : failed('record', toPrintable(own), 'another_call', 'It is of another call.'),
  )
}

type ReceivedDecision = {
  acceptance: SignedDecision
  /** The record of the refusal that it is about; null if it is not kept any more. */
  subject: { attestation_id: string } | null
  /** The id of that record, as the approval names it. */
  subjectId: string
  keys: PublishedKeyHistory
}

/** Checks the record of a person's decision. SECURITY: a genuine decision about another refusal fails. */
export function checkDecision({ acceptance, subject, subjectId, keys }: ReceivedDecision): Finding[] {
  const { acceptance_id: id, subject_id: about } = acceptance
  const another = 'It is about another request than this one.'
  return checkBy(
    keys,
    (trust) => checkAcceptance({ ...acceptance }, { ...NO_OPTIONS, subject: subject && { ...subject }, trust }),
    about === subjectId ? null : failed('acceptance', toPrintable(id), 'another_request', another),
  )
}

const VERDICT_WORDS = {
  valid: 'valid',
  not_proven: 'not proven',
  invalid: 'not valid',
  unreadable: 'not valid',
} as const

export type Verdict = (typeof VERDICT_WORDS)[keyof typeof VERDICT_WORDS]

/** Returns the verdict by the same rule as the command and the page that checks evidence. */
export function verdictOf(findings: readonly Finding[]): Verdict {
  const report = new FindingsReport()
  report.add(findings)
  return VERDICT_WORDS[report.verdict()]
}

/** The list is not trusted: it may have any word as an outcome. */
function signedIn({ outcome }: Call): string | null {
  const known = OUTCOMES.find((one) => one === outcome)
  return known === undefined ? null : signedOutcomeOf(known)
}

/** Compares a call of the list with its record. Returns null if the record is missing. */
export function compareListedCall(call: Call, receipt: Receipt): Finding | null {
  const { attestation: record, settlement } = receipt
  if (record === null) return null
  const { proof } = receipt.organisation_log
  const pairs: (readonly [name: string, said: unknown, recorded: unknown])[] = [
    ['record', call.id, record.attestation_id],
    ['trace', call.trace_id, record.trace_id],
    ['time', call.created_at, record.timestamp],
    ['model', call.model, record.model],
    ['outcome', signedIn(call), record.outcome],
    ['signed outcome', call.signed_outcome, record.outcome],
    ['rule', call.rule, call.outcome === 'passed' ? null : record.policy_applied[0]],
    ['signed record', JSON.stringify(call.record), JSON.stringify(record)],
    ['rules', String(call.policy_applied), String(record.policy_applied)],
    ['cost prevented', call.cost_prevented_eur, record.cost_prevented_eur],
    ['request hash', call.request_hash, record.request_hash],
    ['leaf', call.index, proof.leaf_index],
    ['leaf hash', call.leaf_hash, proof.leaf_hash],
  ]
  // The record of a refusal names only the rule that refused.
  if (record.outcome === 'ALLOWED') pairs.push(['data region', call.data_region, signedRegion(record)])
  // The call may have settled after the audit trail was loaded.
  if (settlement !== null && call.settlement_index !== null) {
    const { content } = settlement
    pairs.push(
      ['ending', call.ending, settledEndingOf(content['ended'])],
      ['further model', call.other_model, content['model'] ?? null],
      ['answered by', call.served_model, content['served_model'] ?? null],
      ['route', call.route, content['route'] ?? null],
      ['host', call.host, content['host'] ?? null],
      ['places', JSON.stringify(call.places), JSON.stringify(content['places'] ?? null)],
      ['finish reason', call.finish_reason, content['finish_reason'] ?? null],
      ['cause of failure', call.error_cause, content['error_cause'] ?? null],
      ['search of the answer', JSON.stringify(call.answer_scan), JSON.stringify(readAnswerScan(content))],
      ['time taken', call.response_ms, content['upstream_ms'] ?? null],
      [
        'tokens in',
        call.input_tokens,
        sumOf(content, ['input_uncached', 'cache_read', 'cache_write', 'cache_write_hour']),
      ],
      ['tokens from a cache', call.cached_input_tokens, sumOf(content, ['cache_read'])],
      ['tokens out', call.output_tokens, sumOf(content, ['output_visible', 'reasoning'])],
      ['reasoning', call.reasoning_tokens, sumOf(content, ['reasoning'])],
      ['settlement', call.settlement_index, settlement.proof.leaf_index],
    )
    // The settlement of an interrupted call has the estimate, which an owner may have corrected since.
    const isCorrected = content['ended'] === 'interrupted' && call.cost_correction_index !== null
    if (!isCorrected) {
      pairs.push(
        ['cost', toMicroeur(call.cost_eur), content['cost_microeur']],
        ['estimate', call.cost_estimated, content['estimated']],
      )
    }
  }
  const differing = pairs.filter(([, said, recorded]) => said !== recorded).map(([name]) => name)
  if (differing.length === 0) return passed('audit entry', call.id)
  const reason = `The list differs from what is signed: ${differing.join(', ')}. Rely on what is signed, and tell the operator.`
  return failed('audit entry', call.id, 'members_differ', reason)
}

/** Returns the region that the signed rules name. Returns null if they name none. */
const signedRegion = ({ policy_applied: rules }: SignedCallRecord): DataRegion | null =>
  DATA_REGIONS.find((region) => rules.includes(`data_region.${region}`)) ?? null

/** Adds up the token counts of these names. Returns null if the usage is not known. */
function sumOf({ usage }: Readonly<Record<string, unknown>>, names: readonly string[]): number | null {
  if (typeof usage !== 'object' || usage === null) return null
  const counts = new Map<string, unknown>(Object.entries(usage))
  return names.reduce((sum, name) => sum + Number(counts.get(name) ?? 0), 0)
}
