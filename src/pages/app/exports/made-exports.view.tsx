// Exports page: the files that were made. None is stored: the log says who made it, and its hash.
import type { MadeExports } from '../../../management/audit/audit-export.schema.ts'
import { Answered } from '../../parts/answer-notices.view.tsx'
import { CopyButton } from '../../parts/copy-button.view.tsx'
import { Table, figures, type Column } from '../../parts/table.view.tsx'
import { formatDay, formatNearDay, formatNumber, formatShortDay, formatTime } from '../../text/format.ts'
import { useNamesOrIds, type NameOf } from '../key-and-person-names.view.tsx'
import { useApi } from '../session.ts'

type MadeExport = MadeExports['data'][number]

const KINDS: Readonly<Record<MadeExport['kind'], string>> = {
  evidence: 'Evidence file',
  selection: 'Evidence of a list',
  medical: 'Medical calls',
  organisation: 'All data',
}

/** @param made the number of files made here; a change loads the list again */
export function FilesMade({ made }: { made: number }) {
  const answer = useApi<MadeExports>('/api/compliance/exports', {}, [made])
  const nameOf = useNamesOrIds()
  return (
    <section class="card parts" aria-labelledby="files-made">
      <div class="head">
        <h2 id="files-made">Files made</h2>
        <span class="soft small">
          No file is stored here. Your log has who made it, and its hash, for a year or longer.
        </span>
      </div>
      <Answered answer={answer} lines={6}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="body soft">None yet.</p>
          ) : (
            <Table
              caption="Files made, the latest first"
              isCaptionHidden
              columns={columnsOf(nameOf)}
              rows={data}
              keyOf={({ index }) => String(index)}
            />
          )
        }
      </Answered>
    </section>
  )
}

const NONE = <span class="soft">–</span>

const columnsOf = (nameOf: NameOf): readonly Column<MadeExport>[] => [
  { name: 'Time (UTC)', cell: ({ created_at: at }) => `${formatDay(at.slice(0, 10))}, ${formatTime(at, false)}` },
  {
    name: 'File',
    cell: ({ kind, format }) => (format === null ? KINDS[kind] : `${KINDS[kind]}, ${FORMATS[format] ?? format}`),
  },
  { name: 'Days', cell: daysOf },
  figures('Entries', entriesOf),
  { name: 'By', cell: (file) => (file.made_by === null ? NONE : nameOf(file.made_by)) },
  { name: 'SHA-256, without the last line', cell: hashOf },
]

const FORMATS: Readonly<Record<string, string>> = { jsonl: 'JSON lines', csv: 'CSV', json: 'JSON' }

function daysOf({ start, end }: MadeExport) {
  if (start === null || end === null) return NONE
  const last = formatNearDay(end)
  if (start === end) return last
  return `${yearOf(start) === yearOf(end) ? formatShortDay(start) : formatDay(start)} to ${last}`
}

const yearOf = (day: string): string => day.slice(0, 4)

function entriesOf({ complete, entries }: MadeExport) {
  if (complete === false) return <span class="needs">Broken off</span>
  return entries === null ? NONE : formatNumber(entries)
}

function hashOf({ sha256 }: MadeExport) {
  if (sha256 === null) return NONE
  return (
    <span class="nowrap">
      <code>{sha256.slice(0, 12)}…</code> <CopyButton text={sha256} what="the SHA-256" />
    </span>
  )
}
