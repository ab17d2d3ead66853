// Keys page: the list of the organisation's keys, with what needs a person in one line above it. A row opens its key; on a phone each
// row is a few lines.
import type { Key } from '../../../keys/key.schema.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { Answered, Skeleton } from '../../parts/answer-notices.view.tsx'
import { Icon } from '../../parts/icon.view.tsx'
import { info, plus } from '../../parts/icons.ts'
import { Note, Row, Soft, Text, OnlyRead, Urgent } from '../../parts/layout.view.tsx'
import { EmptyNotice, NoticeRow, Segments } from '../../parts/surfaces.view.tsx'
import { changeUrlParameters, ParameterLink, useUrlParameters } from '../../parts/url-parameters.view.tsx'
import { formatEuro, formatNumber, plural, formatMinute } from '../../text/format.ts'
import { isTemporaryKey, useLoadedNames, type NameOf } from '../key-and-person-names.view.tsx'
import { hasPermission } from '../session.ts'
import {
  daysLeft,
  daysUnused,
  endsIn,
  withDays,
  BudgetUse,
  callsModels,
  dayOf,
  KeyStatusBadge,
  maskedKey,
  regionLimitOf,
  scopesOf,
} from './key-labels.tsx'
import { KeysHead } from './keys-head.view.tsx'
import { loadKeyList, monthName, type KeyList } from './load-keys.ts'
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { monthBudgetOf } from '../../../policies/rules/budget-guard.words.ts'
import { DayBars } from '../../charts/day-bars.view.tsx'
import { columnsOf, nameOrEnd, type Column } from '../../parts/grid/columns.tsx'
import { DataGrid } from '../../parts/grid/data-grid.view.tsx'
import { Badge } from '../../parts/badge.view.tsx'
import { useView } from '../use-view.ts'

export function KeyListView() {
  const answer = useAnswer(loadKeyList, [])
  // The list waits for names, so that no column moves.
  const nameOf = useLoadedNames()
  const [loaded] = answer
  return (
    <>
      <KeysHead lead={loaded.state === 'answered' ? leadOf(loaded.body) : ''}>
        {hasPermission('keys:own') && (
          <ParameterLink look="first" change={{ create: 'key', id: '', status: '' }}>
            <Icon of={plus} />
            Create a key
          </ParameterLink>
        )}
      </KeysHead>
      <Answered answer={answer} lines={24}>
        {(list) => (nameOf === null ? <Skeleton lines={24} /> : <Keys list={list} nameOf={nameOf} />)}
      </Answered>
    </>
  )
}

const inForce = (keys: readonly Key[]): readonly Key[] =>
  keys.filter((key) => key.status === 'active' && !isTemporaryKey(key))

function leadOf({ keys, counted }: KeyList): string {
  const count = inForce(keys.data).length
  const said = count === 0 ? 'No key in force.' : `${plural(count, 'key')} in force.`
  if (counted === null) return said
  const { budget_eur: budget, totals } = counted.costs
  const used = formatEuro(totals.cost_eur)
  if (budget === null) return `${said} Calls of ${monthName()} cost ${used}.`
  return `${said} They share ${formatEuro(budget)} for ${monthName()}, of which ${used} is used.`
}

type Group = Key['status'] | 'temporary'

const GROUPS = [
  ['active', 'In force'],
  ['expired', 'Expired'],
  ['revoked', 'Revoked'],
  ['temporary', 'Temporary'],
] as const satisfies readonly (readonly [Group, string])[]

const groupOf = (key: Key): Group => (isTemporaryKey(key) ? 'temporary' : key.status)

/** The key that was used last comes first, and a key that was never used by when it was made. */
const lastUsedFirst = (keys: readonly Key[]): readonly Key[] =>
  keys.toSorted(
    ({ last_used_at: one, ...first }, { last_used_at: other, ...second }) =>
      (other ?? '').localeCompare(one ?? '') || second.created_at.localeCompare(first.created_at),
  )

