// The chart of analytics: one measure by one thing, beside the period before, and a table of the same below it.
import { capitalised } from '../../text/reword-text.ts'
import type { ComponentChildren } from 'preact'
import { SHOWN_OUTCOMES } from '../../../evidence/records/call-endings.ts'
import { BarChart } from '../../charts/bar-chart.view.tsx'
import { LinkOrText } from '../../parts/link-row.view.tsx'
import { OutcomeBadge } from '../../parts/outcome-badge.view.tsx'
import { figures, Table, type Column } from '../../parts/table.view.tsx'
import { changeUrlParameters, ParameterLink } from '../../parts/url-parameters.view.tsx'
import {
  euroColumn,
  formatEuro,
  formatExactEuro,
  formatNumber,
  formatPercent,
  formatShortEuro,
  plural,
} from '../../text/format.ts'
import { daysOf, GROUPS, MEASURES, type AnalyticsQuery } from './analytics-query.ts'
import { callsPath, callsPathOn } from './calls-path.ts'
import { changeText, NO_NAME } from './chart-data.ts'
import type { AnalyticsCounts } from './load-analytics.ts'
import { chartOf, listedGroups, rowsOf, sumsByDate, type ListedGroup } from './measured.ts'
import { TEMPORARY_KEYS } from '../key-and-person-names.view.tsx'
import { hasPermission } from '../session.ts'
import { Row, Note } from '../../parts/layout.view.tsx'
import { Segments } from '../../parts/surfaces.view.tsx'

type Props = { counts: AnalyticsCounts; nameOf: (group: string) => string; pointName: string }

const FORMATS = { '': formatNumber, cost: formatShortEuro, tokens: formatNumber } as const

const measureName = (query: AnalyticsQuery): string => MEASURES.find(([name]) => name === query.show)?.[1] ?? ''

/** The name of a tab. Tokens have no outcome: they were sent or answered. */
const tabName = (show: string, group: string, name: string): string =>
  show === 'tokens' && group === '' ? 'Kind' : name

const groupName = ({ show, group }: AnalyticsQuery): string =>
  tabName(show, group, GROUPS.find(([name]) => name === group)?.[1] ?? '')

const beforeName = (query: AnalyticsQuery): string => `${plural(daysOf(query) ?? 0, 'day')} before`

export function AnalyticsChart({ counts, nameOf, pointName }: Props) {
  const { query, requests, previous } = counts
  const { group, show } = query
  const format = FORMATS[show]
  const { marks, points } = chartOf(counts, nameOf)
  const { sum } = listedGroups(counts)
  const name = measureName(query)
  const dates = requests.data.map(({ date }) => date)
  const before = previous === null ? null : sumsByDate(rowsOf(show, group, previous))
  const hasCalls = callsPath(query) !== null
  return (
    <BarChart
      key={`${show} ${group}`}
      title={`${name} by ${groupName(query).toLowerCase()}`}
      total={show === 'cost' ? format(sum.now) : `${format(sum.now)} ${name.toLowerCase()}`}
      head={<ChartTabs query={query} />}
      pointName={pointName}
      marks={marks}
      points={points}
      format={format}
      formatLine={show === 'cost' ? formatExactEuro : format}
      before={
        before === null
          ? undefined
          : { name: `All ${name.toLowerCase()}, ${beforeName(query)}`, values: alignedAtEnd(before, points.length) }
      }
      hrefOf={hasCalls ? (at) => callsPathOn(query, dates[at] ?? null) : undefined}
      below={<GroupsTable counts={counts} nameOf={nameOf} />}
    />
  )
}

/** Months of two periods of as many days can differ by one. */
const alignedAtEnd = (values: readonly number[], length: number): (number | null)[] =>
  Array.from({ length }, (_, at) => values[at + values.length - length] ?? null)

const ChartTabs = ({ query }: { query: AnalyticsQuery }) => (
  <>
    <Row>
      <Note>{measureName(query)} by</Note>
      <Segments label="Shown by">
        {GROUPS.filter(([value]) => value !== 'member' || hasPermission('members:manage')).map(([value, name]) => (
          <ParameterLink key={value} change={{ group: value }} isCurrent={value === query.group}>
            {tabName(query.show, value, name)}
          </ParameterLink>
        ))}
      </Segments>
    </Row>
    <Segments label="What is shown">
      {MEASURES.map(([value, name]) => (
        <button
          key={value}
          type="button"
          aria-pressed={value === query.show}
          onClick={() => changeUrlParameters({ show: value })}
        >
          {name}
        </button>
      ))}
    </Segments>
  </>
)

function GroupsTable({ counts, nameOf }: Pick<Props, 'counts' | 'nameOf'>) {
  const { query, previous } = counts
  const { show, group } = query
  const { rows, sum } = listedGroups(counts)
  const format = show === 'cost' ? euroColumn(sum.now) : FORMATS[show]
  const row = (text: string, one: ListedGroup): ComponentChildren => (one === sum ? <b>{text}</b> : text)
  const column = (name: string, textOf: (one: ListedGroup) => string, isWideOnly = false): Column<ListedGroup> =>
    figures(name, (one) => row(textOf(one), one), isWideOnly)
  return (
    <Table
      isGrid
      caption={`${measureName(query)} by ${groupName(query).toLowerCase()}, sums`}
      isCaptionHidden
      columns={[
        {
          name: groupName(query),
          cell: (one) => (one === sum ? <b>All</b> : <GroupName {...{ query, nameOf }} group={one.group} />),
        },
        column(measureName(query), ({ now }) => format(now)),
        column('Share', ({ now }) => formatPercent(sum.now === 0 ? 0 : now / sum.now), true),
        ...(previous === null
          ? []
          : [
              column(capitalised(beforeName(query)), ({ before }) => format(before), true),
              column('Change', ({ now, before }) =>
                changeText(now, before, format, show === 'cost' ? formatEuro : format),
              ),
            ]),
        ...(show === '' && counts.costs.group_by !== null
          ? [column('Cost', ({ cost }) => euroColumn(sum.cost)(cost), true)]
          : []),
        ...(show === 'cost' && group !== '' ? [column('Calls', ({ calls }) => formatNumber(calls))] : []),
      ]}
      rows={[...rows, sum]}
      keyOf={(one) => (one === sum ? '' : one.group)}
    />
  )
}

type GroupNameProps = { query: AnalyticsQuery; group: string; nameOf: (group: string) => string }

/** The name of a row, which leads to its calls. */
function GroupName({ query, group, nameOf }: GroupNameProps) {
  const { group: by } = query
  if (by === '') return <OutcomeName query={query} name={group} />
  const isNamed = group !== NO_NAME && group !== '(other)' && group !== TEMPORARY_KEYS && by !== 'member'
  return <LinkOrText href={isNamed ? callsPath(query, { [by]: group }) : null}>{nameOf(group)}</LinkOrText>
}

function OutcomeName({ query, name }: { query: AnalyticsQuery; name: string }) {
  const outcome = SHOWN_OUTCOMES.find(({ says }) => says === name)?.name
  if (outcome === undefined) return <>{name}</>
  return (
    <LinkOrText href={callsPath(query, { outcome })}>
      <OutcomeBadge outcome={outcome} />
    </LinkOrText>
  )
}
