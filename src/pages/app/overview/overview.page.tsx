// The first page of the dashboard: figures of the last 30 days, the requests that wait for approval, and the first steps.
import type { Key } from '../../../keys/key.schema.ts'
import type { Call } from '../../../management/calls/calls.schema.ts'
import { RECENT_CALLS, tiersWith } from '../../../policies/tier.policy.ts'
import type { ShownApproval } from '../../../organisation/approvals/approval-response.schema.ts'
import type { List } from '../../../platform/pagination.schema.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { Answered } from '../../parts/answer-notices.view.tsx'
import { figures, Table } from '../../parts/table.view.tsx'
import { Moment } from '../../parts/times.view.tsx'
import { formatEuro, plural } from '../../text/format.ts'
import { OutcomeBadge } from '../../parts/outcome-badge.view.tsx'
import { openPage } from '../open-page.tsx'
import { inOrganisation } from '../session.ts'
import { OverviewFigures, keyName } from './overview-figures.view.tsx'
import { FirstSteps } from './first-steps.view.tsx'
import { loadOverview, type OverviewData } from './load-overview.ts'
import { Section } from '../../parts/page-blocks.view.tsx'

function Overview() {
  const answer = useAnswer(loadOverview, [])
  return (
    <Answered answer={answer} lines={30}>
      {(seen) => <OverviewParts seen={seen} />}
    </Answered>
  )
}

function OverviewParts({ seen }: { seen: OverviewData }) {
  const { figures: counted, calls, waiting, keys } = seen
  return (
    <>
      <FirstSteps seen={seen} />
      {waiting !== null && <PendingApprovals waiting={waiting} keys={keys} />}
      {calls !== null && <LastCalls calls={calls} keys={keys} />}
      {counted !== null && <OverviewFigures figures={counted} keys={keys} />}
      {counted === null && calls === null && (
        <p>
          What you can do here: look through <a href={inOrganisation('/app/calls')}>receipts</a>, and decide about{' '}
          <a href={inOrganisation('/app/approvals')}>what waits</a>.
        </p>
      )}
    </>
  )
}

/** Lists the last calls, in a tier without figures. */
const LastCalls = ({ calls: { data }, keys }: { calls: List<Call>; keys: List<Key> | null }) => (
  <Section title="Your last calls" isCard>
    <p class="soft">
      The last {RECENT_CALLS.most} calls of {RECENT_CALLS.days} days are at{' '}
      <a href={inOrganisation('/app/calls')}>Audit trail</a>. The tiers with analytics:{' '}
      {tiersWith('analytics').join(', ')}.
    </p>
    {data.length === 0 ? (
      <p>No call in the last {RECENT_CALLS.days} days.</p>
    ) : (
      <Table
        caption="Your last calls"
        isCaptionHidden
        columns={[
          {
            name: 'Decided',
            cell: ({ id, created_at: at }) => (
              <a href={inOrganisation(`/app/calls?id=${id}`)}>
                <Moment at={at} />
              </a>
            ),
          },
          { name: 'Outcome', cell: ({ outcome, ending }) => <OutcomeBadge outcome={outcome} ending={ending} /> },
          { name: 'Model', cell: ({ model }) => model },
          { name: 'Use case', cell: ({ use_case: name }) => name ?? 'none named' },
          { name: 'Key', cell: ({ key_id: id }) => (id === null ? null : keyName(id, keys)) },
          figures<Call>('Cost', ({ cost_eur: cost }) => cost !== null && formatEuro(cost)),
        ]}
        rows={data}
        keyOf={({ id }) => id}
      />
    )}
  </Section>
)

const SHOWN = 3

type Props = { waiting: List<ShownApproval>; keys: List<Key> | null }

/** Lists the requests that wait for approval, the oldest first. */
function PendingApprovals({ waiting: { data, has_more: hasMore }, keys }: Props) {
  if (data.length === 0) return null
  const oldest = data.toReversed().slice(0, SHOWN)
  return (
    <Section
      title={`${hasMore ? 'More than ' : ''}${plural(data.length, 'request waits', 'requests wait')} for a person`}
      isCard
    >
      <Table
        caption="Those that wait longest"
        isCaptionHidden
        columns={[
          {
            name: 'Asked',
            cell: ({ id, created_at: at }) => (
              <a href={inOrganisation(`/app/approvals?id=${id}`)}>
                <Moment at={at} />
              </a>
            ),
          },
          { name: 'Model', cell: ({ model }) => model },
          { name: 'Use case', cell: ({ use_case: name }) => name ?? 'none named' },
          { name: 'Key', cell: ({ key_id: id }) => keyName(id, keys) },
          { name: 'Can be decided until', cell: ({ expires_at: at }) => <Moment at={at} /> },
        ]}
        rows={oldest}
        keyOf={({ id }) => id}
      />
      <a class="button" href={inOrganisation('/app/approvals')}>
        See what waits
      </a>
    </Section>
  )
}

await openPage('/app', Overview)
