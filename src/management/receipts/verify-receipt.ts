// Checks a medical receipt for the verify route: signature, leaf, proofs and acceptances, and the record and request that the
// caller sent. Pure. The result is only the issuer's word; countersign-verify checks independently.
import { canonicalJson, ifCanonical, requestHash } from '../../evidence/records/canonical-json.ts'
import { verifyHead } from '../../evidence/records/tree-head.ts'
import { VERIFY_FAULTS, verifyRecord, type PinnedTrust } from '../../evidence/records/verify-record.ts'
import { findHeadFault, recordLeafHash, LOGGED_FAULTS } from '../../evidence/bundles/logged-record.ts'
import { checkApproval } from '../../evidence/verify/check-approval.ts'
import { NOT_PROVEN } from '../../evidence/verify/verification-finding.ts'
import { PROOF_FAULTS, verifyInclusion } from '../../evidence/tree/verify-proof.ts'
import type { JsonObject } from '../../platform/json.ts'
import type { MedicalReceiptWithProofs, ReceiptCheck } from './receipts.schema.ts'

/** The caller's copies to compare with the service's own; null for each that was not sent. */
export type SentCopies = { record: JsonObject | null; request: JsonObject | null; publicKey: string | null }

type Result = Pick<ReceiptCheck, 'result' | 'reason'>

const pass = (reason: string): Result => ({ result: 'pass', reason })
const fail = (reason: string): Result => ({ result: 'fail', reason })
const unavailable = (reason: string): Result => ({ result: 'not_available', reason })

const EXPIRED = 'The details have expired, and no record was sent.'
const NO_SEED = 'The record cannot be signed again, since the seed of its key is gone, and no record was sent.'

type CheckInput = {
  receipt: MedicalReceiptWithProofs
  sent: SentCopies
  /** The record to check: the one that was sent, else the receipt's own. Null if there is neither. */
  subject: JsonObject | null
  /** The keys that the service publishes, each with its period. */
  published: PinnedTrust
}

const CHECKS: ReadonlyArray<readonly [ReceiptCheck['check'], (input: CheckInput) => Result]> = [
  ['signature', checkSignature],
  ['leaf', checkLeaf],
  ['organisation_log', checkOrganisationLog],
  ['public_log', checkPublicLog],
  ['record_matches', checkMatch],
  ['request_hash', checkRequest],
  ['acceptance', checkAcceptance],
]

/** Checks that must pass. The others may be unavailable, but must not fail. */
const REQUIRED_CHECKS: ReadonlySet<string> = new Set<ReceiptCheck['check']>(['signature', 'leaf'])

/** @param published the keys that the service publishes, each with its period */
export function verifyReceipt(
  receipt: MedicalReceiptWithProofs,
  sent: SentCopies,
  published: PinnedTrust,
): { valid: boolean; checks: ReceiptCheck[] } {
  const input = { receipt, sent, subject: sent.record ?? receipt.attestation, published }
  const checks = CHECKS.map(([check, runCheck]): ReceiptCheck => {
    const { result, reason } = runCheck(input)
    return { check, result, reason }
  })
  const isValid = checks.every(
    ({ check, result }) => result === 'pass' || (result !== 'fail' && !REQUIRED_CHECKS.has(check)),
  )
  return { valid: isValid, checks }
}

const whyAbsent = ({ details }: MedicalReceiptWithProofs): Result =>
  unavailable(details === 'expired' ? EXPIRED : NO_SEED)

function checkSignature(input: CheckInput): Result {
  const { receipt, sent, subject, published } = input
  if (subject === null) return whyAbsent(receipt)
  const trust = sent.publicKey === null ? published : { keys: [sent.publicKey] }
  const isIncluded = checkOrganisationLog(input).result === 'pass'
  const verdict = verifyRecord(subject, trust, { isIncluded })
  if (!verdict.valid) return fail(VERIFY_FAULTS[verdict.fault])
  return pass(
    sent.publicKey === null
      ? 'A key that the service publishes has signed it.'
      : 'The key that was sent has signed it.',
  )
}

