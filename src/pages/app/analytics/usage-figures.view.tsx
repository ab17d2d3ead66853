// Analytics page: shows the counts and costs of calls as figures, a chart with its table, times, and notes on how they were counted.
import { EmptyNotice, HeadedCard, Remark, ButtonLink } from '../../parts/surfaces.view.tsx'
import {
  formatCallCost,
  formatEuro,
  formatMilliseconds,
  formatNumber,
  formatPercent,
  plural,
} from '../../text/format.ts'
import { countIn } from '../../../evidence/records/call-endings.ts'
import { Delta, Tile, Tiles } from '../../parts/tile.view.tsx'
import { hasPermission, inOrganisation } from '../session.ts'
import { PlaygroundLink } from '../playground-link.view.tsx'
import { AnalyticsChart } from './analytics-charts.view.tsx'
import { isNarrowed, presetPeriodOf, type AnalyticsQuery } from './analytics-query.ts'
import { callsPath } from './calls-path.ts'
import { callsByWeekday, textOf, timeOf, type Figure } from './chart-data.ts'
import type { AnalyticsCounts, PeriodCounts } from './load-analytics.ts'
import { ResponseTimes } from './response-times.view.tsx'
import { NamedBars } from '../../charts/named-bars.view.tsx'
import { Facts } from '../../parts/page-blocks.view.tsx'
import { Note, Pair, Stack } from '../../parts/layout.view.tsx'
import { dayFromToday } from '../../text/day.ts'

export function UsageFigures({ counts, nameOf }: { counts: AnalyticsCounts; nameOf: (group: string) => string }) {
  const { query, requests, costs, previous, grouped } = counts
  const { unreadable_entries: uncounted } = requests
  const pointName = query.bucket === 'month' ? 'Month' : 'Day'
  const hasFigures = requests.totals.requests > 0 || (previous?.requests.totals.requests ?? 0) > 0
  const isCut = [requests, costs, grouped].some((list) => list !== null && list.next_cursor !== null)
  return (
    <>
      {hasFigures && <FigureTiles counts={counts} />}
      {uncounted > 0 && (
        <Remark tone="warn">
          {plural(uncounted, 'entry', 'entries')} of the log could not be read when calls were counted: what they told
          is in no figure here.
        </Remark>
      )}
      {isCut && (
        <Remark tone="warn">
          There are more rows than a page shows. Take fewer days or add up by month; the CSV has all of them.
        </Remark>
      )}
      {requests.totals.requests === 0 ? (
        <EmptyNotice title="No calls in these days" action={<WayOn query={query} />}>
          How they ended, what they cost and how long they took will be here.
        </EmptyNotice>
      ) : (
        <>
          <AnalyticsChart {...{ counts, nameOf, pointName }} />
          <ResponseTimes requests={requests} previous={previous?.requests ?? null} pointName={pointName} />
          <WeekAndCaches counts={counts} />
        </>
      )}
    </>
  )
}

/** From days without calls: to all calls of the last 30 days, or where those are shown, to a first call. */
function WayOn({ query }: { query: AnalyticsQuery }) {
  const isAll = presetPeriodOf(query, Date.now())?.name === '30 days' && !isNarrowed(query)
  if (!isAll)
    return (
      <p>
        <ButtonLink href={inOrganisation('/app/analytics')}>The last 30 days, all calls</ButtonLink>
      </p>
    )
  return hasPermission('keys:own') ? (
    <p>
      <PlaygroundLink />
    </p>
  ) : null
}

const partOf = (part: number, all: number): string => `${formatNumber(part)}, ${formatPercent(share(part, all) ?? 0)}`

