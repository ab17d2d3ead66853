// The analytics page: calls and their costs over time as charts, tables and files. Its filters are in the URL.
import { useMemo } from 'preact/hooks'
import { Button } from '../../parts/button.view.tsx'
import type { Problem } from '../../api/send-request.ts'
import { useAnswer, type Loaded } from '../../api/use-answer.ts'
import { changeUrlParameters, ParameterLink, useUrlParameters } from '../../parts/url-parameters.view.tsx'
import { RefusalNotice, Skeleton } from '../../parts/answer-notices.view.tsx'
import { Notice } from '../../parts/page-blocks.view.tsx'
import { plural, formatDay, formatShortDay } from '../../text/format.ts'
import { capitalised } from '../../text/reword-text.ts'
import { rowOfKey, useKeys, useLoadedNames, type Keys } from '../key-and-person-names.view.tsx'
import { openPage } from '../open-page.tsx'
import { AnalyticsFilters, DaysMenu } from './analytics-filters.view.tsx'
import {
  daysOf,
  isNarrowed,
  lastDays,
  PRESET_PERIODS,
  readUrlQuery,
  explainRefusedPeriod,
  type AnalyticsQuery,
  presetPeriodOf,
  toApiQuery,
} from './analytics-query.ts'
import { loadAnalytics, loadChoices, type AnalyticsCounts } from './load-analytics.ts'
import { makerOf, withRows } from './measured.ts'
import { UsageFigures } from './usage-figures.view.tsx'
import { Row } from '../../parts/layout.view.tsx'
import { FilterRow } from '../../parts/filter-row.view.tsx'
import { CsvHead } from '../frame/csv-head.view.tsx'
import { Segments } from '../../parts/surfaces.view.tsx'

function AnalyticsHead({ query }: { query: AnalyticsQuery }) {
  const path = query.show === 'cost' ? '/api/analytics/costs' : '/api/analytics/requests'
  return (
    <CsvHead lead={leadOf(query)} csv={daysOf(query) === null ? null : { path, query: toApiQuery(query) }}>
      <Periods query={query} />
    </CsvHead>
  )
}

/** Returns “24 Oct to 22 Nov 2026, UTC, against the 30 days before”. */
function leadOf(query: AnalyticsQuery): string {
  const days = daysOf(query)
  if (days === null) return 'Days in UTC, both included'
  const before = days === 1 ? 'day' : plural(days, 'day')
  const over = days === 1 ? formatDay(query.end) : `${formatShortDay(query.start)} to ${formatDay(query.end)}`
  return `${over}, UTC, against the ${before} before`
}

function Periods({ query }: { query: AnalyticsQuery }) {
  const now = Date.now()
  const chosen = presetPeriodOf(query, now)
  return (
    <Segments label="Period" isOffPaper>
      {PRESET_PERIODS.map((period) => (
        <button
          key={period.name}
          type="button"
          aria-pressed={period === chosen}
          onClick={() =>
            changeUrlParameters({ ...lastDays(period.days, now), bucket: period.bucket === 'day' ? '' : period.bucket })
          }
        >
          {period.name}
        </button>
      ))}
    </Segments>
  )
}

function Analytics() {
  const [members] = useUrlParameters()
  const query = readUrlQuery(members, Date.now())
  return daysOf(query) === null ? <DaysOutOfOrder query={query} /> : <Counted query={query} />
}

const LAST_30_DAYS = PRESET_PERIODS[1]

const DaysOutOfOrder = ({ query }: { query: AnalyticsQuery }) => (
  <>
    <AnalyticsHead query={query} />
    <FilterRow>
      <DaysMenu query={query} />
    </FilterRow>
    <Notice role="status" title="The first day is after the last one. Change one of them.">
      <p>
        <ParameterLink look="button" change={lastDays(LAST_30_DAYS.days, Date.now())}>
          The last {LAST_30_DAYS.name}
        </ParameterLink>
      </p>
    </Notice>
  </>
)

function Counted({ query }: { query: AnalyticsQuery }) {
  const keys = useKeys()
  const [choices] = useAnswer((signal) => loadChoices(query, signal), [query.start, query.end])
  const [loaded, again] = useAnswer((signal) => loadAnalytics(query, signal), [JSON.stringify(query)])
  const counts = loaded.state === 'answered' ? loaded.body : null
  // A choice is shown at once, and the figures are drawn again when they are counted.
  const figures = useMemo(() => counts && keys && <Figures counts={counts} keys={keys} />, [counts, keys])
  if (loaded.state === 'refused' && loaded.problem.code === 'tier_required')
    return <RefusalNotice problem={loaded.problem} />
  if (loaded.state === 'loading' || choices.state === 'loading' || keys === null)
    return (
      <>
        <AnalyticsHead query={query} />
        <Skeleton lines={60} />
      </>
    )
  const isOld = loaded.state === 'answered' && JSON.stringify(loaded.body.query) !== JSON.stringify(query)
  return (
    <>
      <AnalyticsHead query={query} />
      {hasNothing(loaded, query) ? (
        <FilterRow>
          <DaysMenu query={query} />
        </FilterRow>
      ) : (
        <AnalyticsFilters
          query={query}
          choices={choices.state === 'answered' ? choices.body : null}
          keyNames={[...keys].map(([id, { name }]) => [id, name])}
          isCounting={isOld}
          status={isOld ? 'Counting what you have chosen now…' : statusOf(loaded)}
        />
      )}
      {loaded.state === 'refused' ? <NotCounted query={query} problem={loaded.problem} onRetry={again} /> : figures}
    </>
  )
}

function Figures({ counts, keys }: { counts: AnalyticsCounts; keys: Keys }) {
  if (counts.query.group === 'member') return <ByMember counts={counts} keys={keys} />
  const joined = withRows(counts, (id) => rowOfKey(id, keys.get(id)))
  return <UsageFigures counts={joined} nameOf={(id) => keys.get(id)?.name ?? id} />
}

/** The names of members are loaded for it alone. */
function ByMember({ counts, keys }: { counts: AnalyticsCounts; keys: Keys }) {
  const nameOf = useLoadedNames()
  if (nameOf === null) return <Skeleton lines={60} />
  const shown = (id: string): string => (nameOf(id) === id ? id : capitalised(nameOf(id)))
  return <UsageFigures counts={withRows(counts, (id) => makerOf(id, keys))} nameOf={shown} />
}

/** True if these days have no call at all: there is nothing to narrow. */
const hasNothing = (loaded: Loaded<AnalyticsCounts>, query: AnalyticsQuery): boolean =>
  !isNarrowed(query) && loaded.state === 'answered' && loaded.body.requests.totals.requests === 0

const statusOf = (loaded: Loaded<AnalyticsCounts>): string =>
  loaded.state === 'answered' ? plural(loaded.body.requests.totals.requests, 'call') : ''

/** Says why the service refused the period, and how to change it. The notice looks calm, because nothing has failed. */
function NotCounted({ query, problem, onRetry }: { query: AnalyticsQuery; problem: Problem; onRetry: () => void }) {
  const why = explainRefusedPeriod(problem, query)
  if (why === null) return <RefusalNotice problem={problem} onRetry={onRetry} />
  return (
    <Notice role="status" title={why.words}>
      <Row as="p">
        {why.isLessByMonth && <Button onClick={() => changeUrlParameters({ bucket: 'month' })}>Add up by month</Button>}
        <Button onClick={() => changeUrlParameters(lastDays(LAST_30_DAYS.days, Date.now()))}>
          The last {LAST_30_DAYS.name}
        </Button>
      </Row>
    </Notice>
  )
}

await openPage('/app/analytics', Analytics)
