// Checks a receipt in this browser, with the code of the command: nothing is asked, and nothing is sent.
import type { PublishedHistory } from '../../../evidence/records/attestation.schema.ts'
import { KEPT_KEYS_FAULTS, readKeptKeys } from '../../../evidence/records/kept-keys.ts'
import { READ_FAULTS, readJsonObject } from '../../../evidence/records/read-json.ts'
import { AGAINST_NOTHING } from '../../../evidence/verify/against.ts'
import { checkDocument } from '../../../evidence/verify/check-document.ts'
import { isReceipt } from '../../../evidence/verify/check-receipt.ts'
import { failed, plain, type Finding } from '../../../evidence/verify/finding.ts'
import { Report } from '../../../evidence/verify/report.ts'

/** `id`: of the record that was asked for; `bytes`: of the receipt, as they came. */
type Asked = { id: string; bytes: Uint8Array; keys: PublishedHistory }

/** By the keys that the service publishes. SECURITY: a genuine receipt of another call is not the one that was asked for. */
export function checkHere({ id, bytes, keys }: Asked): Finding[] {
  const read = readJsonObject(bytes)
  if (!read.readable) return [failed('document', '', read.fault, READ_FAULTS[read.fault])]
  const { object } = read
  if (!isReceipt(object)) return [failed('document', '', 'not_a_receipt', 'It is no medical receipt.')]
  const list = readKeptKeys(keys)
  if (!list.ok) return [failed('keys', '', list.fault, KEPT_KEYS_FAULTS[list.fault])]
  const another = failed(
    'receipt',
    plain(object['id']),
    'another_call',
    'It is of another call than the one asked for.',
  )
  const found = checkDocument(object, { ...AGAINST_NOTHING, trust: { keys: [], kept: list.keys } })
  return object['id'] === id ? found : [another, ...found]
}

const SAID = { valid: 'valid', not_proven: 'not proven', invalid: 'not valid', unreadable: 'not valid' } as const

export type Verdict = (typeof SAID)[keyof typeof SAID]

/** By the rule of the command and of the page that checks evidence. */
export function verdictOf(findings: readonly Finding[]): Verdict {
  const report = new Report()
  report.add(findings)
  return SAID[report.verdict()]
}
