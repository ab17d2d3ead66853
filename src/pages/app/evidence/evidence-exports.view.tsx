// Exports the log or the receipts of a period as a file. Says what the file is, whether it arrived whole, and how to check it.
import type { ReceivedFile } from '../../api/send-request.ts'
import { CopyableText } from '../../parts/copy-button.view.tsx'
import { SaveButton } from '../../parts/save-button.view.tsx'
import { plural } from '../../text/format.ts'
import { fetchFile, inOrganisation } from '../session.ts'
import { periodIn } from './log-list.view.tsx'
import { useState } from 'preact/hooks'

export function AuditExport({ members }: { members: URLSearchParams }) {
  const [next, setNext] = useState<string | null>(null)
  const [saved, setSaved] = useState<string | null>(null)
  const ask = (format: 'jsonl' | 'csv', cursor: string | null) => (onBytes: (received: number) => void) => {
    const query = { ...periodIn(members), format, cursor }
    return fetchFile('GET', '/api/compliance/audit-logs', { query }, onBytes)
  }
  const tell = (file: ReceivedFile): Promise<string> => {
    setSaved(safeFileName(file))
    return describeLinesExport('audit_export.end', 'entries', setNext)(file)
  }
  return (
    <div class="stack no-print">
      <p>
        Every leaf of the log from the first entry of these days to the last one, in its order, whatever kind it is:
        decisions, settlements, acts of people and keys, approvals. The filters above do not narrow it down, since one
        proof is about all of them: anyone with the file can tell that no entry between is missing. One at a time; the
        ledger says that it was made. On every tier.
      </p>
      <div class="columns">
        <div class="stack">
          <h3>JSON lines, with the proof</h3>
          <p>
            A head with the signed head of the log, a leaf a line, and an end with the proof and the SHA-256 of all
            before it.
          </p>
          <SaveButton label="Save as JSON lines" ask={ask('jsonl', null)} tell={tell} />
          {next !== null && <SaveButton label="Save the next part" ask={ask('jsonl', next)} tell={tell} />}
        </div>
        <div class="stack">
          <h3>CSV, without the proof</h3>
          <p>A row a leaf, for a spreadsheet. What must be checked is saved as lines.</p>
          <SaveButton label="Save as CSV" ask={ask('csv', null)} tell={describeCsvExport} />
        </div>
      </div>
      <p>
        To check the lines without this service, by a key that you have from a place that you trust, in a clone of its
        repository:
      </p>
      <CopyableText line={`npx countersign-verify ${saved ?? 'countersign-audit-FROM-TO.jsonl'} --key "$PINNED_KEY"`} />
    </div>
  )
}

/** Exports the receipts of a period as JSON lines or CSV. Says what the file is and how to check it. */
export function ReceiptsExport({ members }: { members: URLSearchParams }) {
  const [saved, setSaved] = useState<string | null>(null)
  const ask = (format: 'jsonl' | 'csv') => (onBytes: (received: number) => void) =>
    fetchFile('GET', '/api/health/receipts/export', { query: { ...periodIn(members), format } }, onBytes)
  return (
    <div class="stack no-print">
      <p>
        All receipts of these days, whatever their outcome and use case. The ledger says that it was made, before the
        first byte and at the end. Five exports can be made in an hour.
      </p>
      <div class="columns">
        <div class="stack">
          <h3>JSON lines, with proofs</h3>
          <p>
            A head with the signed head of the log and the keys, a receipt a line, and an end. It shows that each
            receipt in it is genuine and in the log; not that none is missing, which the{' '}
            <a href={inOrganisation('/app/calls')}>evidence file of all calls</a> shows.
          </p>
          <SaveButton
            label="Save as JSON lines"
            ask={ask('jsonl')}
            tell={(file) => {
              setSaved(safeFileName(file))
              return describeLinesExport('medical_export.end', 'receipts')(file)
            }}
          />
        </div>
        <div class="stack">
          <h3>CSV, without proofs</h3>
          <p>A row a receipt, for a spreadsheet. What must be checked is saved as lines.</p>
          <SaveButton label="Save as CSV" ask={ask('csv')} tell={describeCsvExport} />
        </div>
      </div>
      <p>To check the lines without this service, by keys that you have kept, in a clone of its repository:</p>
      <CopyableText
        line={`npx countersign-verify ${saved ?? 'countersign-medical-receipts-FROM-TO.jsonl'} --keys kept-keys.json`}
      />
    </div>
  )
}

const CUT_OFF = 'It has no last line, so it is not whole: it was cut off. Export it again.'

/** The bytes at the end of a file in which the last line is searched. A proof in that line may be long. */
const MOST_LINE_BYTES = 65_536

/** Returns the file's name if it is safe in a command line, otherwise null. */
export const safeFileName = ({ name }: ReceivedFile): string | null => (/^\w[\w.-]*$/.test(name) ? name : null)

const lastLineOf = async ({ content }: ReceivedFile): Promise<string> =>
  (await content.slice(-MOST_LINE_BYTES).text()).trimEnd().split('\n').at(-1) ?? ''

/** Says whether a file is whole. @param object its last line's `object` @param counted the member with the count */
export const describeLinesExport =
  (object: string, counted: 'entries' | 'receipts', onNext: (cursor: string | null) => void = () => undefined) =>
  async (file: ReceivedFile): Promise<string> => {
    const end = objectIn(await lastLineOf(file))
    if (end['object'] !== object) return CUT_OFF
    const cursor = typeof end['next_cursor'] === 'string' ? end['next_cursor'] : null
    onNext(cursor)
    const count = Number(end[counted])
    const withheld = Number(end['withheld'] ?? 0)
    const missing = withheld === 0 ? '' : `, ${plural(withheld, 'entry', 'entries')} withheld`
    const next = cursor === null ? '' : ' These days have more: save the next part too.'
    return `Complete: ${counted === 'entries' ? plural(count, 'entry', 'entries') : plural(count, 'receipt')}, none missing${missing}.${next}`
  }

export const describeCsvExport = async (file: ReceivedFile): Promise<string> =>
  /^"?complete"?,/.test(await lastLineOf(file)) ? 'Complete: it arrived whole.' : CUT_OFF

function objectIn(line: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}
