// The receipts of a period as a file, what that is, and how it is checked.
import { useState } from 'preact/hooks'
import { inOrganisation, type Session } from '../../api/session.ts'
import { Command } from '../../parts/command.view.tsx'
import { SaveButton } from '../../parts/save-button.view.tsx'
import { fileIn } from '../call-in.ts'
import { periodIn } from '../evidence/period.ts'
import { endOfLines, endOfTable, nameForTerminal } from '../evidence/file-end.ts'

export function ReceiptsExport({ session, members }: { session: Session; members: URLSearchParams }) {
  const [saved, setSaved] = useState<string | null>(null)
  const ask = (format: 'jsonl' | 'csv') => (onBytes: (received: number) => void) =>
    fileIn(session, 'GET', '/api/health/receipts/export', { query: { ...periodIn(members), format } }, onBytes)
  return (
    <details class="card stack no-print">
      <summary>Export the receipts of these days as a file</summary>
      <p>
        All receipts of these days, whatever their outcome and use case. The ledger says that it was made, before the
        first byte and at the end. Five exports can be made in an hour.
      </p>
      <div class="columns">
        <div class="stack">
          <h2>JSON lines, with proofs</h2>
          <p>
            A head with the signed head of the log and the keys, a receipt a line, and an end. It shows that each
            receipt in it is genuine and in the log; not that none is missing, which the export of the{' '}
            <a href={inOrganisation(session, '/app/audit')}>audit trail</a> shows.
          </p>
          <SaveButton
            label="Save as JSON lines"
            ask={ask('jsonl')}
            tell={(file) => {
              setSaved(nameForTerminal(file))
              return endOfLines('medical_export.end', 'receipts')(file)
            }}
          />
        </div>
        <div class="stack">
          <h2>CSV, without proofs</h2>
          <p>A row a receipt, for a spreadsheet. What must be checked is saved as lines.</p>
          <SaveButton label="Save as CSV" ask={ask('csv')} tell={endOfTable} />
        </div>
      </div>
      <p>To check the lines without this service, by keys that you have kept:</p>
      <Command
        line={`npx countersign-verify ${saved ?? 'countersign-medical-receipts-FROM-TO.jsonl'} --keys kept-keys.json`}
      />
    </details>
  )
}
