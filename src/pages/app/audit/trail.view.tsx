// The calls of a period, narrowed down by what the address says, with the one that is open beside them.
import { inOrganisation, type Session } from '../../api/session.ts'
import { changeAddress } from '../../api/use-address.ts'
import { Empty } from '../../parts/empty.view.tsx'
import { Filters, type Filter } from '../../parts/filters.view.tsx'
import { ListOf } from '../../parts/list.view.tsx'
import { Skeleton } from '../../parts/skeleton.view.tsx'
import { OUTCOME_FILTER } from '../evidence/outcome-filter.ts'
import { PERIOD_FILTERS, PERIOD_NOTE, periodIn } from '../evidence/period.ts'
import { useLedgerList } from '../evidence/use-ledger-list.ts'
import { UnreadableEntries } from '../evidence/unreadable-entries.view.tsx'
import { AuditExport } from './audit-export.view.tsx'
import { CallDrawer } from './call-drawer.view.tsx'
import type { TrailEntry } from './trail-entry.ts'
import { TrailTable } from './trail-table.view.tsx'
import { useKeyNames, type KeyNames } from '../use-keys.ts'

type Given = { session: Session; members: URLSearchParams }

const NO_NAMES: KeyNames = new Map()

export function Trail({ session, members }: Given) {
  const named = useKeyNames(session)
  const asked = {
    ...periodIn(members),
    outcome: members.get('outcome'),
    model: members.get('model'),
    key_id: members.get('key'),
    use_case: members.get('use_case'),
  }
  const { listed, unreadable, isOpening } = useLedgerList<TrailEntry>(session, '/api/compliance/audit-trail', asked)
  const id = members.get('id') ?? ''
  if ((isOpening || named === null) && id === '') return <Skeleton lines={20} />
  const keyNames = named ?? NO_NAMES
  if (listed.problem?.code === 'tier_required' && id === '') {
    return (
      <>
        <ListOf listed={listed} noun="call" empty={null}>
          {() => null}
        </ListOf>
        <Filters filters={PERIOD_FILTERS} members={members} />
        <AuditExport session={session} members={members} />
      </>
    )
  }
  return (
    <>
      <Filters filters={filtersWith(keyNames)} members={members} closing={['id', 'leaf']} />
      <p class="soft small no-print">{PERIOD_NOTE}</p>
      <AuditExport session={session} members={members} />
      <UnreadableEntries count={unreadable} />
      <ListOf
        listed={listed}
        noun="call"
        empty={
          <Empty
            title="No call in these days that is like this"
            action={<a href={inOrganisation(session, '/app/keys')}>Create a key to send the first</a>}
            line={`curl "${location.origin}/api/compliance/audit-trail" -H "authorization: Bearer $MANAGEMENT_KEY"`}
          >
            Each call that this gateway decides about is here from then on: what was asked for, by which key, what
            became of it and what it cost.
          </Empty>
        }
      >
        {(rows) => <TrailTable rows={rows} keyNames={keyNames} />}
      </ListOf>
      {id !== '' && (
        <CallDrawer
          key={id}
          session={session}
          id={id}
          leaf={members.get('leaf') ?? ''}
          listed={listed.rows.find(({ attestation_id }) => attestation_id === id) ?? null}
          keyNames={keyNames}
          onClose={() => changeAddress({ id: '', leaf: '' })}
        />
      )}
    </>
  )
}

const filtersWith = (keyNames: KeyNames): readonly Filter[] => [
  ...PERIOD_FILTERS,
  OUTCOME_FILTER,
  { name: 'model', label: 'Model', kind: 'text' },
  {
    name: 'key',
    label: 'Key',
    kind: 'choice',
    all: 'Every key',
    choices: [...keyNames].map(([value, name]) => ({ value, name })),
  },
  { name: 'use_case', label: 'Use case', kind: 'text' },
]
