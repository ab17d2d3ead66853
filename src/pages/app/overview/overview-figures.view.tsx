// Overview page: the figures of the days with their change, how calls ended, and what they cost by model and key.
import type { ComponentChildren } from 'preact'
import type { Key } from '../../../keys/key.schema.ts'
import type { List } from '../../../platform/pagination.schema.ts'
import { BarChart } from '../../charts/bar-chart.view.tsx'
import { NamedBars } from '../../charts/named-bars.view.tsx'
import { blocked as blockedIcon, held as heldIcon } from '../../parts/icons.ts'
import { Delta, Meter, Tile, Tiles } from '../../parts/tile.view.tsx'
import { formatBound, formatEuro, formatMonth, formatNumber, formatPercent, plural } from '../../text/format.ts'
import { callsWith } from '../analytics/calls-path.ts'
import { NO_NAME, OUTCOME_MARKS, outcomeValues, pointOf } from '../analytics/chart-data.ts'
import { inOrganisation } from '../session.ts'
import { type Figures, type OverviewData } from './load-overview.ts'
import { OnlyRead, Pair, Text } from '../../parts/layout.view.tsx'
import { SmallLink } from '../../parts/surfaces.view.tsx'
import { dayFromToday } from '../../text/day.ts'

type Props = Pick<OverviewData, 'waiting'> & { figures: Figures; days: number }

export function FigureTiles({ figures: { requests, byModel, byKey, month }, waiting, days }: Props) {
  const { totals, in_flight: inFlight } = requests
  const { requests: all, held, blocked, response_ms: took } = totals
  const { cost_eur: cost } = byModel.totals
  const before = byKey.previous_totals
  const callsOf = (outcome: string) => callsWith({ from: dayFromToday(1 - days), to: dayFromToday(0), outcome })
  const share = all === 0 ? '' : `${formatPercent(blocked / all)} of calls`
  return (
    <Tiles label={`The last ${days} days`}>
      <Tile name="Calls" value={formatNumber(all)} href={callsOf('')}>
        <Lines
          of={[
            <Delta now={all} before={before.requests} format={formatNumber} />,
            [
              took?.p50 == null ? null : `Median ${formatBound(took.p50)}`,
              inFlight === 0 ? null : `${formatNumber(inFlight)} under way`,
            ]
              .filter((part) => part !== null)
              .join(', '),
          ]}
        />
      </Tile>
      <Tile name="Cost" value={formatEuro(cost)} href={inOrganisation('/app/analytics?show=cost')}>
        <Lines of={[<Delta now={cost} before={before.cost_eur} format={formatEuro} />, <Budget month={month} />]} />
      </Tile>
      <Tile name="Held for a person" icon={heldIcon} value={formatNumber(held)} href={callsOf('held')}>
        <Lines
          of={[
            <Delta now={held} before={before.held} format={formatNumber} />,
            // The analytics' own count has approved requests too, until they are sent again.
            `${waiting === null ? '' : `${formatNumber(waiting.data.length)} waiting now. `}Those that ran are not among these.`,
          ]}
        />
      </Tile>
      <Tile name="Blocked" icon={blockedIcon} value={formatNumber(blocked)} href={callsOf('blocked')}>
        <Lines of={[<Delta now={blocked} before={before.blocked} format={formatNumber} />, share]} />
      </Tile>
    </Tiles>
  )
}

/** Two lines of a tile, with a pause between them for a screen reader. */
const Lines = ({ of: [first, second] }: { of: readonly [ComponentChildren, ComponentChildren] }) => (
  <>
    {first}
    <OnlyRead>. </OnlyRead>
    <br />
    {second}
  </>
)

/** What of this month's budget is used, in words and as a bar. */
function Budget({ month: { totals, budget_eur: budget } }: { month: Figures['month'] }) {
  const name = formatMonth(dayFromToday(0).slice(0, 7)).split(' ')[0]
  if (budget === null) return <>No budget is set</>
  return (
    <>
      {formatEuro(totals.cost_eur)} of {formatEuro(budget)} used in {name}
      <Meter share={budget === 0 ? 1 : totals.cost_eur / budget} />
    </>
  )
}

export function OutcomeChart({ requests, days }: { requests: Figures['requests']; days: number }) {
  const points = requests.data.map((row) => pointOf(row.date, outcomeValues(row)))
  return (
    <BarChart
      title="Calls by outcome"
      total={plural(requests.totals.requests, 'call')}
      pointName="Day"
      marks={OUTCOME_MARKS}
      points={points}
      format={formatNumber}
      hrefOf={(at) => {
        const date = requests.data[at]?.date
        return typeof date === 'string' ? callsWith({ from: date, to: date }) : null
      }}
      action={<SmallLink href={inOrganisation('/app/calls')}>See all calls</SmallLink>}
      key={days}
    />
  )
}

export function CostBars({ figures: { byModel, byKey }, keys }: { figures: Figures; keys: List<Key> | null }) {
  // A key has its id where its name is not known, or the person may not see keys.
  const keyName = (id: string): string => keys?.data.find((key) => key.id === id)?.name ?? id
  return (
    <Pair>
      <NamedBars
        title="Cost by model"
        rowName="Model"
        valueName="Cost"
        rows={costsOf(byModel.data, ({ model }) => model)}
        link={({ id, name }) => (
          <Text isOneLine>
            <a href={inOrganisation(`/app/analytics?model=${encodeURIComponent(id)}`)}>{name}</a>
          </Text>
        )}
        format={formatEuro}
      />
      <NamedBars
        title="Cost by key"
        rowName="Key"
        valueName="Cost"
        rows={costsOf(byKey.data, ({ key_id: id }) => id, keyName)}
        link={({ id, name }) => <a href={inOrganisation(`/app/keys?id=${encodeURIComponent(id)}`)}>{name}</a>}
        format={formatEuro}
      />
    </Pair>
  )
}

/** @param idOf null for what has none @param nameOf of an id */
const costsOf = <Row extends { cost_eur: number }>(
  rows: readonly Row[],
  idOf: (row: Row) => string | null,
  nameOf: (id: string) => string = String,
): { id: string; name: string; value: number }[] =>
  rows
    .map((row) => {
      const id = idOf(row) ?? NO_NAME
      return { id, name: nameOf(id), value: row.cost_eur }
    })
    .toSorted((one, other) => other.value - one.value)
