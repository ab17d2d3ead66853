// Checks a medical receipt: its record, how the call ended, people's decisions, and the proofs. Other members must
// repeat the record or be unknown to it. In the second case only the receipt's signer vouches for them.
import { ISSUED_MEMBERS } from '../records/issued-document.ts'
import type { KeyList } from '../records/key-list.ts'
import type { PinnedTrust } from '../records/verify-record.ts'
import { verifyLogged } from '../bundles/evidence-bundle.ts'
import { isJsonObject, type JsonObject } from '../../platform/json.ts'
import { pinnedTrustOf, type CheckOptions } from './options.ts'
import { checkAnchor, lastLeafOf } from './check-anchor.ts'
import { checkApproval } from './check-approval.ts'
import { judgeIssued, judgeKeyByList } from './check-issued.ts'
import { isMarkedAs, failed, passed, NOT_PROVEN, plain, type Finding } from './finding.ts'

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

const ALONE = [...MEMBERS, 'public_log', 'anchor', 'details', ...ISSUED_MEMBERS] as const

/** The receipt as the API returned it. */
export function checkReceipt(receipt: JsonObject, options: CheckOptions): Finding[] {
  const { demo: _, ...unmarked } = receipt
  const { organisation_log: organisationLog, public_log: publicLog, anchor, details } = receipt
  const id = plain(receipt['id'])
  const isWhole =
    hasJust(unmarked, ALONE) && isJsonObject(organisationLog) && (publicLog === null || isJsonObject(publicLog))
  if (!isWhole || !isMarkedAs(receipt, orgIdIn(organisationLog['proof']))) return [notAReceipt(id)]
  const trust = pinnedTrustOf(options)
  const fault = judgeIssued(receipt, trust, null)
  const whole =
    fault === null ? passed('receipt', id, { key_source: 'pinned' }) : failed('receipt', id, fault.code, fault.reason)
  if (details === 'expired') return [whole, expired(id)]
  const of = { head: organisationLog['head'], last: lastLeafOf([organisationLog, receipt['settlement']]), publicLog }
  return [whole, ...checkParts(receipt, { organisationLog, publicLog }, trust), checkAnchor(anchor, of, trust)]
}

const orgIdIn = (proof: unknown): unknown => (isJsonObject(proof) ? proof['org_id'] : undefined)

/** A line of an export. Its proof leads to the export's head, and its keys must be valid by the export's own list. */
export function checkReceiptLine(
  receipt: JsonObject,
  { head, list }: { head: JsonObject; list: KeyList | null },
  trust: PinnedTrust,
): Finding[] {
  const { organisation_log: log } = receipt
  if (!hasJust(receipt, MEMBERS) || !isJsonObject(log) || Object.hasOwn(log, 'head')) {
    return [notAReceipt(plain(receipt['id']))]
  }
  const findings = checkParts(receipt, { organisationLog: { ...log, head }, publicLog: null }, trust)
  const isWrong = findings.some(({ valid, code }) => !valid && code !== NOT_PROVEN)
  return isWrong || list === null ? findings : [...findings, ...judgeKeys(receipt, list)]
}

function judgeKeys({ id, attestation: record, acceptance }: JsonObject, list: KeyList): Finding[] {
  const { subject = null, records = [] } = isJsonObject(acceptance) ? acceptance : {}
  const others: readonly unknown[] = [subject, ...(Array.isArray(records) ? (records as readonly unknown[]) : [])]
  // Counts as included, because the export is signed as a whole.
  const faults = [record, ...others]
    .filter(isJsonObject)
    .map((each) => judgeKeyByList(each, list, { isIncluded: true }))
  return faults.flatMap((fault) => (fault === null ? [] : [failed('keys', plain(id), fault.code, fault.reason)]))
}

type Logs = { organisationLog: JsonObject; publicLog: JsonObject | null }

function checkParts(receipt: JsonObject, logs: Logs, trust: PinnedTrust): Finding[] {
  const id = plain(receipt['id'])
  const { attestation: record, settlement, acceptance, approval_state: state } = receipt
  if (record === null) return [unsigned(id)]
  const isWhole =
    isJsonObject(record) &&
    (settlement === null || isJsonObject(settlement)) &&
    (acceptance === null || isJsonObject(acceptance))
  if (!isWhole) return [notAReceipt(id)]
  const parts = verifyLogged({ record, settlement, ...logs }, trust).map(({ part, fault }) =>
    fault === null ? passed(part, id) : failed(part, id, fault.code, fault.reason),
  )
  const described = saysTheSame(receipt, record)
    ? []
    : [failed('receipt', id, 'members_differ', 'It says otherwise than the record in it.')]
  return [...parts, ...described, ...checkApproval({ record, state, acceptance }, trust)]
}

const OUTCOMES: Readonly<Record<string, string>> = { passed: 'ALLOWED', blocked: 'BLOCKED', suppressed: 'SUPPRESSED' }

const saysTheSame = (receipt: JsonObject, record: JsonObject): boolean =>
  receipt['id'] === record['attestation_id'] &&
  receipt['created_at'] === record['timestamp'] &&
  receipt['trace_id'] === record['trace_id'] &&
  receipt['model'] === record['model'] &&
  OUTCOMES[String(receipt['outcome'])] === record['outcome']

function hasJust(object: JsonObject, names: readonly string[]): boolean {
  const own = Object.keys(object)
  return own.length === names.length && names.every((name) => Object.hasOwn(object, name))
}

const notAReceipt = (id: string): Finding =>
  failed('receipt', id, 'not_a_receipt', 'It has not just the members that medical receipts have.')

const unsigned = (id: string): Finding =>
  failed('receipt', id, NOT_PROVEN, 'It has no record in it, so nothing shows what was decided.')

const expired = (id: string): Finding =>
  failed(
    'receipt',
    id,
    NOT_PROVEN,
    'Its details have expired. Check your own copy of the record, with the proof and the head in it as --proof and --head.',
  )
