// The audit page: lists the calls of a period, shows one in a drawer, and exports the log. Its filters are in the URL.
import type { Call } from '../../../management/calls/calls.schema.ts'
import { POLICY_IDS } from '../../../policies/document/policy-ids.ts'
import { RECENT_CALLS, tiersWith } from '../../../policies/tier.policy.ts'
import type { LoadedList } from '../../api/use-list.ts'
import { SaveButton } from '../../parts/save-button.view.tsx'
import { useUrlParameters, changeUrlParameters, ParameterLink } from '../../parts/url-parameters.view.tsx'
import { Filters, type Filter } from '../../parts/filters.view.tsx'
import { Skeleton } from '../../parts/answer-notices.view.tsx'
import { type Column, EmptyNotice, figures, ListTable } from '../../parts/list-table.view.tsx'
import { Moment } from '../../parts/times.view.tsx'
import { formatEuro, formatNumber } from '../../text/format.ts'
import { AuditExport } from '../evidence/evidence-exports.view.tsx'
import {
  outcomeFilter,
  outcomeQuery,
  PERIOD_FILTERS,
  PERIOD_NOTE,
  periodIn,
  useLogList,
  UnreadableEntries,
} from '../evidence/log-list.view.tsx'
import { OUTCOME_CHOICES, OutcomeBadge } from '../../parts/outcome-badge.view.tsx'
import { withSpaces } from '../../text/reword-text.ts'
import { useKeyNames, type KeyNames } from '../key-and-person-names.view.tsx'
import { openPage } from '../open-page.tsx'
import { fetchFile, hasPermission, hasTierFeature, inOrganisation } from '../session.ts'
import { CallDrawer } from './call-drawer.view.tsx'

const NO_NAMES: KeyNames = new Map()

function Audit() {
  const [members] = useUrlParameters()
  const isWhole = hasTierFeature('audit_trail') && hasPermission('audit:read')
  return isWhole ? <AllCalls members={members} /> : <RecentCalls members={members} />
}

function AllCalls({ members }: { members: URLSearchParams }) {
  const named = useKeyNames()
  const query = {
    ...periodIn(members),
    ...outcomeQuery(members.get('outcome')),
    rule: members.get('rule'),
    reason: members.get('reason'),
    model: members.get('model'),
    key_id: members.get('key'),
    use_case: members.get('use_case'),
  }
  const { listed, unreadable, isFirstLoad: isOpening } = useLogList<Call>('/api/calls', query)
  const id = members.get('id') ?? ''
  if ((isOpening || named === null) && id === '') return <Skeleton lines={20} />
  const keyNames = named ?? NO_NAMES
  return (
    <>
      <Filters filters={filtersWith(keyNames)} members={members} parametersToRemove={['id', 'leaf']} />
      <p class="soft small no-print">{PERIOD_NOTE}</p>
      <div class="no-print">
        <SaveButton
          label="Save these calls as CSV"
          ask={(onBytes) => fetchFile('GET', '/api/calls', { query: { ...query, format: 'csv' } }, onBytes)}
        />
      </div>
      <AuditExport members={members} />
      <UnreadableEntries count={unreadable} />
      <CallTable listed={listed} keyNames={keyNames} empty="No call in these days that is like this" />
      {id !== '' && (
        <CallDrawer
          key={id}
          id={id}
          leaf={members.get('leaf') ?? ''}
          listed={listed.rows.find((call) => call.id === id) ?? null}
          keyNames={keyNames}
          isWhole
          onClose={() => changeUrlParameters({ id: '', leaf: '' })}
        />
      )}
    </>
  )
}

