// Overview page: the calls of the last 30 days, their cost, outcomes, models and keys.
import type { Key } from '../../../keys/key.schema.ts'
import type { List } from '../../../platform/pagination.schema.ts'
import { BarChart } from '../../charts/bar-chart.view.tsx'
import { NamedBars } from '../../charts/named-bars.view.tsx'
import { describeOverTime, describeShares } from '../../charts/describe-chart.ts'
import { EmptyNotice } from '../../parts/list-table.view.tsx'
import { formatEuro, formatNumber, formatPercent, plural } from '../../text/format.ts'
import { OUTCOME_MARKS, outcomeValues, pointOf, type Costs } from '../analytics/chart-data.ts'
import { UncountedNote } from '../analytics/usage-figures.view.tsx'
import { inOrganisation } from '../session.ts'
import type { Figures } from './load-overview.ts'
import type { ComponentChildren } from 'preact'

type Props = { figures: Figures; keys: List<Key> | null }

export function OverviewFigures({ figures: { requests, byModel, byKey }, keys }: Props) {
  const { totals, in_flight: inFlight } = requests
  if (totals.requests === 0 && inFlight === 0) {
    return (
      <EmptyNotice
        title="No calls in the last 30 days"
        line={`curl -s ${location.origin}/v1/chat/completions -H "authorization: Bearer $KEY" -H 'content-type: application/json' -d '{"model":"gpt-4.1-mini","messages":[{"role":"user","content":"Say hello."}]}'`}
        action={
          <a class="button" href={inOrganisation('/app/keys')}>
            Keys
          </a>
        }
      >
        How many there were, what they cost and how they ended will be here.
      </EmptyNotice>
    )
  }
  const points = requests.data.map((row) => pointOf(row.date, outcomeValues(row)))
  const share = (count: number): string =>
    totals.requests === 0 ? 'of none' : `${formatPercent(count / totals.requests)} of all`
  const models = named(byModel.data, ({ model }) => model)
  const byKeys = named(byKey.data, ({ key_id: id }) => id)
  const nameOf = (id: string): string => keyName(id, keys)
  return (
    <>
      <section aria-label="The last 30 days" class="columns narrow">
        <Figure name="Requests" value={formatNumber(totals.requests)}>
          in 30 days, {formatNumber(byKey.previous_totals.requests)} in the 30 before
          {inFlight > 0 && `, ${formatNumber(inFlight)} under way`}
        </Figure>
        <Figure name="Cost" value={formatEuro(byModel.totals.cost_eur)}>
          <BudgetLeft costs={byModel} />
        </Figure>
        <Figure name="Held" value={formatNumber(totals.held)}>
          {share(totals.held)}, {formatNumber(totals.awaiting_approval)} of them waiting
        </Figure>
        <Figure name="Blocked" value={formatNumber(totals.blocked)}>
          {share(totals.blocked)}
        </Figure>
        <Figure name="Suppressed" value={formatNumber(totals.suppressed)}>
          {share(totals.suppressed)}, as loops
        </Figure>
      </section>
      <UncountedNote count={requests.unreadable_entries} />
      <BarChart
        title="How calls ended"
        summary={describeOverTime({
          total: plural(totals.requests, 'call'),
          points,
          pointName: 'day',
          format: formatNumber,
        })}
        pointName="Day"
        marks={OUTCOME_MARKS}
        points={points}
        format={formatNumber}
      />
      <div class="columns">
        <NamedBars
          title="Cost by model"
          summary={describeShares({ rows: models, noun: 'model', format: formatEuro })}
          rowName="Model"
          valueName="Cost"
          rows={models.map(({ name, value }) => ({
            id: name,
            name: <a href={inOrganisation(`/app/analytics?model=${encodeURIComponent(name)}`)}>{name}</a>,
            value,
          }))}
          format={formatEuro}
        />
        <NamedBars
          title="Cost by key"
          summary={describeShares({
            rows: byKeys.map(({ name, value }) => ({ name: nameOf(name), value })),
            noun: 'key',
            format: formatEuro,
          })}
          rowName="Key"
          valueName="Cost"
          rows={byKeys.map(({ name, value }) => ({
            id: name,
            name: <a href={inOrganisation(`/app/keys?id=${encodeURIComponent(name)}`)}>{nameOf(name)}</a>,
            value,
          }))}
          format={formatEuro}
        />
      </div>
      <p>
        <a href={inOrganisation('/app/analytics')}>Other times, groups and figures: analytics</a>
      </p>
    </>
  )
}

function Figure({ name, value, children }: { name: string; value: string; children: ComponentChildren }) {
  return (
    <p class="card figure">
      {name} <b>{value}</b> <span class="soft small">{children}</span>
    </p>
  )
}

function BudgetLeft({ costs: { budget_eur: budget, budget_left_eur: left } }: { costs: Costs }) {
  if (budget === null || left === null) return <>in 30 days; no budget is set</>
  return (
    <>
      in 30 days; {formatEuro(left)} left of this month’s budget of {formatEuro(budget)}
    </>
  )
}

const named = <Row extends { cost_eur: number }>(rows: readonly Row[], nameOf: (row: Row) => string | null) =>
  rows
    .map((row) => ({ name: nameOf(row) ?? 'none named', value: row.cost_eur }))
    .toSorted((one, other) => other.value - one.value)

/** Returns the key's name, or its id if the name is not known or the person may not see keys. */
export const keyName = (id: string, keys: List<Key> | null): string =>
  keys?.data.find((key) => key.id === id)?.name ?? id
