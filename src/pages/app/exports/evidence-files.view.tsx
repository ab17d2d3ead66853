// Exports page: the evidence of some days as a file, and the records of medical calls: what the file will have, and whether it arrived
// whole.
import { useState } from 'preact/hooks'
import { isDemoOrganisation } from '../../api/sign-in.ts'
import type { Infer } from '../../../platform/once.ts'
import type { RequestsSchema } from '../../../management/analytics/analytics.schema.ts'
import type { ReceivedFile } from '../../api/send-request.ts'
import { Facts, factsIf } from '../../parts/page-blocks.view.tsx'
import { plural } from '../../text/format.ts'
import { fetchFile, organisation, useCounts } from '../session.ts'
import { CUT_OFF, describeLinesExport, lastLineOf } from '../evidence/arrived-file.ts'
import type { Days } from './export-days.view.tsx'
import { FileMaker } from './file-maker.view.tsx'
import type { FileKind } from '../../parts/save-button.view.tsx'
import { Hash, Soft } from '../../parts/layout.view.tsx'
import { countDays, dayFromToday } from '../../text/day.ts'

/** The name of a file, as the service gives it. */
export const namedHere = (name: string): string =>
  isDemoOrganisation(organisation().id) ? `invented-data-${name}` : name

const evidenceName = (kind: 'evidence' | 'receipts', { start, end }: Days): string =>
  namedHere(
    `countersign-${kind === 'evidence' ? `audit-${start}-${end}` : `medical-receipts-${dayFromToday(0)}`}.jsonl`,
  )

/** The two files of entries: where each is made, its name on the button, and what its last line has. */
const FILES = {
  evidence: {
    path: '/api/compliance/audit-logs',
    label: 'Make the evidence file',
    object: 'audit_export.end',
    counted: 'entries',
  },
  receipts: {
    path: '/api/health/receipts/export',
    label: 'Make the file of medical calls',
    object: 'medical_export.end',
    counted: 'receipts',
  },
} as const

/** The last days are null while no file can be of what is typed. */
type Props = { kind: keyof typeof FILES; days: Days | null; onMade: () => void }

export function EvidenceFile({ kind, days, onMade }: Props) {
  const { path, label, object, counted } = FILES[kind]
  const [next, setNext] = useState<string | null>(null)
  const calls = useCallCount(kind === 'evidence' ? days : null)
  const ask =
    (format: 'jsonl' | 'csv', cursor: string | null): FileKind['ask'] =>
    (onBytes, signal) =>
      fetchFile('GET', path, { query: { ...days, format, cursor }, signal }, onBytes)
  const tell = describeLinesExport(object, counted, setNext)
  const among = calls === null ? '' : `, ${plural(calls, 'call')} among them`
  return (
    <>
      <Facts
        facts={[
          ...factsIf(kind === 'evidence', ['It will have', `All entries of your log on these days${among}`]),
          ...factsIf(
            kind === 'receipts',
            ['It will have', 'The record of each medical call of these days, with its proofs'],
            [
              'It shows',
              'Each record is genuine and in your log. That none is missing is what the evidence file shows.',
            ],
          ),
          ['Not in it', 'Prompts, answers, secrets of keys'],
          ...factsIf(kind === 'receipts', ['Limit', 'Five files an hour']),
          ['Name', days === null ? <Soft>–</Soft> : <Hash as="code">{evidenceName(kind, days)}</Hash>],
        ]}
      />
      <FileMaker
        kinds={[
          { label, look: 'first', ask: ask('jsonl', null), tell, isEvidence: true },
          ...(next === null ? [] : [{ label: 'Make the next part', ask: ask('jsonl', next), tell }]),
          { label: 'Make a CSV, without proofs', ask: ask('csv', null), tell: describeCsvExport },
        ]}
        isDisabled={days === null}
        onMade={onMade}
      />
    </>
  )
}

/** The service counts calls of at most so many days at once. */
const MOST_COUNTED_DAYS = 400

/** The number of calls of the days. Null where tier or role has no counts, and until they are there. */
function useCallCount(days: Days | null): number | null {
  const isAsked = days !== null && countDays(days.start, days.end) <= MOST_COUNTED_DAYS
  const [loaded] = useCounts<Infer<typeof RequestsSchema>>('requests', { ...days, bucket: 'total' }, isAsked)
  return loaded.state === 'answered' ? (loaded.body?.totals.requests ?? null) : null
}

const describeCsvExport = async (file: ReceivedFile): Promise<string> =>
  /^"?complete"?,/.test(await lastLineOf(file)) ? 'Complete: it arrived whole.' : CUT_OFF
