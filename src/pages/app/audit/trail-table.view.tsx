// The calls as rows.
import { formatEuro, formatNumber } from '../../text/format.ts'
import { Moment } from '../../parts/moment.view.tsx'
import { OpenLink } from '../../parts/open-link.view.tsx'
import { Table } from '../../parts/table.view.tsx'
import { OutcomeBadge } from '../evidence/outcome-badge.view.tsx'
import { inWords } from '../evidence/words.ts'
import type { TrailEntry } from './trail-entry.ts'
import type { KeyNames } from '../use-keys.ts'

type Given = { rows: readonly TrailEntry[]; keyNames: KeyNames }

export const TrailTable = ({ rows, keyNames }: Given) => (
  <Table
    caption="Calls, the latest first"
    rows={rows}
    keyOf={({ trace_id }) => trace_id}
    columns={[
      {
        name: 'Decided',
        cell: ({ attestation_id: id, index, timestamp, trace_id }) => (
          <OpenLink change={{ id, leaf: String(index) }}>
            <Moment at={timestamp} />
            <span class="only-read">, call {trace_id}</span>
          </OpenLink>
        ),
      },
      {
        name: 'Outcome',
        cell: ({ outcome, ending, reason }) => (
          <>
            <OutcomeBadge outcome={outcome} /> <span class="soft small">{endingOf(reason ?? ending)}</span>
          </>
        ),
      },
      { name: 'Model', cell: ({ model }) => model },
      { name: 'Use case', cell: ({ use_case }) => use_case },
      { name: 'Key', cell: ({ key_id }) => key_id && (keyNames.get(key_id) ?? key_id) },
      { name: 'Tokens', isNumber: true, cell: tokensOf },
      { name: 'Cost', isNumber: true, cell: ({ cost_eur: cost }) => cost !== null && formatEuro(cost) },
    ]}
  />
)

/** That a call was completed is what its outcome says already. */
const endingOf = (ending: string | null): string | null => (ending === 'completed' ? null : inWords(ending ?? ''))

const tokensOf = ({ input_tokens: asked, output_tokens: answered }: TrailEntry): string | null =>
  asked === null || answered === null ? null : `${formatNumber(asked)} + ${formatNumber(answered)}`
