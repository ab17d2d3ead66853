// Checks a receipt in the browser with countersign-verify's own code, and compares it with the audit trail. Sends no request.
import type { PublishedKeyHistory } from '../../../evidence/records/attestation.schema.ts'
import { KEY_LIST_FAULTS, readKeyList } from '../../../evidence/records/key-list.ts'
import { READ_FAULTS, readJsonObject } from '../../../evidence/records/read-json-object.ts'
import { NO_OPTIONS } from '../../../evidence/verify/check-options.ts'
import { checkDocument } from '../../../evidence/verify/check-document.ts'
import { isReceipt } from '../../../evidence/verify/check-call-evidence.ts'
import { failed, toPrintable, type Finding, passed } from '../../../evidence/verify/verification-finding.ts'
import { FindingsReport } from '../../../evidence/verify/findings-report.ts'
import type { AuditTrailEntry } from '../../../management/audit/audit-trail.schema.ts'
import type { MedicalReceiptWithProofs } from '../../../management/receipts/receipts.schema.ts'

/** A receipt as received. `id` is the id of the requested record. */
type Received = { id: string; bytes: Uint8Array; keys: PublishedKeyHistory }

/** Checks a receipt with the service's published keys. SECURITY: a genuine receipt of another call fails. */
export function checkLoadedReceipt({ id, bytes, keys }: Received): Finding[] {
  const read = readJsonObject(bytes)
  if (!read.readable) return [failed('document', '', read.fault, READ_FAULTS[read.fault])]
  const { object } = read
  if (!isReceipt(object)) return [failed('document', '', 'not_a_receipt', 'It is no medical receipt.')]
  const list = readKeyList(keys)
  if (!list.ok) return [failed('keys', '', list.fault, KEY_LIST_FAULTS[list.fault])]
  const another = failed(
    'receipt',
    toPrintable(object['id']),
    'another_call',
    'It is of another call than the one asked for.',
  )
  const findings = checkDocument(object, { ...NO_OPTIONS, trust: { keys: [], list: list.keys } })
  return object['id'] === id ? findings : [another, ...findings]
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

const RECORD_OUTCOMES = { passed: 'ALLOWED', blocked: 'BLOCKED', suppressed: 'SUPPRESSED' } as const

/** Compares the audit trail's entry with the record. Returns null if the receipt has no record. */
export function compareTrailEntry(entry: AuditTrailEntry, receipt: MedicalReceiptWithProofs): Finding | null {
  const { attestation: record, settlement } = receipt
  if (record === null) return null
  const { proof } = receipt.organisation_log
  const pairs: (readonly [name: string, said: unknown, recorded: unknown])[] = [
    ['record', entry.attestation_id, record.attestation_id],
    ['trace', entry.trace_id, record.trace_id],
    ['organisation', entry.organisation_id, record.org_id],
    ['time', entry.timestamp, record.timestamp],
    ['model', entry.model, record.model],
    ['outcome', RECORD_OUTCOMES[entry.outcome], record.outcome],
    ['rules', String(entry.policy_applied), String(record.policy_applied)],
    ['cost prevented', entry.cost_prevented_eur, record.cost_prevented_eur],
    ['request hash', entry.request_hash, record.request_hash],
    ['leaf', entry.index, proof.leaf_index],
    ['leaf hash', entry.leaf_hash, proof.leaf_hash],
  ]
  // The call may have settled after the audit trail was loaded.
  if (settlement !== null && entry.settlement_index !== null) {
    const { content } = settlement
    pairs.push(
      ['ending', entry.ending, content['ended']],
      ['answered by', entry.served_model, content['served_model'] ?? null],
      ['finish reason', entry.finish_reason, content['finish_reason'] ?? null],
      ['cause of failure', entry.error_cause, content['error_cause'] ?? null],
      ['time taken', entry.response_ms, content['upstream_ms'] ?? null],
      ['cost', inMicroeuro(entry.cost_eur), content['cost_microeur']],
      ['estimate', entry.cost_estimated, content['estimated']],
      [
        'tokens in',
        entry.input_tokens,
        sumOf(content, ['input_uncached', 'cache_read', 'cache_write', 'cache_write_hour']),
      ],
      ['tokens from a cache', entry.cached_input_tokens, sumOf(content, ['cache_read'])],
      ['tokens out', entry.output_tokens, sumOf(content, ['output_visible', 'reasoning'])],
      ['reasoning', entry.reasoning_tokens, sumOf(content, ['reasoning'])],
      ['settlement', entry.settlement_index, settlement.proof.leaf_index],
    )
  }
  const differing = pairs.filter(([, said, recorded]) => said !== recorded).map(([name]) => name)
  if (differing.length === 0) return passed('audit entry', entry.attestation_id)
  const reason = `The trail says otherwise than what is signed: ${differing.join(', ')}. Rely on what is signed, and tell the operator.`
  return failed('audit entry', entry.attestation_id, 'members_differ', reason)
}

/** Adds up the token counts of these names. Returns null if the usage is not known. */
function sumOf({ usage }: Readonly<Record<string, unknown>>, names: readonly string[]): number | null {
  if (typeof usage !== 'object' || usage === null) return null
  const counts = new Map<string, unknown>(Object.entries(usage))
  return names.reduce((sum, name) => sum + Number(counts.get(name) ?? 0), 0)
}

const inMicroeuro = (eur: number | null): number | null => (eur === null ? null : Math.round(eur * 1e6))
