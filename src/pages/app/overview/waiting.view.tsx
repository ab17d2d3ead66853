// What waits for a person to decide, that which waits longest first.
import type { Key } from '../../../keys/key.schema.ts'
import type { List } from '../../../platform/list.schema.ts'
import { inOrganisation, type Session } from '../../api/session.ts'
import { Moment } from '../../parts/moment.view.tsx'
import { Table } from '../../parts/table.view.tsx'
import { plural } from '../../text/format.ts'
import { keyName } from './key-name.ts'
import type { Approval } from './load-overview.ts'

const SHOWN = 3

type Given = { session: Session; waiting: List<Approval>; keys: List<Key> | null }

export function Waiting({ session, waiting: { data, has_more: hasMore }, keys }: Given) {
  if (data.length === 0) return null
  const oldest = data.toReversed().slice(0, SHOWN)
  return (
    <section class="card stack" aria-labelledby="waiting-title">
      <h2 id="waiting-title">
        {hasMore ? 'More than ' : ''}
        {plural(data.length, 'request waits', 'requests wait')} for a person
      </h2>
      <Table
        caption="Those that wait longest"
        isCaptionHidden
        columns={[
          {
            name: 'Asked',
            cell: ({ id, created_at: at }) => (
              <a href={inOrganisation(session, `/app/approvals?id=${id}`)}>
                <Moment at={at} />
              </a>
            ),
          },
          { name: 'Model', cell: ({ model }) => model },
          { name: 'Use case', cell: ({ use_case: name }) => name ?? 'none named' },
          { name: 'Key', cell: ({ key_id: id }) => keyName(id, keys) },
          { name: 'Can be decided until', cell: ({ expires_at: at }) => <Moment at={at} /> },
        ]}
        rows={oldest}
        keyOf={({ id }) => id}
      />
      <a class="button" href={inOrganisation(session, '/app/approvals')}>
        See what waits
      </a>
    </section>
  )
}
