// Checks a receipt in this browser, with the code of the command: nothing is asked, and nothing is sent.
import { KEPT_KEYS_FAULTS, readKeptKeys } from '../../../attestation/kept-keys.ts'
import { READ_FAULTS, readJsonObject } from '../../../attestation/read-json.ts'
import { AGAINST_NOTHING } from '../../../ledger/verify/against.ts'
import { checkDocument } from '../../../ledger/verify/check-document.ts'
import { failed, type Finding } from '../../../ledger/verify/finding.ts'
import type { Evidence } from './use-evidence.ts'

/** By the keys that the service publishes. */
export function checkHere({ bytes, keys }: Pick<Evidence, 'bytes' | 'keys'>): Finding[] {
  const read = readJsonObject(bytes)
  if (!read.readable) return [failed('document', '', read.fault, READ_FAULTS[read.fault])]
  const list = readKeptKeys(keys)
  if (!list.ok) return [failed('keys', '', list.fault, KEPT_KEYS_FAULTS[list.fault])]
  return checkDocument(read.object, { ...AGAINST_NOTHING, trust: { keys: [], kept: list.keys } })
}
