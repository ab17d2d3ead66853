// The evidence of some days as a file, and the receipts of medical calls: what the file is, whether it arrived whole, how to check it.
import { useState } from 'preact/hooks'
import type { ReceivedFile } from '../../api/send-request.ts'
import { CopyableText } from '../../parts/copy-button.view.tsx'
import { Section } from '../../parts/page-blocks.view.tsx'
import { SaveButton } from '../../parts/save-button.view.tsx'
import { plural } from '../../text/format.ts'
import { fetchFile, inOrganisation } from '../session.ts'

const DAY_MS = 86_400_000
const LATEST_DAYS = 30

const dayBefore = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10)

/** The days of a file, in UTC, both included: those that the URL has, in their absence the last 30 to today. */
export const daysIn = (parameters: URLSearchParams): { start: string; end: string } => ({
  start: parameters.get('from') ?? dayBefore(LATEST_DAYS - 1),
  end: parameters.get('to') ?? dayBefore(0),
})

type Tell = (file: ReceivedFile) => Promise<string>

/** `onMade`: called after each file that was saved. */
type Props = { parameters: URLSearchParams; onMade: () => void }

const telling =
  (onMade: () => void) =>
  (tell: Tell): Tell =>
  async (file) => {
    onMade()
    return tell(file)
  }

export function EvidenceFile({ parameters, onMade }: Props) {
  const told = telling(onMade)
  const [next, setNext] = useState<string | null>(null)
  const ask = (format: 'jsonl' | 'csv', cursor: string | null) => (onBytes: (received: number) => void) => {
    const query = { ...daysIn(parameters), format, cursor }
    return fetchFile('GET', '/api/compliance/audit-logs', { query }, onBytes)
  }
  const tell = told(describeLinesExport('audit_export.end', 'entries', setNext))
  return (
    <>
      <p class="soft">
        Every entry of your log from the first to the last of these days, in its order: decisions, settlements, acts of
        people and keys, approvals. A part cannot be checked for gaps, so no filter narrows it. Prompts, answers and
        secrets of keys are not in it.
      </p>
      <div class="row at-start">
        <SaveButton look="first" label="Make the evidence file" ask={ask('jsonl', null)} tell={tell} isEvidence />
        {next !== null && <SaveButton label="Save the next part" ask={ask('jsonl', next)} tell={tell} />}
        <SaveButton label="Save as CSV, without the proof" ask={ask('csv', null)} tell={told(describeCsvExport)} />
      </div>
      <p class="soft small">
        Making a file is an entry of your log. For a list of some calls, filter{' '}
        <a href={inOrganisation('/app/calls')}>Calls</a> and save it as CSV.
      </p>
    </>
  )
}

export function ReceiptsFile({ parameters, onMade }: Props) {
  const told = telling(onMade)
  const ask = (format: 'jsonl' | 'csv') => (onBytes: (received: number) => void) =>
    fetchFile('GET', '/api/health/receipts/export', { query: { ...daysIn(parameters), format } }, onBytes)
  return (
    <>
      <p class="soft">
        All calls of medical use cases of these days, each with its record and proofs. It shows that each is genuine and
        in your log; that none is missing is what the evidence file shows. Five such files can be made in an hour.
      </p>
      <div class="row at-start">
        <SaveButton
          look="first"
          label="Make the file of medical calls"
          ask={ask('jsonl')}
          tell={told(describeLinesExport('medical_export.end', 'receipts'))}
          isEvidence
        />
        <SaveButton label="Save as CSV, without proofs" ask={ask('csv')} tell={told(describeCsvExport)} />
      </div>
    </>
  )
}

/** The command for each kind of file, and what its keys are. */
const COMMANDS: Readonly<Record<string, string>> = {
  evidence: 'npx countersign-verify \\\n  countersign-audit-FROM-TO.jsonl \\\n  --key "$PINNED_KEY"',
  receipts: 'npx countersign-verify \\\n  countersign-medical-receipts-FROM-TO.jsonl \\\n  --keys kept-keys.json',
  organisation: 'npx countersign-verify \\\n  record.json \\\n  --key "$PINNED_KEY"',
}

export const CheckFile = ({ kind }: { kind: string }) => (
  <Section title="Check a file" isCard>
    <p>
      Open it in <a href="/verify">Verify</a>, in this browser or offline, or run the checker in a clone of the
      service’s repository, with a key that you have from a place that you trust:
    </p>
    <CopyableText line={COMMANDS[kind] ?? ''} />
    {kind === 'organisation' && (
      <p class="soft small">
        A <code>record</code> under <code>receipts</code> is checked by itself: save it as a file.
      </p>
    )}
  </Section>
)

const CUT_OFF = 'It has no last line, so it is not whole: it was cut off. Export it again.'

/** The bytes at the end of a file in which the last line is searched. A proof in that line may be long. */
const MOST_LINE_BYTES = 65_536

const lastLineOf = async ({ content }: ReceivedFile): Promise<string> =>
  (await content.slice(-MOST_LINE_BYTES).text()).trimEnd().split('\n').at(-1) ?? ''

/** Says whether a file is whole. @param object its last line's `object` @param counted the member with the count */
const describeLinesExport =
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

const describeCsvExport = async (file: ReceivedFile): Promise<string> =>
  /^"?complete"?,/.test(await lastLineOf(file)) ? 'Complete: it arrived whole.' : CUT_OFF

function objectIn(line: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}
