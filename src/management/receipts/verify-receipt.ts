// Verifies a medical receipt, check by check. Pure. The result is only the issuer's word: the command line verifier gives an
// independent one.
import { KEY_FAULTS } from '../../evidence/records/key-list.ts'
import { RECORD_FAULTS } from '../../evidence/records/record.ts'
import { requestHash, canonicalJson } from '../../evidence/records/canonical-json.ts'
import { verifyHead } from '../../evidence/records/tree-head.ts'
import { verifyRecord, type PinnedTrust } from '../../evidence/records/verify-record.ts'
import { findHeadFault, leafOf, LOGGED_FAULTS } from '../../evidence/bundles/logged-record.ts'
import { checkApproval } from '../../evidence/verify/check-approval.ts'
import { NOT_PROVEN } from '../../evidence/verify/finding.ts'
import { PROOF_FAULTS, verifyInclusion } from '../../evidence/tree/proof.ts'
import type { JsonObject } from '../../platform/json.ts'
import type { MedicalReceiptWithProofs, ReceiptCheck } from './receipts.schema.ts'

/** The parts of the request that are checked against the service's own; null if not sent. */
export type Sent = { record: JsonObject | null; request: JsonObject | null; publicKey: string | null }

type Result = Pick<ReceiptCheck, 'result' | 'reason'>

const pass = (reason: string): Result => ({ result: 'pass', reason })
const fail = (reason: string): Result => ({ result: 'fail', reason })
const unavailable = (reason: string): Result => ({ result: 'not_available', reason })

const EXPIRED = 'The details have expired, and no record was sent.'
const NO_SEED = 'The record cannot be signed again, since the seed of its key is gone, and no record was sent.'

/** @param published the keys that the service publishes, each for its time */
export function verifyReceipt(
  receipt: MedicalReceiptWithProofs,
  sent: Sent,
  published: PinnedTrust,
): { valid: boolean; checks: ReceiptCheck[] } {
  const subject: JsonObject | null = sent.record ?? receipt.attestation
  const absent = receipt.details === 'expired' ? EXPIRED : NO_SEED
  const organisation = checkLog(receipt.organisation_log, subject, published)
  const results: Record<ReceiptCheck['check'], Result> = {
    signature: checkSignature(subject, absent, sent.publicKey, published, organisation.result === 'pass'),
    leaf: checkLeaf(receipt, subject, absent),
    organisation_log: organisation,
    public_log: checkPublicLog(receipt, subject, published),
    record_matches: checkMatch(receipt, sent.record),
    request_hash: checkRequest(receipt.attestation ?? sent.record, sent.request),
    acceptance: checkAcceptance(receipt, published),
  }
  const isValid =
    Object.values(results).every(({ result }) => result !== 'fail') &&
    results.signature.result === 'pass' &&
    results.leaf.result === 'pass'
  return { valid: isValid, checks: NAMES.map((check) => describe(check, results[check])) }
}

const describe = (check: ReceiptCheck['check'], { result, reason }: Result): ReceiptCheck => ({ check, result, reason })

const NAMES = [
  'signature',
  'leaf',
  'organisation_log',
  'public_log',
  'record_matches',
  'request_hash',
  'acceptance',
] as const satisfies ReceiptCheck['check'][]

function checkSignature(
  subject: JsonObject | null,
  absent: string,
  publicKey: string | null,
  published: PinnedTrust,
  isIncluded: boolean,
): Result {
  if (subject === null) return unavailable(absent)
  const trust = publicKey === null ? published : { keys: [publicKey] }
  const verdict = verifyRecord(subject, trust, { isIncluded })
  if (!verdict.valid) return fail({ ...RECORD_FAULTS, ...KEY_FAULTS }[verdict.fault])
  return pass(
    publicKey === null ? 'A key that the service publishes has signed it.' : 'The key that was sent has signed it.',
  )
}

