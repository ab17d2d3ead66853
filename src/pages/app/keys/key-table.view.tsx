// Keys page: the list of keys. A row opens its key; on a phone each row is a few lines.
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { Key } from '../../../keys/key.schema.ts'
import { monthBudgetOf } from '../../../policies/rules/budget-guard.words.ts'
import { DayBars } from '../../charts/day-bars.view.tsx'
import { columnsOf, nameOrEnd, type Column } from '../../parts/grid/columns.tsx'
import { DataGrid } from '../../parts/grid/data-grid.view.tsx'
import { Note, OnlyRead, Row, Soft, Urgent } from '../../parts/layout.view.tsx'
import { Badge } from '../../parts/badge.view.tsx'
import { ParameterLink } from '../../parts/url-parameters.view.tsx'
import { formatEuro, formatMinute, formatNumber } from '../../text/format.ts'
import type { NameOf } from '../key-and-person-names.view.tsx'
import { useView } from '../use-view.ts'
import {
  BudgetUse,
  callsModels,
  dayOf,
  daysLeft,
  daysUnused,
  endsIn,
  KeyStatusBadge,
  maskedKey,
  regionLimitOf,
  scopesOf,
} from './key-labels.tsx'
import type { KeyList } from './load-keys.ts'

type Props = {
  keys: readonly Key[]
  list: KeyList
  nameOf: NameOf
  /** What it lists, for screen readers and for paper. */
  label: string
  /** The line below the list. */
  children: ComponentChildren
}

export function KeyTable({ keys, list, nameOf, label, children }: Props) {
  const view = useView(nameOf)
  const columns = useMemo(() => columnsFor(list), [list])
  return (
    <DataGrid
      label={label}
      noun="key"
      file="keys"
      columns={columns}
      rows={keys}
      keyOf={({ id }) => id}
      view={view}
      link={({ id }, content) => (
        <ParameterLink look="cover" change={{ id, status: '' }}>
          {content}
        </ParameterLink>
      )}
      empty={null}
    >
      {children}
    </DataGrid>
  )
}

const key = columnsOf<Key>()

const NAME = key.own({
  id: 'key',
  head: 'Key',
  kind: 'name',
  cell: ({ name }) => name,
  note: (of, view) => (
    <>
      <code>{maskedKey(of)}</code>
      <Note>by {nameOrEnd(of.created_by, view)}</Note>
      {of.evaluation && <Badge>For evaluation</Badge>}
      {regionLimitOf(of) !== '' && <Note>{regionLimitOf(of)}</Note>}
    </>
  ),
  plain: (of) => `${of.name} (${maskedKey(of)})`,
})

const SCOPE = key.own({
  id: 'scope',
  head: 'Scope',
  kind: 'text',
  from: 60,
  phone: 'none',
  cell: (of) => (of.scopes.includes('manage') ? <b>{scopesOf(of)}</b> : scopesOf(of)),
  plain: scopesOf,
})

const LATER = [
  key.own({
    id: 'used',
    head: 'Last used',
    kind: 'moment',
    phoneWord: 'Last used',
    cell: (of, { isLocal }) => {
      const { last_used_at: at } = of
      if (at === null) return <Soft>Never</Soft>
      const time = <time dateTime={at}>{formatMinute(at, isLocal)}</time>
      return daysUnused(of) === null ? time : <Urgent>{time}</Urgent>
    },
    plain: ({ last_used_at: at }) => at ?? '',
  }),
  key.own({
    id: 'end',
    head: 'Expires',
    kind: 'figure',
    phone: 'line',
    phoneWord: 'Expires',
    cell: (of) => <End of={of} />,
    plain: ({ revoked_at: revoked, expires_at: expires }) => revoked ?? expires ?? '',
  }),
  key.named({ id: 'maker', head: 'Made by', of: 'created_by', isOptional: true }),
  key.time({ id: 'made', head: 'Made', of: 'created_at', isOptional: true, format: dayOf }),
]

/** Without figures where the tier or the role does not include them. */
function columnsFor({ keys, policy, counted }: KeyList): readonly Column<Key>[] {
  if (counted === null) return [NAME, SCOPE, ...LATER]
  const budgetOf = ({ id }: Key): number | null => monthBudgetOf(policy.document.budget_guard, id)
  const costOf = ({ id }: Key): number => counted.month.get(id) ?? 0
  const callsOf = ({ id }: Key): number => counted.figures.get(id)?.requests ?? 0
  return [
    NAME,
    SCOPE,
    key.own({
      id: 'calls',
      head: 'Calls',
      kind: 'figure',
      cell: (of) => (
        <Row as="span" gap={3} isSingle>
          <DayBars counts={counted.days.get(of.id) ?? []} />
          <span>
            {formatNumber(callsOf(of))}
            <OnlyRead> calls</OnlyRead>
          </span>
        </Row>
      ),
      plain: (of) => String(callsOf(of)),
    }),
    key.own({
      id: 'cost',
      head: keys.data.some((of) => budgetOf(of) !== null) ? 'Cost of budget' : 'Cost',
      kind: 'figure',
      phone: 'title-end',
      cell: (of) =>
        callsModels(of) ? (
          <>
            {formatEuro(costOf(of))} <BudgetUse cost={costOf(of)} budget={budgetOf(of)} />
          </>
        ) : (
          '–'
        ),
      plain: (of) => (callsModels(of) ? String(costOf(of)) : ''),
    }),
    key.number({ id: 'budget', head: 'Budget', isOptional: true, of: budgetOf, format: formatEuro }),
    ...LATER,
  ]
}

function End({ of }: { of: Key }) {
  const { status, expires_at: expires, revoked_at: revoked } = of
  const end = revoked ?? expires
  if (end === null) return status === 'active' ? <Urgent>Never</Urgent> : <>Never</>
  const left = daysLeft(of)
  return (
    <>
      <time dateTime={end}>{dayOf(end)}</time> {left !== null && <Badge tone="warn">{endsIn(left)}</Badge>}
      {(status !== 'active' || of.replaced_by !== null) && <KeyStatusBadge of={of} />}
    </>
  )
}
