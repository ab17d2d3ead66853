// Exports page: the files that were made. None is stored: the log says who made it, and its hash.
import type { MadeExports } from '../../../management/audit/audit-export.schema.ts'
import { CopyButton } from '../../parts/copy-button.view.tsx'
import { columnsOf } from '../../parts/grid/columns.tsx'
import { DataGrid } from '../../parts/grid/data-grid.view.tsx'
import { formatDay, formatNearDay, formatShortDay, plural } from '../../text/format.ts'
import { useNamesOrIds } from '../key-and-person-names.view.tsx'
import { useApiList } from '../session.ts'
import { useView } from '../use-view.ts'
import { HeadedCard, CardBody } from '../../parts/surfaces.view.tsx'
import { Badge } from '../../parts/badge.view.tsx'
import { Text, Note, Soft } from '../../parts/layout.view.tsx'

type MadeExport = MadeExports['data'][number]

const KINDS: Readonly<Record<MadeExport['kind'], string>> = {
  evidence: 'Evidence file',
  selection: 'Evidence of a list',
  medical: 'Medical calls',
  organisation: 'All data',
}

/** @param made the number of files made here; a change loads the list again */
export function FilesMade({ made }: { made: number }) {
  const files = useApiList<MadeExport>('/api/compliance/exports', {}, [made])
  const view = useView(useNamesOrIds())
  return (
    <HeadedCard
      title="Files made"
      act={<Note>No file is stored here. Your log has who made it, and its hash, for a year or longer.</Note>}
      isList
    >
      <DataGrid
        label="Files made, the latest first"
        noun="file"
        file="files-made"
        columns={COLUMNS}
        rows={files}
        keyOf={({ index }) => String(index)}
        view={view}
        empty={
          <CardBody as="p" tone="soft">
            None yet.
          </CardBody>
        }
      />
    </HeadedCard>
  )
}

const FORMATS: Readonly<Record<string, string>> = { jsonl: ', JSON lines', csv: ', CSV', json: ', JSON' }

const nameOf = ({ kind, format }: MadeExport): string => KINDS[kind] + (FORMATS[format ?? ''] ?? '')

const file = columnsOf<MadeExport>()

const COLUMNS = [
  file.own({
    id: 'file',
    head: 'File',
    kind: 'name',
    cell: (of) => (
      <>
        {nameOf(of)} {of.complete === false && <Badge tone="warn">Broken off</Badge>}
        <Soft>{[daysOf(of), entriesOf(of)].filter(Boolean).join(': ')}</Soft>
      </>
    ),
    plain: (of) => (of.complete === false ? `${nameOf(of)} (broken off)` : nameOf(of)),
  }),
  file.moment({ id: 'made', head: 'Made', of: 'created_at', phone: 'line' }),
  file.named({ id: 'by', head: 'By', of: 'made_by', phone: 'line-end' }),
  file.text({ id: 'days', head: 'Days', of: daysOf, isOptional: true }),
  file.number({ id: 'entries', head: 'Entries', of: 'entries', isOptional: true }),
  file.own({
    id: 'sha256',
    head: 'SHA-256, without the last line',
    kind: 'figure',
    cell: ({ sha256 }) =>
      sha256 !== null && (
        <Text isOneLine>
          <code>{sha256.slice(0, 8)}…</code> <CopyButton text={sha256} what="the SHA-256" />
        </Text>
      ),
    plain: ({ sha256 }) => sha256 ?? '',
  }),
]

function daysOf({ start, end }: MadeExport): string | null {
  if (start === null || end === null) return null
  const last = formatNearDay(end)
  if (start === end) return last
  return `${yearOf(start) === yearOf(end) ? formatShortDay(start) : formatDay(start)} to ${last}`
}

const yearOf = (day: string): string => day.slice(0, 4)

const entriesOf = ({ entries }: MadeExport): string | null =>
  entries === null ? null : plural(entries, 'entry', 'entries')