/** Shows the last calls, which every tier has, and the export of the log for roles that include it. */
function RecentCalls({ members }: { members: URLSearchParams }) {
  const named = useKeyNames()
  const { listed, unreadable, isFirstLoad } = useLogList<Call>('/api/calls', {})
  const id = members.get('id') ?? ''
  if (isFirstLoad || named === null) return <Skeleton lines={20} />
  const call = listed.rows.find((one) => one.id === id) ?? null
  return (
    <>
      <p class="notice">
        The last {RECENT_CALLS.most} calls of the last {RECENT_CALLS.days} days.{' '}
        {hasTierFeature('audit_trail')
          ? 'Your role does not include the whole audit trail.'
          : `The tiers with all calls, filters and proofs: ${tiersWith('audit_trail').join(', ')}.`}
      </p>
      {hasPermission('audit:read') && (
        <>
          <Filters filters={PERIOD_FILTERS} members={members} />
          <AuditExport members={members} />
        </>
      )}
      <UnreadableEntries count={unreadable} />
      <CallTable listed={listed} keyNames={named} empty="No call in the last seven days" />
      {id !== '' && (
        <CallDrawer
          key={id}
          id={id}
          leaf=""
          listed={call}
          keyNames={named}
          isWhole={false}
          onClose={() => changeUrlParameters({ id: '', leaf: '' })}
        />
      )}
    </>
  )
}

type CallTableProps = { listed: LoadedList<Call>; keyNames: KeyNames; empty: string }

const CallTable = ({ listed, keyNames, empty }: CallTableProps) => (
  <ListTable
    listed={listed}
    noun="call"
    empty={
      <EmptyNotice
        title={empty}
        action={<a href={inOrganisation('/app/keys')}>Create a key to send the first</a>}
        line={`curl "${location.origin}/api/calls" -H "authorization: Bearer $MANAGEMENT_KEY"`}
      >
        Each call that your policy decides is here from then on: its model, its key, its outcome and its cost.
      </EmptyNotice>
    }
    caption="Calls, newest first"
    columns={columnsWith(keyNames)}
    keyOf={({ trace_id }) => trace_id}
  />
)

const filtersWith = (keyNames: KeyNames): readonly Filter[] => [
  ...PERIOD_FILTERS,
  outcomeFilter(OUTCOME_CHOICES),
  {
    name: 'rule',
    label: 'Rule',
    kind: 'choice',
    all: 'Every rule',
    choices: POLICY_IDS.map((id) => ({ value: id, name: withSpaces(id) })),
  },
  { name: 'reason', label: 'Reason', kind: 'text' },
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

const columnsWith = (keyNames: KeyNames): readonly Column<Call>[] => [
  {
    name: 'Decided',
    cell: ({ id, index, created_at, trace_id }) => (
      <ParameterLink change={{ id, leaf: String(index) }}>
        <Moment at={created_at} />
        <span class="only-read">, call {trace_id}</span>
      </ParameterLink>
    ),
  },
  {
    name: 'Outcome',
    cell: (call) => (
      <>
        <OutcomeBadge outcome={call.outcome} ending={call.ending} /> <span class="soft small">{detailOf(call)}</span>
      </>
    ),
  },
  { name: 'Model', cell: ({ model }) => model },
  { name: 'Use case', cell: ({ use_case }) => use_case },
  { name: 'Key', cell: ({ key_id }) => key_id && (keyNames.get(key_id) ?? key_id) },
  figures('Tokens', tokensOf),
  figures('Cost', ({ cost_eur: cost }) => cost !== null && formatEuro(cost)),
]

/** Returns what the outcome's badge does not say: why the call was stopped, what became of its request, or how it ended. */
function detailOf({ outcome, ending, rule, reason, approval }: Call): string | null {
  if (outcome === 'held') return ending === 'awaiting_approval' ? 'waits for a person' : ending
  if (rule !== null) return `${withSpaces(rule)}: ${withSpaces(reason ?? '')}`
  const approved = approval === null ? [] : ['after approval']
  return [...(ending === 'completed' ? [] : [withSpaces(ending)]), ...approved].join(', ')
}

const tokensOf = ({ input_tokens: input, output_tokens: output }: Call): string | null =>
  input === null || output === null ? null : `${formatNumber(input)} + ${formatNumber(output)}`

await openPage('/app/audit', Audit)
