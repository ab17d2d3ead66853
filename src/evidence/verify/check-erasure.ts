// Checks the record of an erasure.
import { ERASURE_FAULTS, findErasureFault } from '../records/erasure-record.ts'
import { KEY_FAULTS } from '../records/kept-keys.ts'
import type { JsonObject } from '../../platform/json-object.ts'
import { RECORD_FAULTS } from '../records/record-fault.ts'
import { pinnedTrustOf, type Against } from './against.ts'
import { failed, found, plain, type Finding } from './finding.ts'

export function checkErasure(record: JsonObject, against: Against): Finding {
  const subject = ['erasure_id', 'org_id', 'completed_at'].map((name) => plain(record[name])).join('  ')
  const fault = findErasureFault(record, pinnedTrustOf(against))
  if (fault === null) return found('erasure', subject, { key_source: 'pinned' })
  return failed('erasure', subject, fault, { ...RECORD_FAULTS, ...KEY_FAULTS, ...ERASURE_FAULTS }[fault])
}
