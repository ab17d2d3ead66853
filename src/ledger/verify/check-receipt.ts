// Checks a medical receipt: its record, how the call ended, what people decided and the proofs. What stands around them is not
// signed, and must say what the record says, or be what no record has.
import { ACCEPT_FAULTS, findAcceptFault, isAbout } from '../../attestation/accept-record.ts'
import { KEY_FAULTS } from '../../attestation/kept-keys.ts'
import { RECORD_FAULTS } from '../../attestation/record-fault.ts'
import { verifyRecord, type PinnedTrust } from '../../attestation/verify-record.ts'
import { verifyLogged } from '../evidence-bundle.ts'
import { isJsonObject, type JsonObject } from '../../platform/json-object.ts'
import { pinnedTrustOf, type Against } from './against.ts'
import { isMarkedAs } from './demo-mark.ts'
import { failed, found, NOT_PROVEN, plain, type Finding } from './finding.ts'

export const isReceipt = (document: JsonObject): boolean => document['object'] === 'medical_receipt'

const MEMBERS = [
  'object',
  'id',
  'created_at',
  'trace_id',
  'model',
  'provider',
  'outcome',
  'use_case',
  'approval_state',
  'attestation',
  'settlement',
  'acceptance',
  'organisation_log',
] as const

const ALONE = [...MEMBERS, 'public_log', 'details'] as const

/** As it was answered. */
export function checkReceipt(receipt: JsonObject, against: Against): Finding[] {
  const { organisation_log: organisationLog, public_log: publicLog, details } = receipt
  const id = plain(receipt['id'])
  const { demo: _, ...unmarked } = receipt
  const isWhole =
    hasJust(unmarked, ALONE) && isJsonObject(organisationLog) && (publicLog === null || isJsonObject(publicLog))
  if (!isWhole || !isMarkedAs(receipt, orgIdIn(organisationLog['proof']))) return [notAReceipt(id)]
  if (details === 'expired') return [expired(id)]
  return checkParts(receipt, { organisationLog, publicLog }, pinnedTrustOf(against))
}

const orgIdIn = (proof: unknown): unknown => (isJsonObject(proof) ? proof['org_id'] : undefined)

/** A line of an export, whose proof is of the tree of the export's head. */
export function checkReceiptLine(receipt: JsonObject, head: JsonObject, trust: PinnedTrust): Finding[] {
  const { organisation_log: log } = receipt
  if (!hasJust(receipt, MEMBERS) || !isJsonObject(log) || Object.hasOwn(log, 'head')) {
    return [notAReceipt(plain(receipt['id']))]
  }
  return checkParts(receipt, { organisationLog: { ...log, head }, publicLog: null }, trust)
}

type Logs = { organisationLog: JsonObject; publicLog: JsonObject | null }

function checkParts(receipt: JsonObject, logs: Logs, trust: PinnedTrust): Finding[] {
  const id = plain(receipt['id'])
  const { attestation: record, settlement = null, acceptance = null } = receipt
  if (record === null) return [unsigned(id)]
  const isWhole =
    isJsonObject(record) &&
    (settlement === null || isJsonObject(settlement)) &&
    (acceptance === null || isJsonObject(acceptance))
  if (!isWhole) return [notAReceipt(id)]
  const parts = verifyLogged({ record, settlement, ...logs }, trust).map(({ part, fault }) =>
    fault === null ? found(part, id) : failed(part, id, fault.code, fault.reason),
  )
  const described = saysTheSame(receipt, record)
    ? []
    : [failed('receipt', id, 'members_differ', 'It says otherwise than the record in it.')]
  return [...parts, ...described, ...(acceptance === null ? [] : checkDecisions(record, acceptance, trust))]
}

const OUTCOMES: Readonly<Record<string, string>> = { passed: 'ALLOWED', blocked: 'BLOCKED', suppressed: 'SUPPRESSED' }

const saysTheSame = (receipt: JsonObject, record: JsonObject): boolean =>
  receipt['id'] === record['attestation_id'] &&
  receipt['created_at'] === record['timestamp'] &&
  receipt['trace_id'] === record['trace_id'] &&
  receipt['model'] === record['model'] &&
  OUTCOMES[String(receipt['outcome'])] === record['outcome']

/** What people decided is about the refusal of the request, which the call with their approval repeats. */
function checkDecisions(record: JsonObject, acceptance: JsonObject, trust: PinnedTrust): Finding[] {
  const id = plain(acceptance['approval_id'])
  const { subject, records } = acceptance
  if (!hasJust(acceptance, ['approval_id', 'subject', 'records']) || !Array.isArray(records)) return [notAReceipt(id)]
  if (subject === null || !isJsonObject(subject)) {
    return [failed('subject', id, NOT_PROVEN, 'The record that people decided about is not there.')]
  }
  const decisions = records as readonly unknown[]
  return [checkSubject(subject, record, trust), ...decisions.map((each) => checkDecision(each, subject, trust))]
}

function checkSubject(subject: JsonObject, record: JsonObject, trust: PinnedTrust): Finding {
  const id = plain(subject['attestation_id'])
  const verdict = verifyRecord(subject, trust)
  if (!verdict.valid) return failed('subject', id, verdict.fault, { ...RECORD_FAULTS, ...KEY_FAULTS }[verdict.fault])
  const isOfRequest = subject['request_hash'] === record['request_hash'] && subject['org_id'] === record['org_id']
  if (isOfRequest) return found('subject', id)
  return failed('subject', id, 'subject_mismatch', 'People decided about another request.')
}

function checkDecision(decision: unknown, subject: JsonObject, trust: PinnedTrust): Finding {
  const id = isJsonObject(decision) ? plain(decision['acceptance_id']) : ''
  const fault = findAcceptFault(decision, trust)
  if (fault !== null) {
    return failed('acceptance', id, fault, { ...RECORD_FAULTS, ...KEY_FAULTS, ...ACCEPT_FAULTS }[fault])
  }
  if (isJsonObject(decision) && isAbout(decision, subject)) return found('acceptance', id)
  return failed('acceptance', id, 'subject_mismatch', 'It is about another record, or about other bytes of this one.')
}

function hasJust(object: JsonObject, names: readonly string[]): boolean {
  const own = Object.keys(object)
  return own.length === names.length && names.every((name) => Object.hasOwn(object, name))
}

const notAReceipt = (id: string): Finding =>
  failed('receipt', id, 'not_a_receipt', 'It has not just the members that medical receipts have.')

const unsigned = (id: string): Finding =>
  failed('receipt', id, NOT_PROVEN, 'It has no record in it: the seed is gone of the key that signed it.')

const expired = (id: string): Finding =>
  failed(
    'receipt',
    id,
    NOT_PROVEN,
    'Its details have expired. Check your own copy of the record, with the proof and the head in it as --proof and --head.',
  )
