// The log of the days as a file: what that is, and how whoever gets it checks it.
import { useState } from 'preact/hooks'
import type { ReceivedFile } from '../../api/call.ts'
import type { Session } from '../../api/session.ts'
import { Command } from '../../parts/command.view.tsx'
import { SaveButton } from '../../parts/save-button.view.tsx'
import { fileIn } from '../call-in.ts'
import { endOfLines, endOfTable, nameForTerminal } from '../evidence/file-end.ts'
import { periodIn } from '../evidence/period.ts'

export function AuditExport({ session, members }: { session: Session; members: URLSearchParams }) {
  const [next, setNext] = useState<string | null>(null)
  const [saved, setSaved] = useState<string | null>(null)
  const ask = (format: 'jsonl' | 'csv', cursor: string | null) => (onBytes: (received: number) => void) => {
    const query = { ...periodIn(members), format, cursor }
    return fileIn(session, 'GET', '/api/compliance/audit-logs', { query }, onBytes)
  }
  const tell = (file: ReceivedFile): Promise<string> => {
    setSaved(nameForTerminal(file))
    return endOfLines('audit_export.end', 'entries', setNext)(file)
  }
  return (
    <details class="card stack no-print">
      <summary>Export the log of these days as a file</summary>
      <p>
        Every leaf of the log from the first entry of these days to the last one, in its order, whatever kind it is:
        decisions, settlements, acts of people and keys, approvals. The filters above do not narrow it down, since one
        proof is about all of them: whoever has the file can tell that no entry between is missing. One at a time; the
        ledger says that it was made. On every tier.
      </p>
      <div class="columns">
        <div class="stack">
          <h2>JSON lines, with the proof</h2>
          <p>
            A head with the signed head of the log, a leaf a line, and an end with the proof and the SHA-256 of all
            before it.
          </p>
          <SaveButton label="Save as JSON lines" ask={ask('jsonl', null)} tell={tell} />
          {next !== null && <SaveButton label="Save the next part" ask={ask('jsonl', next)} tell={tell} />}
        </div>
        <div class="stack">
          <h2>CSV, without the proof</h2>
          <p>A row a leaf, for a spreadsheet. What must be checked is saved as lines.</p>
          <SaveButton label="Save as CSV" ask={ask('csv', null)} tell={endOfTable} />
        </div>
      </div>
      <p>To check the lines without this service, by a key that you have from a place that you trust:</p>
      <Command line={`npx countersign-verify ${saved ?? 'countersign-audit-FROM-TO.jsonl'} --key "$PINNED_KEY"`} />
    </details>
  )
}
