// Checks that the service signed a document as a whole, and that an export's keys are valid by the export's own list.
import { findIssuedFault, ISSUED_FAULTS } from '../records/issued-document.ts'
import { KEY_LIST_FAULTS, readKeyList, type KeyList } from '../records/key-list.ts'
import { HEAD_FAULTS, verifyHead } from '../records/tree-head.ts'
import { findTimeFault, findTrustFault, VERIFY_FAULTS, type PinnedTrust } from '../records/verify-record.ts'
import type { JsonObject } from '../../platform/json.ts'
import { faultOf, judged, type Fault, type Finding } from './verification-finding.ts'

const byOwnList = ({ code, reason }: Fault): Fault => ({ code, reason: `By the export’s own list of keys: ${reason}` })

/** Judges the signature of a whole document. @param list the export's own keys; null for a document outside an export */
export function judgeIssuedDocument(document: JsonObject, trust: PinnedTrust, list: KeyList | null): Fault | null {
  const fault = faultOf(ISSUED_FAULTS, findIssuedFault(document, trust))
  return fault ?? (list && judgeKeyByList(document, list, { time: 'issued_at' }))
}

/** Checks a key by a list, which can only take trust away. So the list's own signature is not checked again. */
export function judgeKeyByList(
  signed: JsonObject,
  list: KeyList,
  judging: { time?: string; isIncluded?: boolean },
): Fault | null {
  const trust = { keys: [], list }
  const code = findTrustFault(signed['public_key'], trust) ?? findTimeFault(signed, trust, judging)
  return code && byOwnList(faultOf(VERIFY_FAULTS, code))
}

/**
 * Checks an export's head by the export's own list of keys too. The list can only take trust away: the service may have
 * revoked a pinned key. Returns `list` null if `keys` is no list of keys, or if the head is not valid by that list.
 */
export function judgeHeadByOwnKeys(treeHead: JsonObject, keys: unknown): { finding: Finding; list: KeyList | null } {
  const read = readKeyList({ keys })
  const verdict = read.ok ? verifyHead(treeHead, { keys: [], list: read.keys }) : null
  const fault = read.ok ? null : faultOf(KEY_LIST_FAULTS, read.fault)
  const headFault = verdict === null || verdict.valid ? null : byOwnList(faultOf(HEAD_FAULTS, verdict.fault))
  const finding = judged('keys', 'the export’s own list', fault ?? headFault)
  return { finding, list: read.ok && headFault === null ? read.keys : null }
}
