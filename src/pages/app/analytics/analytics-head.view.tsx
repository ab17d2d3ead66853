// The head of analytics: its days, and beside the heading the period and the file of what is shown.
import { changeUrlParameters } from '../../parts/url-parameters.view.tsx'
import { formatDay, formatShortDay, plural } from '../../text/format.ts'
import { CsvHead } from '../frame/csv-head.view.tsx'
import { daysOf, lastDays, PRESET_PERIODS, presetPeriodOf, toApiQuery, type AnalyticsQuery } from './analytics-query.ts'
import { Segments } from '../../parts/surfaces.view.tsx'

export function AnalyticsHead({ query }: { query: AnalyticsQuery }) {
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
