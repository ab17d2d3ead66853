// Exports page: the evidence of some days as a file, and the records of medical calls: what the file will have, and whether it arrived
// whole.
import { useState } from 'preact/hooks'
import { isDemoOrganisation } from '../frame/frame.view.tsx'
import type { Infer } from '../../../platform/once.ts'
import type { RequestsSchema } from '../../../management/analytics/analytics.schema.ts'
import { answered, type ReceivedFile } from '../../api/send-request.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { Facts } from '../../parts/page-blocks.view.tsx'
import { plural } from '../../text/format.ts'
import { callApi, fetchFile, hasPermission, hasTierFeature, inOrganisation, organisation } from '../session.ts'
import { CUT_OFF, describeLinesExport, lastLineOf } from '../evidence/arrived-file.ts'
import { countDays, today, type Days } from './export-days.view.tsx'
import { FileMaker, type FileKind } from './file-maker.view.tsx'
import { Hash, Soft, Note } from '../../parts/layout.view.tsx'

/** The name of a file, as the service gives it. */
export const namedHere = (name: string): string =>
  isDemoOrganisation(organisation().id) ? `invented-data-${name}` : name

/** The name of the evidence file or of the file of medical calls. */
export const evidenceName = (kind: 'evidence' | 'receipts', { start, end }: Days): string =>
  namedHere(
    kind === 'evidence' ? `countersign-audit-${start}-${end}.jsonl` : `countersign-medical-receipts-${today()}.jsonl`,
  )

/** The last days are null while no file can be of what is typed. */
type Props = { days: Days | null; onMade: () => void }

const NO_NAME = <Soft>–</Soft>

const nameOf = (kind: 'evidence' | 'receipts', days: Days | null) =>
  days === null ? NO_NAME : <Hash as="code">{evidenceName(kind, days)}</Hash>

export function EvidenceFile({ days, onMade }: Props) {
  const [next, setNext] = useState<string | null>(null)
  const calls = useCallCount(days)
  const ask =
    (format: 'jsonl' | 'csv', cursor: string | null): FileKind['ask'] =>
    (onBytes) =>
      fetchFile('GET', '/api/compliance/audit-logs', { query: { ...days, format, cursor } }, onBytes)
  const tell = describeLinesExport('audit_export.end', 'entries', setNext)
  const isMore = next !== null
  return (
    <>
      <Facts
        facts={[
          [
            'It will have',
            `All entries of your log on these days${calls === null ? '' : `, ${plural(calls, 'call')} among them`}`,
          ],
          ['Not in it', 'Prompts, answers, secrets of keys'],
          ['Name', nameOf('evidence', days)],
        ]}
      />
      <FileMaker
        kinds={[
          { label: 'Make the evidence file', look: 'first', ask: ask('jsonl', null), tell, isEvidence: true },
          ...(isMore ? [{ label: 'Make the next part', ask: ask('jsonl', next), tell }] : []),
          { label: 'Make a CSV, without proofs', ask: ask('csv', null), tell: describeCsvExport },
        ]}
        isDisabled={days === null}
        onMade={onMade}
      />
      <Note as="p">
        Making a file is an entry of your log. For some calls alone, filter{' '}
        <a href={inOrganisation('/app/calls')}>Calls</a>: such a list has its own evidence.
      </Note>
    </>
  )
}

type Requests = Infer<typeof RequestsSchema>

/** The service counts calls of at most so many days at once. */
const MOST_COUNTED_DAYS = 400

/** The number of calls of the days. Null where tier or role has no counts, and until they are there. */
function useCallCount(days: Days | null): number | null {
  const isCounted =
    days !== null && countDays(days) <= MOST_COUNTED_DAYS && hasTierFeature('analytics') && hasPermission('usage:read')
  const query = { ...days, bucket: 'total' }
  const [loaded] = useAnswer<Requests | null>(
    async (signal) => (isCounted ? callApi('GET', '/api/analytics/requests', { query, signal }) : answered(null)),
    [JSON.stringify(days)],
  )
  return loaded.state === 'answered' ? (loaded.body?.totals.requests ?? null) : null
}

export function ReceiptsFile({ days, onMade }: Props) {
  const ask =
    (format: 'jsonl' | 'csv'): FileKind['ask'] =>
    (onBytes) =>
      fetchFile('GET', '/api/health/receipts/export', { query: { ...days, format } }, onBytes)
  return (
    <>
      <Facts
        facts={[
          ['It will have', 'The record of each medical call of these days, with its proofs'],
          ['It shows', 'Each record is genuine and in your log. That none is missing is what the evidence file shows.'],
          ['Not in it', 'Prompts, answers, secrets of keys'],
          ['Name', nameOf('receipts', days)],
        ]}
      />
      <FileMaker
        kinds={[
          {
            label: 'Make the file of medical calls',
            look: 'first',
            ask: ask('jsonl'),
            tell: describeLinesExport('medical_export.end', 'receipts'),
            isEvidence: true,
          },
          { label: 'Make a CSV, without proofs', ask: ask('csv'), tell: describeCsvExport },
        ]}
        isDisabled={days === null}
        onMade={onMade}
      />
      <Note as="p">Making a file is an entry of your log. Five such files can be made in an hour.</Note>
    </>
  )
}

const describeCsvExport = async (file: ReceivedFile): Promise<string> =>
  /^"?complete"?,/.test(await lastLineOf(file)) ? 'Complete: it arrived whole.' : CUT_OFF
