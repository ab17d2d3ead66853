// Overview page: the figures of the days with their change, how calls ended, and what they cost by model and key.
import type { ComponentChildren } from 'preact'
import type { Key } from '../../../keys/key.schema.ts'
import type { List } from '../../../platform/pagination.schema.ts'
import { BarChart } from '../../charts/bar-chart.view.tsx'
import { NamedBars } from '../../charts/named-bars.view.tsx'
import { blocked as blockedIcon, held as heldIcon } from '../../parts/icons.ts'
import { Delta, Meter, Tile, Tiles } from '../../parts/tile.view.tsx'
import {
  euroColumn,
  formatBound,
  formatEuro,
  formatMonth,
  formatNumber,
  formatPercent,
  plural,
} from '../../text/format.ts'
import { callsWith } from '../analytics/calls-path.ts'
import { OUTCOME_MARKS, outcomeValues, pointOf, sumsByGroup, type GroupRow } from '../analytics/chart-data.ts'
import { rowOfKey, TEMPORARY_KEYS } from '../key-and-person-names.view.tsx'
import { inOrganisation } from '../session.ts'
import { costOfMonth, expectedCost } from './forecast.ts'
import type { Figures, OverviewData } from './load-overview.ts'
import { OnlyRead, Pair, Text, Urgent } from '../../parts/layout.view.tsx'
import { SmallLink } from '../../parts/surfaces.view.tsx'
import { dayFromToday } from '../../text/day.ts'

type Props = Pick<OverviewData, 'waiting'> & { figures: Figures; days: number }

export function FigureTiles({ figures: { requests, byModel, byKey, daily }, waiting, days }: Props) {
  const { requests: all, held, blocked, response_ms: took } = requests.totals
  const { cost_eur: cost } = byModel.totals
  const before = byKey.previous_totals
  const callsOf = (outcome: string) => callsWith({ from: dayFromToday(1 - days), to: dayFromToday(0), outcome })
  return (
    <Tiles label={`The last ${days} days`}>
      <Tile name="Calls" value={formatNumber(all)} href={callsOf('')}>
        <Delta now={all} before={before.requests} format={formatNumber} />
        {took?.p50 != null && <Fact>Median {formatBound(took.p50)}</Fact>}
      </Tile>
      <Tile name="Cost" value={euroColumn(cost)(cost)} href={inOrganisation('/app/analytics?show=cost')}>
        <Delta now={cost} before={before.cost_eur} format={formatEuro} />
        <Fact>
          <CostOfMonth daily={daily} />
        </Fact>
      </Tile>
      <Tile name="Held for a person" icon={heldIcon} value={formatNumber(held)} href={callsOf('held')}>
        <Delta now={held} before={before.held} format={formatNumber} />
        {/* The analytics' own count has approved requests too, until they are sent again. */}
        {waiting !== null && <Fact>{formatNumber(waiting.data.length)} waiting now</Fact>}
      </Tile>
      <Tile name="Blocked" icon={blockedIcon} value={formatNumber(blocked)} href={callsOf('blocked')}>
        <Delta now={blocked} before={before.blocked} format={formatNumber} />
        {all > 0 && <Fact>{formatPercent(blocked / all)} of calls</Fact>}
      </Tile>
    </Tiles>
  )
}

/** The second line of a tile, after a pause for a screen reader. */
const Fact = ({ children }: { children: ComponentChildren }) => (
  <>
    <OnlyRead>. </OnlyRead>
    <br />
    {children}
  </>
)

/** What this month is expected to cost, else what it has cost, and how much of the budget that is. */
function CostOfMonth({ daily: { data, budget_eur: budget } }: { daily: Figures['daily'] }) {
  const today = dayFromToday(0)
  const expected = expectedCost(data, today)
  const eur = expected ?? costOfMonth(data, today)
  const isBeyond = budget !== null && expected !== null && expected > budget
  const cost = formatEuro(eur)
  return (
    <>
      {formatMonth(today.slice(0, 7)).split(' ')[0]} {expected === null ? 'so far' : 'at this pace'}:{' '}
      {isBeyond ? <Urgent>{cost}</Urgent> : cost}
      {budget !== null && `. Budget ${formatEuro(budget)}`}
      {budget !== null && <Meter share={budget === 0 ? 1 : eur / budget} />}
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
  const keyOf = (id: string) => keys?.data.find((key) => key.id === id)
  return (
    <Pair>
      <NamedBars
        title="Cost by model"
        rowName="Model"
        {...costsOf(byModel.data.map(({ model, cost_eur: value }) => ({ date: null, group: model, value })))}
        link={({ id, name }) => (
          <Text isOneLine>
            <a href={inOrganisation(`/app/analytics?model=${encodeURIComponent(id)}`)}>{name}</a>
          </Text>
        )}
      />
      <NamedBars
        title="Cost by key"
        rowName="Key"
        {...costsOf(
          byKey.data.map(({ key_id: id, cost_eur: value }) => ({ date: null, group: rowOfKey(id, keyOf(id)), value })),
          (id) => keyOf(id)?.name ?? id,
        )}
        link={({ id, name }) => (
          <a
            href={inOrganisation(
              `/app/keys?${id === TEMPORARY_KEYS ? 'status=temporary' : `id=${encodeURIComponent(id)}`}`,
            )}
          >
            {name}
          </a>
        )}
      />
    </Pair>
  )
}

/** The rows of costs, and how all of them are shown. @param nameOf of a group */
function costsOf(rows: readonly GroupRow[], nameOf: (group: string) => string = String) {
  const costs = sumsByGroup(rows).filter(({ value }) => value > 0)
  return {
    valueName: 'Cost',
    rows: costs.map(({ name: id, value }) => ({ id, name: nameOf(id), value })),
    format: euroColumn(costs.reduce((sum, { value }) => sum + value, 0)),
  }
}