/** On which weekdays the calls come, and how many were answered, or read, from what is stored. */
function WeekAndCaches({ counts }: { counts: AnalyticsCounts }) {
  const { data, totals } = counts.requests
  const weekdays = callsByWeekday(data, dayFromToday(0))
  return (
    <Pair>
      {weekdays.length > 0 && (
        <NamedBars
          title="Average calls by weekday (UTC)"
          rowName="Weekday"
          valueName="Average calls"
          rows={weekdays}
          link={({ name }) => name}
          format={(value) => formatNumber(Math.round(value * 10) / 10)}
        />
      )}
      <Stack gap={5}>
        <HeadedCard title="Reused answers and input">
          <Facts
            facts={[
              ['Passed calls with a stored answer, at no cost', partOf(totals.cached, countIn(totals, 'passed'))],
              ['Input tokens from a provider’s cache', partOf(totals.cached_input_tokens, totals.input_tokens)],
            ]}
          />
        </HeadedCard>
        <HowCounted counts={counts} />
      </Stack>
    </Pair>
  )
}

function HowCounted({ counts: { query, requests, costs } }: { counts: AnalyticsCounts }) {
  const { in_flight: inFlight } = requests
  const { cost_estimated_requests: estimated, cost_prevented_eur: prevented } = costs.totals
  return (
    <Note as="p">
      Counted from your log, exact when you opened the page.
      {query.group === 'member' && ' A member has the calls of the keys that they made, and of those that these made.'}
      {inFlight > 0 && ` ${plural(inFlight, 'call is', 'calls are')} still running and in no figure.`}
      {prevented >= 0.01 && ` Stopped calls would have cost ${formatEuro(prevented)} for what they sent.`}
      {estimated > 0 &&
        ` The cost of ${plural(estimated, 'call')} is estimated, because the provider did not say what it used.`}
    </Note>
  )
}

const share = (part: number, of: number): number | null => (of === 0 ? null : part / of)

/** Returns the five figures of a period. One that nothing was counted for is null. */
const figuresOf = ({ requests: { totals }, costs }: PeriodCounts) =>
  ({
    calls: { value: totals.requests, format: formatNumber },
    cost: { value: costs.totals.cost_eur, format: formatEuro },
    each: { value: share(costs.totals.cost_eur, countIn(totals, 'passed')), format: formatCallCost },
    median: timeOf(totals.response_ms, totals.response_ms?.p50 === null ? 'mean' : 'p50'),
    failed: { value: share(countIn(totals, 'failed'), totals.requests), format: formatPercent },
  }) satisfies Record<string, Figure>

function FigureTiles({ counts }: { counts: AnalyticsCounts }) {
  const { query, previous, requests } = counts
  const now = figuresOf(counts)
  const before = previous === null ? null : figuresOf(previous)
  const hasMedian = requests.totals.response_ms?.p50 !== null
  const tile = (name: string, of: keyof typeof now, href: string | null, by?: (difference: number) => string) => (
    <Tile key={of} name={name} value={textOf(now[of])} href={href}>
      {before !== null && <Change now={now[of]} before={before[of]} by={by} />}
    </Tile>
  )
  return (
    <Tiles label="Sums">
      {tile('Calls', 'calls', callsPath(query))}
      {tile('Cost', 'cost', null)}
      {tile('Cost of a passed call', 'each', null)}
      {tile(
        hasMedian ? 'Median time' : 'Average time',
        'median',
        now.median.value === null ? null : '#times',
        hasMedian ? (ms) => `about ${formatMilliseconds(ms)}` : formatMilliseconds,
      )}
      {tile('Failed', 'failed', callsPath(query, { outcome: 'failed' }), pointsText)}
    </Tiles>
  )
}

const pointsText = (difference: number): string => `${formatNumber(Math.round(difference * 1000) / 10)} points`

type ChangeProps = { now: Figure; before: Figure; by: ((difference: number) => string) | undefined }

function Change({ now, before, by }: ChangeProps) {
  if (before.value === null) return now.value === null ? null : <>None before</>
  if (now.value === null) return <>{textOf(before)} before</>
  if (now.isSame?.(now.value, before.value) === true) return <>About the same</>
  // So little was before that a percentage says nothing: then the difference itself is said.
  const isBeyondPercent = Math.abs(now.value - before.value) > 3 * before.value
  const words = by ?? (isBeyondPercent ? now.format : undefined)
  return <Delta now={now.value} before={before.value} format={now.format} from={textOf(before)} by={words} />
}
