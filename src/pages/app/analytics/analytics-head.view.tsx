// The head of analytics: its days, and beside the heading the period and the file of what is shown.
import { useState } from 'preact/hooks'
import type { Problem } from '../../api/send-request.ts'
import { RefusalNotice } from '../../parts/answer-notices.view.tsx'
import { Button } from '../../parts/button.view.tsx'
import { Icon } from '../../parts/icon.view.tsx'
import { save } from '../../parts/icons.ts'
import { saveFile } from '../../parts/save-button.view.tsx'
import { changeUrlParameters } from '../../parts/url-parameters.view.tsx'
import { formatDay, formatShortDay, plural } from '../../text/format.ts'
import { PageHead } from '../frame/page-head.view.tsx'
import { fetchFile } from '../session.ts'
import { daysOf, lastDays, PRESET_PERIODS, presetPeriodOf, toApiQuery, type AnalyticsQuery } from './analytics-query.ts'

export function AnalyticsHead({ query }: { query: AnalyticsQuery }) {
  const [problem, setProblem] = useState<Problem | null>(null)
  const saveCsv = async (): Promise<void> => {
    const path = query.show === 'cost' ? '/api/analytics/costs' : '/api/analytics/requests'
    const answer = await fetchFile('GET', path, { query: { ...toApiQuery(query), format: 'csv' } })
    setProblem(answer.outcome === 'refused' ? answer.problem : null)
    if (answer.outcome === 'answered') saveFile(answer.body)
  }
  return (
    <>
      <PageHead lead={leadOf(query)}>
        <Periods query={query} />
        {daysOf(query) !== null && (
          <Button onClick={() => void saveCsv()}>
            <Icon of={save} />
            Save as CSV
          </Button>
        )}
      </PageHead>
      {problem !== null && <RefusalNotice problem={problem} />}
    </>
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
    <div class="segments no-print" role="group" aria-label="Period">
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
    </div>
  )
}
