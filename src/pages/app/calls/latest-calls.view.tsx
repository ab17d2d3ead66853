// The latest calls as a part of another page: each leads to its call.
import type { ComponentChildren } from 'preact'
import type { Call } from '../../../management/calls/calls.schema.ts'
import { byDay } from '../../parts/grid/columns.tsx'
import { DataGrid } from '../../parts/grid/data-grid.view.tsx'
import { CoverLink } from '../../parts/link-row.view.tsx'
import { inOrganisation } from '../session.ts'
import { useView } from '../use-view.ts'
import { CallName, LATEST_CALL_COLUMNS } from './call-columns.tsx'

type Props = { label: string; calls: readonly Call[]; empty: ComponentChildren }

export function LatestCalls({ label, calls, empty }: Props) {
  const view = useView()
  return (
    <DataGrid
      label={label}
      noun="call"
      columns={LATEST_CALL_COLUMNS}
      rows={calls}
      keyOf={({ id }) => id}
      groupOf={byDay}
      view={view}
      link={(call, content) => (
        <CoverLink href={inOrganisation(`/app/calls?id=${call.id}&leaf=${call.index}`)}>
          <CallName of={call} view={view}>
            {content}
          </CallName>
        </CoverLink>
      )}
      empty={empty}
    />
  )
}
