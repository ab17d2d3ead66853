// Checks that the service signed a document as a whole, and that an export's keys are valid by the export's own list.
import { ACCEPT_FAULTS } from '../records/accept-record.ts'
import { findIssuedFault, ISSUED_FAULTS } from '../records/issued-document.ts'
import { KEY_FAULTS, type KeyList } from '../records/key-list.ts'
import { RECORD_FAULTS } from '../records/record.ts'
import { findTimeFault, findTrustFault, type PinnedTrust } from '../records/verify-record.ts'
import type { JsonObject } from '../../platform/json.ts'

export type Fault = { readonly code: string; readonly reason: string }

export const SIGNED_FAULTS = { ...RECORD_FAULTS, ...KEY_FAULTS, ...ACCEPT_FAULTS, ...ISSUED_FAULTS }

const BY_OWN_LIST = 'By the export’s own list of keys: '

export const byOwnList = ({ code, reason }: Fault): Fault => ({ code, reason: `${BY_OWN_LIST}${reason}` })

/** @param list the export's own keys; null for a document outside an export */
export function judgeIssued(document: JsonObject, trust: PinnedTrust, list: KeyList | null): Fault | null {
  const fault = findIssuedFault(document, trust)
  if (fault !== null) return { code: fault, reason: SIGNED_FAULTS[fault] }
  return list && judgeKeyByList(document, list, { time: 'issued_at' })
}

/** The list can only take trust away, so its own signature is not checked again. */
export function judgeKeyByList(
  signed: JsonObject,
  list: KeyList,
  judging: { time?: string; isIncluded?: boolean },
): Fault | null {
  const trust = { keys: [], kept: list }
  const code = findTrustFault(signed['public_key'], trust) ?? findTimeFault(signed, trust, judging)
  return code && byOwnList({ code, reason: SIGNED_FAULTS[code] })
}
