// The audit page: lists the calls of a period, shows one in a drawer, and exports the log. Its filters are in the URL.
import { useUrlParameters, changeUrlParameters, ParameterLink } from '../../parts/url-parameters.view.tsx'
import { Filters, type Filter } from '../../parts/filters.view.tsx'
import { RefusalNotice, Skeleton } from '../../parts/answer-notices.view.tsx'
import { type Column, EmptyNotice, figures, ListTable } from '../../parts/list-table.view.tsx'
import { Moment } from '../../parts/times.view.tsx'
import { formatEuro, formatNumber } from '../../text/format.ts'
import { AuditExport } from '../evidence/evidence-exports.view.tsx'
import {
  OUTCOME_FILTER,
  PERIOD_FILTERS,
  PERIOD_NOTE,
  periodIn,
  useLogList,
  UnreadableEntries,
} from '../evidence/log-list.view.tsx'
import { OutcomeBadge } from '../evidence/receipt.view.tsx'
import { withSpaces } from '../../text/reword-text.ts'
import { useKeyNames, type KeyNames } from '../key-and-person-names.view.tsx'
import { openPage } from '../open-page.tsx'
import { inOrganisation } from '../session.ts'
import { CallDrawer, type TrailEntry } from './call-drawer.view.tsx'

const NO_NAMES: KeyNames = new Map()

function Audit() {
  const [members] = useUrlParameters()
  const named = useKeyNames()
  const query = {
    ...periodIn(members),
    outcome: members.get('outcome'),
    model: members.get('model'),
    key_id: members.get('key'),
    use_case: members.get('use_case'),
  }
  const { listed, unreadable, isFirstLoad: isOpening } = useLogList<TrailEntry>('/api/compliance/audit-trail', query)
  const id = members.get('id') ?? ''
  if ((isOpening || named === null) && id === '') return <Skeleton lines={20} />
  const keyNames = named ?? NO_NAMES
  if (listed.problem?.code === 'tier_required' && id === '') {
    return (
      <>
        <RefusalNotice problem={listed.problem} />
        <Filters filters={PERIOD_FILTERS} members={members} />
        <AuditExport members={members} />
      </>
    )
  }
  return (
    <>
      <Filters filters={filtersWith(keyNames)} members={members} parametersToRemove={['id', 'leaf']} />
      <p class="soft small no-print">{PERIOD_NOTE}</p>
      <AuditExport members={members} />
      <UnreadableEntries count={unreadable} />
      <ListTable
        listed={listed}
        noun="call"
        empty={
          <EmptyNotice
            title="No call in these days that is like this"
            action={<a href={inOrganisation('/app/keys')}>Create a key to send the first</a>}
            line={`curl "${location.origin}/api/compliance/audit-trail" -H "authorization: Bearer $MANAGEMENT_KEY"`}
          >
            Each call that this gateway decides about is here from then on: what was asked for, by which key, what
            became of it and what it cost.
          </EmptyNotice>
        }
        caption="Calls, the latest first"
        columns={columnsWith(keyNames)}
        keyOf={({ trace_id }) => trace_id}
      />
      {id !== '' && (
        <CallDrawer
          key={id}
          id={id}
          leaf={members.get('leaf') ?? ''}
          listed={listed.rows.find(({ attestation_id }) => attestation_id === id) ?? null}
          keyNames={keyNames}
          onClose={() => changeUrlParameters({ id: '', leaf: '' })}
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

const columnsWith = (keyNames: KeyNames): readonly Column<TrailEntry>[] => [
  {
    name: 'Decided',
    cell: ({ attestation_id: id, index, timestamp, trace_id }) => (
      <ParameterLink change={{ id, leaf: String(index) }}>
        <Moment at={timestamp} />
        <span class="only-read">, call {trace_id}</span>
      </ParameterLink>
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
  figures('Tokens', tokensOf),
  figures('Cost', ({ cost_eur: cost }) => cost !== null && formatEuro(cost)),
]

/** Returns the ending in words, or null for `completed`, which the outcome already says. */
const endingOf = (ending: string | null): string | null => (ending === 'completed' ? null : withSpaces(ending ?? ''))

const tokensOf = ({ input_tokens: input, output_tokens: output }: TrailEntry): string | null =>
  input === null || output === null ? null : `${formatNumber(input)} + ${formatNumber(output)}`

await openPage('/app/audit', Audit)
