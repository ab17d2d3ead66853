// Checks a record of a person's decision, and apart from it whether it is about the record that the caller holds.
import { ACCEPT_FAULTS, findAcceptFault, isAbout } from '../records/accept-record.ts'
import { KEY_FAULTS } from '../records/kept-keys.ts'
import { RECORD_FAULTS } from '../records/record-fault.ts'
import type { JsonObject } from '../../platform/json-object.ts'
import { pinnedTrustOf, type Against } from './against.ts'
import { checkRecord } from './check-record.ts'
import { failed, found, plain, type Finding } from './finding.ts'

export function checkAcceptance(record: JsonObject, against: Against): Finding[] {
  const finding = judgeAcceptance(record, against)
  return against.subject === null ? [finding] : [finding, ...checkSubject(record, against.subject, against)]
}

function judgeAcceptance(record: JsonObject, against: Against): Finding {
  const id = plain(record['acceptance_id'])
  const fault = findAcceptFault(record, pinnedTrustOf(against))
  if (fault !== null)
    return failed('acceptance', id, fault, { ...RECORD_FAULTS, ...KEY_FAULTS, ...ACCEPT_FAULTS }[fault])
  const described = ['decision', 'reviewer_ref', 'timestamp'].map((name) => plain(record[name])).join('  ')
  return found('acceptance', `${id}  ${described}`, { key_source: 'pinned' })
}

/** The subject is a record of its own, and must be valid as any is. */
function checkSubject(record: JsonObject, subject: JsonObject, against: Against): Finding[] {
  const id = plain(record['subject_id'])
  const finding = isAbout(record, subject)
    ? found('subject', id)
    : failed('subject', id, 'subject_mismatch', 'It is about another record, or about other bytes of this one.')
  return [finding, ...checkRecord(subject, against)]
}
