// Finds out what a document is and checks it, together with what was given to check it against.
import { ACCEPT_PROFILE } from '../records/accept-record.ts'
import type { JsonObject } from '../../platform/json-object.ts'
import { MisuseError, type Against } from './against.ts'
import { checkAcceptance } from './check-acceptance.ts'
import { checkEvidence, checkHistory } from './check-bundle.ts'
import { checkErasure } from './check-erasure.ts'
import { checkHead } from './check-head.ts'
import { checkConsistency, checkInclusion } from './check-proof.ts'
import { checkReceipt, isReceipt } from './check-receipt.ts'
import { checkRecord } from './check-record.ts'
import { tellKind, type DocumentKind } from './document-kind.ts'
import { failed, type Finding } from './finding.ts'
import { unwrapAnswer, unwrapEntry, UNWRAP_FAULTS, type Unwrapped } from './unwrap.ts'

export function checkDocument(document: JsonObject, against: Against): Finding[] {
  if (against.profile !== null) return checkAcceptance(document, against)
  if (document['v'] === ACCEPT_PROFILE) return [profileNotNamed()]
  if (isReceipt(document)) {
    if (against.kind !== null) throw new MisuseError('receipt_against_more')
    assertUsed('receipt', against)
    return checkReceipt(document, against)
  }
  const told = tellKind(document, against.kind)
  if ('mixed' in told) return [mixed(told.mixed)]
  assertUsed(told.kind, against)
  switch (told.kind) {
    case 'record':
      return checkRecord(document, against)
    case 'answer':
      return checkInside(unwrapAnswer(document), against)
    case 'entry':
      return checkInside(unwrapEntry(document), against)
    case 'inclusion':
      return checkInclusion(document, against)
    case 'consistency':
      return checkConsistency(document, against)
    case 'head':
      return checkHead(document, against)
    case 'bundle':
      return checkEvidence(document, against)
    case 'history':
      return [checkHistory(document, against)]
    case 'erasure':
      return [checkErasure(document, against)]
  }
}

/** The record is a document of its own: what was added to it is found as it would be if it stood alone. */
function checkInside(unwrapped: Unwrapped, against: Against): Finding[] {
  if ('fault' in unwrapped) return [failed('document', '', unwrapped.fault, UNWRAP_FAULTS[unwrapped.fault])]
  const told = tellKind(unwrapped.record, 'record')
  return 'mixed' in told ? [mixed(told.mixed)] : checkRecord(unwrapped.record, against)
}

const mixed = (kinds: readonly DocumentKind[]): Finding =>
  failed('document', kinds.join(', '), 'mixed_members', 'It has members of several kinds of document, and is none.')

const profileNotNamed = (): Finding =>
  failed(
    'document',
    '',
    'profile_not_named',
    `It says that it is of ${ACCEPT_PROFILE}, which is another format: check it with --profile ${ACCEPT_PROFILE}.`,
  )

/** Whatever is given is used or refused: who gave a head must not believe that it was looked at. */
function assertUsed(kind: DocumentKind | 'receipt', { request, proof, heads, freshness }: Against): void {
  const isRecord = kind === 'record' || kind === 'answer' || kind === 'entry'
  const isProof = kind === 'inclusion' || kind === 'consistency' || (isRecord && proof !== null)
  if (request !== null && !isRecord) throw new MisuseError('request_of_no_record')
  if (proof !== null && !isRecord) throw new MisuseError('proof_of_no_record')
  const hasHead = kind === 'head' || ((kind === 'inclusion' || kind === 'consistency') && heads.length > 0)
  if (freshness !== null && !hasHead) throw new MisuseError('age_of_no_head')
  if (heads.length > 0 && !isProof) throw new MisuseError('head_of_no_proof')
}
