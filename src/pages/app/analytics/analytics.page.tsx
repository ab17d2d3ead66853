// The analytics page: calls and their costs over time as charts, tables and files. Its filters are in the URL.
import { Button } from '../../parts/button.view.tsx'
import type { Problem } from '../../api/call.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { changeAddress, useAddress } from '../../parts/address.view.tsx'
import { Refusal, Skeleton } from '../../parts/notices.view.tsx'
import { openPage } from '../open-page.tsx'
import { lastDays, RANGES, readAddress, whyNotCounted, type AnalyticsQuery } from './query.ts'
import { Counted } from './counted.view.tsx'
import { Filters } from './filters.view.tsx'
import { loadAnalytics, loadChoices } from './load-analytics.ts'
import { Notice } from '../../parts/blocks.view.tsx'

function Analytics() {
  const [members] = useAddress()
  const query = readAddress(members, Date.now())
  const [choices] = useAnswer((signal) => loadChoices(query, signal), [query.start, query.end])
  const [loaded, again] = useAnswer((signal) => loadAnalytics(query, signal), [JSON.stringify(query)])
  if (loaded.state === 'loading' || choices.state === 'loading') return <Skeleton lines={45} />
  if (loaded.state === 'refused' && loaded.problem.code === 'tier_required') return <Refusal problem={loaded.problem} />
  return (
    <>
      <Filters query={query} choices={choices.state === 'answered' ? choices.body : null} />
      {loaded.state === 'refused' ? (
        <NotCounted query={query} problem={loaded.problem} onRetry={again} />
      ) : (
        <Counted
          counts={loaded.body}
          isOld={JSON.stringify(loaded.body.query) !== JSON.stringify(query)}
          keys={choices.state === 'answered' ? choices.body.keys : []}
        />
      )}
    </>
  )
}

/** Says that the query has too many rows, and how to narrow it. It looks calm, because nothing has failed. */
function NotCounted({ query, problem, onRetry }: { query: AnalyticsQuery; problem: Problem; onRetry: () => void }) {
  const why = whyNotCounted(problem, query)
  if (why === null) return <Refusal problem={problem} onRetry={onRetry} />
  return (
    <Notice role="status" title={why.words}>
      <p class="row">
        {why.isLessByMonth && <Button onClick={() => changeAddress({ bucket: 'month' })}>Add up by month</Button>}
        <Button onClick={() => changeAddress(lastDays(RANGES[1].days, Date.now()))}>The last {RANGES[1].name}</Button>
      </p>
    </Notice>
  )
}

await openPage('/app/analytics', Analytics)
