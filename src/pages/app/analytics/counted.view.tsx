// What was counted: the sums, charts of it, and every figure in tables.
import { useState } from 'preact/hooks'
import type { Key } from '../../../keys/key.schema.ts'
import type { Problem } from '../../api/call.ts'
import { inOrganisation, type Session } from '../../api/session.ts'
import { Empty } from '../../parts/empty.view.tsx'
import { Refusal } from '../../parts/refusal.view.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { formatEuro, formatNumber, plural } from '../../text/format.ts'
import { fileIn } from '../call-in.ts'
import { queryOf, type AskedFor } from './asked.ts'
import { NO_NAME } from './by-group.ts'
import { Charts } from './charts.view.tsx'
import type { Found } from './load-analytics.ts'
import { CostRows, RequestRows } from './rows.view.tsx'
import { Uncounted } from './uncounted.view.tsx'

type Given = {
  session: Session
  found: Found
  keys: readonly Key[]
  /** Whether something else is being counted by now. */
  isOld: boolean
}

export function Counted({ session, found, keys, isOld }: Given) {
  const { asked, requests, costs } = found
  const { totals, in_flight: inFlight } = requests
  const names = new Map(keys.map(({ id, name }) => [id, name]))
  const nameOf = (group: string | null): string => (group === null ? NO_NAME : (names.get(group) ?? group))
  const isCut = requests.next_cursor !== null || costs.next_cursor !== null
  return (
    <>
      <section class="stack" aria-label="Sums">
        <p role="status">
          <strong>{plural(totals.requests, 'call')}</strong>, {formatEuro(costs.totals.cost_eur)}
          {isOld && '. Counting what you have chosen now…'}
          {inFlight > 0 && `; ${plural(inFlight, 'more')} under way, in no figure yet`}
        </p>
        <p class="soft">
          Tokens: {formatNumber(totals.input_tokens)} in, {formatNumber(totals.cached_input_tokens)} of them from a
          provider’s cache, and {formatNumber(totals.output_tokens)} out. Refused calls would have cost{' '}
          {formatEuro(costs.totals.cost_prevented_eur)} for what they sent. The cost of{' '}
          {plural(costs.totals.cost_estimated_requests, 'call')} is estimated, since the provider did not say what it
          used.
        </p>
        <Files session={session} asked={asked} />
      </section>
      <Uncounted count={requests.unreadable_entries} />
      {isCut && (
        <p class="notice warn">
          There are more rows than a page shows. Take fewer days or add up by month; the CSV has all of them.
        </p>
      )}
      {totals.requests === 0 ? (
        <Empty
          title="No calls in these days"
          action={
            <a class="button" href={inOrganisation(session, '/app/analytics')}>
              The last 30 days, all calls
            </a>
          }
          line={`curl -s '${location.origin}/api/analytics/requests?start=${asked.start}&end=${asked.end}' -H "authorization: Bearer $MANAGEMENT_KEY"`}
        >
          How they ended and what they cost will be here.
        </Empty>
      ) : (
        <>
          <Charts found={found} nameOf={nameOf} />
          <RequestRows asked={asked} rows={requests.data} nameOf={nameOf} />
          <CostRows asked={asked} rows={costs.data} nameOf={nameOf} />
        </>
      )}
    </>
  )
}

const FILES = [
  ['Calls as CSV', '/api/analytics/requests'],
  ['Costs as CSV', '/api/analytics/costs'],
] as const

function Files({ session, asked }: { session: Session; asked: AskedFor }) {
  const [problem, setProblem] = useState<Problem | null>(null)
  const save = async (path: string): Promise<void> => {
    const answer = await fileIn(session, 'GET', path, { query: { ...queryOf(asked), format: 'csv' } })
    setProblem(answer.outcome === 'refused' ? answer.problem : null)
    if (answer.outcome === 'answered') saveFile(answer.body)
  }
  return (
    <>
      <p class="row no-print">
        {FILES.map(([name, path]) => (
          <button key={path} type="button" class="button" onClick={() => void save(path)}>
            {name}
          </button>
        ))}
      </p>
      {problem !== null && <Refusal problem={problem} />}
    </>
  )
}