function checkLeaf({ receipt, subject }: CheckInput): Result {
  if (subject === null) return whyAbsent(receipt)
  return recordLeafHash(subject) === receipt.organisation_log.proof.leaf_hash
    ? pass('The leaf in the log is the hash of the signed part.')
    : fail('The leaf in the log is the hash of other bytes.')
}

type Log = MedicalReceiptWithProofs['organisation_log'] | NonNullable<MedicalReceiptWithProofs['public_log']>

function checkLog({ head, proof }: Log, { subject, published }: CheckInput): Result {
  const inclusion = verifyInclusion(proof)
  if (!inclusion.valid) return fail(PROOF_FAULTS[inclusion.fault])
  const tree = verifyHead(head, published)
  if (!tree.valid) return fail('No key that the service publishes has signed the head.')
  const fault = findHeadFault(subject ?? { org_id: tree.orgId }, inclusion.proof, tree)
  return fault === null ? pass('The path leads from the leaf to a signed head.') : fail(LOGGED_FAULTS[fault])
}

function checkOrganisationLog(input: CheckInput): Result {
  return checkLog(input.receipt.organisation_log, input)
}

function checkPublicLog(input: CheckInput): Result {
  const { public_log: log, organisation_log: own } = input.receipt
  if (log === null) return unavailable('The public log does not have it yet. New records are there within 60 seconds.')
  if (log.proof.leaf_hash !== own.proof.leaf_hash) return fail(LOGGED_FAULTS.leaf_mismatch)
  return checkLog(log, input)
}

function checkMatch({ receipt, sent: { record } }: CheckInput): Result {
  const { attestation } = receipt
  if (record === null) return unavailable('No record was sent.')
  if (attestation === null) {
    return recordLeafHash(record) === receipt.organisation_log.proof.leaf_hash
      ? pass('It matches the leaf in the log. Nothing else of it is stored.')
      : fail('It does not match the leaf in the log.')
  }
  const names = new Set([...Object.keys(attestation), ...Object.keys(record)])
  const own: JsonObject = attestation
  const differing = [...names].filter((name) => !isSame(own[name], record[name]))
  if (differing.length === 0) return pass('It matches the logged record.')
  const known = differing.filter((name) => Object.hasOwn(attestation, name))
  const others = differing.length - known.length
  const more = others === 0 ? [] : [`${others} that records do not have`]
  return fail(`It differs from the logged record: ${[...known, ...more].join(', ')}.`)
}

const isSame = (one: unknown, other: unknown): boolean =>
  one === other || ifCanonical(() => canonicalJson(one) === canonicalJson(other)) === true

function checkRequest({ receipt, sent }: CheckInput): Result {
  const record: JsonObject | null = receipt.attestation ?? sent.record
  const { request } = sent
  if (request === null) return unavailable('No request was sent.')
  if (record === null) return unavailable(EXPIRED)
  // A request without canonical JSON has no record about it.
  return ifCanonical(() => requestHash(request) === record['request_hash']) === true
    ? pass('It is the hash of the request that was sent.')
    : fail('It is the hash of another request.')
}

function checkAcceptance({ receipt, published }: CheckInput): Result {
  const { acceptance, attestation, details, approval_state: state } = receipt
  if (details === 'expired') return unavailable('The details have expired.')
  if (attestation === null) return unavailable('The record that people decided about has expired.')
  const findings = checkApproval({ record: attestation, state, acceptance }, published)
  const failing = findings.filter(({ valid }) => !valid)
  const wrong = failing.find(({ code }) => code !== NOT_PROVEN) ?? null
  if (wrong !== null) return fail(wrong.reason ?? '')
  const [missing] = failing
  if (missing !== undefined) return unavailable(missing.reason ?? '')
  if (acceptance === null) return unavailable('Nobody had to approve it.')
  if (acceptance.records.length === 0) return unavailable('Nobody has decided about it.')
  return pass('Each decision is signed and is about the refusal of this request. The state follows from them.')
}
