// Front page: checks the example record by the code of the verifier, loaded only where somebody asks for it.
import { checkDocument } from '../../evidence/verify/check-document.ts'
import { NO_OPTIONS } from '../../evidence/verify/check-options.ts'
import { FindingsReport } from '../../evidence/verify/findings-report.ts'
import example from '../verify/example.json'

export type ShownRecord = Pick<
  typeof example.bundle.record,
  'outcome' | 'timestamp' | 'model' | 'policy_applied' | 'request_hash'
>

/**
 * True if what is shown is the record's, and the record, its settlement and both logs' proofs are valid under the
 * example's own key.
 */
export function isExampleValid(shown: ShownRecord): boolean {
  const { record } = example.bundle
  if (JSON.stringify({ ...record, ...shown }) !== JSON.stringify(record)) return false
  const report = new FindingsReport()
  report.add(checkDocument(example.bundle, { ...NO_OPTIONS, trust: { keys: [example.key] } }))
  return report.verdict() === 'valid'
}
