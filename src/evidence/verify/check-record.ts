// Checks records: an attestation with its request and its proof of the log, an acceptance (a person's decision), and an erasure.
import type { JsonObject } from '../../platform/json.ts'
import { recordLeafHash } from '../bundles/logged-record.ts'
import { ifCanonical, requestHash } from '../records/canonical-json.ts'
import { VERIFY_FAULTS, verifyRecord } from '../records/verify-record.ts'
import { pinnedTrustOf, trustOf, type CheckOptions } from './check-options.ts'
import { checkInclusion } from './check-proof.ts'
import { printed, toPrintable } from './printable.ts'
import { demoNote, faultOf, judged, judgedRecord, NOT_PROVEN, unproven, type Finding } from './verification-finding.ts'
import { ACCEPT_FAULTS, findAcceptFault, isAcceptanceOf } from '../records/accept-record.ts'
import { ERASURE_FAULTS, findErasureFault } from '../records/erasure-record.ts'

export function checkRecord(record: JsonObject, options: CheckOptions): Finding[] {
  const inclusion = options.proof === null ? [] : checkInLog(record, options.proof, options)
  const isIncluded = inclusion.length > 0 && inclusion.every(({ valid }) => valid)
  const finding = judgeRecord(record, options, isIncluded)
  const isWhole = finding.valid || finding.code === NOT_PROVEN
  const request = isWhole && options.request !== null ? [checkRequest(record, options.request)] : []
  return [finding, ...request, ...inclusion]
}

function checkInLog(record: JsonObject, proof: JsonObject, options: CheckOptions): Finding[] {
  pinnedTrustOf(options)
  return checkInclusion(proof, options, { record, leaf: recordLeafHash(record) })
}

function judgeRecord(record: JsonObject, options: CheckOptions, isIncluded: boolean): Finding {
  const verdict = verifyRecord(record, trustOf(options), { isIncluded, verify: options.cryptography.verifyEd25519 })
  const fault = verdict.valid ? null : faultOf(VERIFY_FAULTS, verdict.fault)
  const names = ['attestation_id', 'outcome', 'model', 'timestamp'] as const
  const finding = judgedRecord('record', record, names, fault, demoNote(record['org_id']))
  if (!verdict.valid || verdict.keySource === 'pinned') return finding
  return { ...judged('record', finding.subject, SIGNED_BY_ANYONE), key_source: verdict.keySource }
}

const SIGNED_BY_ANYONE = unproven('It is whole, and signed by the key inside it: anyone can make such a record.')

/** A request without canonical JSON matches no record. */
function checkRequest(record: JsonObject, request: JsonObject): Finding {
  const { request_hash: hash } = record
  const isItsOwn = ifCanonical(() => requestHash(request) === hash) === true
  return judged('request', toPrintable(hash), isItsOwn ? null : REQUEST_MISMATCH)
}

const REQUEST_MISMATCH = { code: 'request_mismatch', reason: 'The record is about another request.' }

export function checkAcceptance(record: JsonObject, options: CheckOptions): Finding[] {
  const { subject } = options
  const fault = faultOf(ACCEPT_FAULTS, findAcceptFault(record, pinnedTrustOf(options)))
  const shown = ['acceptance_id', 'decision', 'reviewer_ref', 'timestamp'] as const
  const finding = judgedRecord('acceptance', record, shown, fault)
  if (subject === null) return [finding]
  const mismatch = isAcceptanceOf(record, subject) ? null : SUBJECT_MISMATCH
  // The subject is a record too, and must be valid itself.
  return [finding, judged('subject', toPrintable(record['subject_id']), mismatch), ...checkRecord(subject, options)]
}

export const SUBJECT_MISMATCH = {
  code: 'subject_mismatch',
  reason: 'It is about another record, or about other bytes of this one.',
}

export function checkErasure(record: JsonObject, options: CheckOptions): Finding {
  const subject = printed(record, ['erasure_id', 'org_id', 'completed_at'])
  return judged('erasure', subject, faultOf(ERASURE_FAULTS, findErasureFault(record, pinnedTrustOf(options))), 'pinned')
}
