// Checks records: an attestation with its request and its proof of the log, an acceptance (a person's decision), and an erasure.
import type { JsonObject } from '../../platform/json.ts'
import { recordLeafHash } from '../bundles/logged-record.ts'
import { requestHash } from '../records/canonical-json.ts'
import { VERIFY_FAULTS, verifyRecord } from '../records/verify-record.ts'
import { pinnedTrustOf, trustOf, type CheckOptions } from './check-options.ts'
import { checkInclusion } from './check-proof.ts'
import {
  demoNote,
  failed,
  faultOf,
  judged,
  passed,
  NOT_PROVEN,
  toPrintable,
  type Finding,
} from './verification-finding.ts'
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
  const id = toPrintable(record['attestation_id'])
  if (!verdict.valid) return judged('record', id, faultOf(VERIFY_FAULTS, verdict.fault))
  const described = ['outcome', 'model', 'timestamp'].map((name) => toPrintable(record[name])).join('  ')
  const [subject, key_source] = [`${id}  ${described}${demoNote(record['org_id'])}`, verdict.keySource]
  if (key_source === 'pinned') return passed('record', subject, { key_source })
  const reason = 'It is whole, and signed by the key inside it: anyone can make such a record.'
  return { ...failed('record', subject, NOT_PROVEN, reason), key_source }
}

function checkRequest(record: JsonObject, request: JsonObject): Finding {
  const subject = toPrintable(record['request_hash'])
  try {
    if (requestHash(request) === record['request_hash']) return passed('request', subject)
  } catch {
    // A request without canonical JSON matches no record.
  }
  return failed('request', subject, 'request_mismatch', 'The record is about another request.')
}

export function checkAcceptance(record: JsonObject, options: CheckOptions): Finding[] {
  const finding = judgeAcceptance(record, options)
  return options.subject === null ? [finding] : [finding, ...checkSubject(record, options.subject, options)]
}

function judgeAcceptance(record: JsonObject, options: CheckOptions): Finding {
  const id = toPrintable(record['acceptance_id'])
  const fault = findAcceptFault(record, pinnedTrustOf(options))
  if (fault !== null) return judged('acceptance', id, faultOf(ACCEPT_FAULTS, fault))
  const described = ['decision', 'reviewer_ref', 'timestamp'].map((name) => toPrintable(record[name])).join('  ')
  return passed('acceptance', `${id}  ${described}`, { key_source: 'pinned' })
}

/** Checks the subject, which is a record too and must be valid itself. */
function checkSubject(record: JsonObject, subject: JsonObject, options: CheckOptions): Finding[] {
  const id = toPrintable(record['subject_id'])
  const finding = isAcceptanceOf(record, subject)
    ? passed('subject', id)
    : failed('subject', id, 'subject_mismatch', 'It is about another record, or about other bytes of this one.')
  return [finding, ...checkRecord(subject, options)]
}

export function checkErasure(record: JsonObject, options: CheckOptions): Finding {
  const subject = ['erasure_id', 'org_id', 'completed_at'].map((name) => toPrintable(record[name])).join('  ')
  const fault = findErasureFault(record, pinnedTrustOf(options))
  return judged('erasure', subject, faultOf(ERASURE_FAULTS, fault), 'pinned')
}