function Keys({ list, nameOf }: { list: KeyList; nameOf: NameOf }) {
  const [address] = useUrlParameters()
  const { data, next_cursor: next } = list.keys
  const [chosen, word] = GROUPS.find(([group]) => group === address.get('status')) ?? GROUPS[0]
  const needed = needsOf(data)
  const isNarrowed = chosen === 'active' && address.get('only') === 'these' && needed !== null
  const shown = isNarrowed ? needed.keys : data.filter((key) => groupOf(key) === chosen)
  if (data.length === 0) {
    return (
      <EmptyNotice title="No keys yet">
        Every program that calls a model through Countersign has a key of its own. Each is listed here with its calls,
        its cost and its last use.
      </EmptyNotice>
    )
  }
  return (
    <>
      {needed !== null && <NeedsPerson of={needed} all={inForce(data).length} isNarrowed={isNarrowed} />}
      <Row>
        <Segments label="Status">
          {GROUPS.map(([group, words]) => {
            const count = data.filter((key) => groupOf(key) === group).length
            return group === 'temporary' && count === 0 ? null : (
              <button
                key={group}
                type="button"
                aria-pressed={group === chosen}
                onClick={() => changeUrlParameters({ status: group === 'active' ? '' : group, only: '' })}
              >
                {words} {formatNumber(count)}
              </button>
            )
          })}
        </Segments>
        {list.counted !== null && <Note isAtEnd>Calls of 30 days, cost of {monthName()}</Note>}
      </Row>
      {shown.length === 0 ? (
        <Soft as="p">{chosen === 'active' ? 'No key is in force.' : `No key is ${word.toLowerCase()}.`}</Soft>
      ) : (
        <KeyTable
          keys={lastUsedFirst(shown)}
          {...{ list, nameOf }}
          label={isNarrowed ? needed.title : `${word} keys, last used first`}
        >
          {chosen === 'temporary' && 'The playground makes these for one hour, and revokes them when it is left. '}
          Revoking a key stops it from its next call on.
          {!hasPermission('keys:own') && ' Your role may see keys and not make or change them.'}
          {next !== null && ` The newest ${formatNumber(data.length)} keys are listed.`}
        </KeyTable>
      )}
    </>
  )
}

type Needs = { title: string; text: string; keys: readonly Key[] }

type NeedsProps = {
  of: Needs
  /** How many keys are in force. Where all of them are meant, the list below has them. */
  all: number
  isNarrowed: boolean
}

/** One line about the keys that a person should look at: the most urgent kind, with a link to the one, or to all of it. */
function NeedsPerson({ of: { title, text, keys }, all, isNarrowed }: NeedsProps) {
  const [key] = keys
  return (
    <NoticeRow tone="warn" icon={info} title={title}>
      <span>{text}</span>
      <Text isAtEnd>
        {isNarrowed ? (
          <ParameterLink change={{ only: '' }}>Show all keys</ParameterLink>
        ) : keys.length === 1 && key !== undefined ? (
          <ParameterLink change={{ id: key.id, status: '' }}>Review the key</ParameterLink>
        ) : keys.length === all ? null : (
          <ParameterLink change={{ only: 'these', status: '' }}>Show these {formatNumber(keys.length)}</ParameterLink>
        )}
      </Text>
    </NoticeRow>
  )
}

const URGENT_DAYS = 7

function needsOf(all: readonly Key[]): Needs | null {
  const keys = inForce(all)
  const endless = keys.filter(({ expires_at: end }) => end === null)
  const ending = withDays(keys, daysLeft).toSorted((one, other) => one.days - other.days)
  const unused = withDays(endless, daysUnused)
  const [soonest] = ending
  const [longest] = unused.toSorted((one, other) => other.days - one.days)
  if (longest !== undefined && (soonest === undefined || soonest.days > URGENT_DAYS)) {
    const { key, days } = longest
    const verb = unused.length === 1 ? 'never expires and is unused' : 'never expire and are unused'
    const ago = `${plural(days, 'day')} ago`
    return {
      keys: unused.map((one) => one.key),
      title: `${plural(unused.length, 'key')} ${verb}.`,
      text: `${key.name} was ${key.last_used_at === null ? `made ${ago} and never used` : `last used ${ago}`}.`,
    }
  }
  if (soonest !== undefined) {
    return {
      keys: ending.map(({ key }) => key),
      title: `${plural(ending.length, 'key ends', 'keys end')} soon.`,
      text: `${soonest.key.name} ends ${endsIn(soonest.days)}.`,
    }
  }
  return endless.length === 0
    ? null
    : {
        keys: endless,
        title: `${plural(endless.length, 'key never expires', 'keys never expire')}.`,
        text: 'A key without an end date keeps working if it leaks.',
      }
}

type Props = {
  keys: readonly Key[]
  list: KeyList
  nameOf: NameOf
  /** What it lists, for screen readers and for paper. */
  label: string
  /** The line below the list. */
  children: ComponentChildren
}

function KeyTable({ keys, list, nameOf, label, children }: Props) {
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
      {of.scopes.includes('manage') && <Badge>Management</Badge>}
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
  cell: scopesOf,
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
      phoneWord: 'Cost',
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