function checkLeaf(
  { organisation_log: { proof } }: MedicalReceiptWithProofs,
  subject: JsonObject | null,
  absent: string,
): Result {
  if (subject === null) return unavailable(absent)
  return leafOf(subject) === proof.leaf_hash
    ? pass('The leaf of the log is the hash of what is signed of it.')
    : fail('The leaf of the log is the hash of other bytes.')
}

type Log = MedicalReceiptWithProofs['organisation_log'] | NonNullable<MedicalReceiptWithProofs['public_log']>

function checkLog({ head, proof }: Log, subject: JsonObject | null, published: PinnedTrust): Result {
  const inclusion = verifyInclusion(proof)
  if (!inclusion.valid) return fail(PROOF_FAULTS[inclusion.fault])
  const tree = verifyHead(head, published)
  if (!tree.valid) return fail('No key that the service publishes has signed the head.')
  const fault = findHeadFault(subject ?? { org_id: tree.orgId }, inclusion.proof, tree)
  return fault === null ? pass('The path leads from the leaf to a signed head.') : fail(LOGGED_FAULTS[fault])
}

function checkPublicLog(
  { public_log: log, organisation_log: own }: MedicalReceiptWithProofs,
  subject: JsonObject | null,
  published: PinnedTrust,
): Result {
  if (log === null) return unavailable('The public log does not have it yet: it takes records in within 60 seconds.')
  if (log.proof.leaf_hash !== own.proof.leaf_hash) return fail(LOGGED_FAULTS.leaf_mismatch)
  return checkLog(log, subject, published)
}

function checkMatch(
  { attestation, organisation_log: { proof } }: MedicalReceiptWithProofs,
  record: JsonObject | null,
): Result {
  if (record === null) return unavailable('No record was sent.')
  if (attestation === null) {
    return leafOf(record) === proof.leaf_hash
      ? pass('By the leaf it is the one that was logged: of that nothing else is left.')
      : fail('By the leaf it is another than the one that was logged.')
  }
  const names = new Set([...Object.keys(attestation), ...Object.keys(record)])
  const own: JsonObject = attestation
  const differing = [...names].filter((name) => !isSame(own[name], record[name]))
  if (differing.length === 0) return pass('It is the one that was logged.')
  const known = differing.filter((name) => Object.hasOwn(attestation, name))
  const others = differing.length - known.length
  const more = others === 0 ? [] : [`${others} that records do not have`]
  return fail(`It differs from the one that was logged: ${[...known, ...more].join(', ')}.`)
}

function isSame(one: unknown, other: unknown): boolean {
  try {
    return one === other || canonicalJson(one) === canonicalJson(other)
  } catch {
    return false
  }
}

function checkRequest(record: JsonObject | null, request: JsonObject | null): Result {
  if (request === null) return unavailable('No request was sent.')
  if (record === null) return unavailable(EXPIRED)
  return isHashOf(record['request_hash'], request)
    ? pass('It is the hash of the request that was sent.')
    : fail('It is the hash of another request.')
}

function isHashOf(hash: unknown, request: JsonObject): boolean {
  try {
    return requestHash(request) === hash
  } catch {
    // The request has no canonical JSON, so no record can be about it.
    return false
  }
}

function checkAcceptance(
  { acceptance, attestation, details, approval_state: state }: MedicalReceiptWithProofs,
  published: PinnedTrust,
): Result {
  if (details === 'expired') return unavailable('The details have expired.')
  if (attestation === null) return unavailable('The record that people decided about is not kept any more.')
  const findings = checkApproval({ record: attestation, state, acceptance }, published)
  const failing = findings.filter(({ valid }) => !valid)
  const wrong = failing.find(({ code }) => code !== NOT_PROVEN) ?? null
  if (wrong !== null) return fail(wrong.reason ?? '')
  const [missing] = failing
  if (missing !== undefined) return unavailable(missing.reason ?? '')
  if (acceptance === null) return unavailable('Nobody had to approve it.')
  if (acceptance.records.length === 0) return unavailable('Nobody has decided about it.')
  return pass('Each decision is signed, and about the refusal of this very request, and the state follows from them.')
}
