// Past approvals: what was decided, by whom and when, and what followed. The filter is in the URL.
import type { ComponentChildren } from 'preact'
import type { ShownPolicyVersion } from '../../../management/policies/policies.schema.ts'
import type { NamedApproval } from '../../../organisation/approvals/approval-response.schema.ts'
import type { List } from '../../../platform/pagination.schema.ts'
import { answered } from '../../api/send-request.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { RefusalNotice, Skeleton } from '../../parts/answer-notices.view.tsx'
import { Button } from '../../parts/button.view.tsx'
import { ParameterLink, useUrlParameters } from '../../parts/url-parameters.view.tsx'
import { formatNumber, plural } from '../../text/format.ts'
import { KeyName, type NameOf } from '../key-and-person-names.view.tsx'
import { callApi, hasPermission, useApiList } from '../session.ts'
import {
  approvalsGiven,
  decidersOf,
  DECISION_WORDS,
  exactText,
  PAST_STATES,
  STATES,
  type State,
} from './approval-words.ts'
import { StateBadge } from './state-badge.view.tsx'

type Props = {
  /** Names who made a version of the policy. */
  nameOf: NameOf
  /** The number of decisions made here. A change loads the list again. */
  made: number
  /** True: without a past request there is no list, not even an empty one. */
  isOnlyShownFilled: boolean
}

export function ApprovalHistory({ nameOf, made, isOnlyShownFilled }: Props) {
  const [address] = useUrlParameters()
  const state = PAST_STATES.find((one) => one === address.get('state')) ?? ''
  const listed = useApiList<NamedApproval>('/api/approvals', { state, limit: 20 }, [made])
  const rows = listed.rows.filter((approval) => approval.state !== 'pending')
  const versions = usePolicyVersions(rows.some((row) => row.state === 'withdrawn'))
  // A call runs for seconds: it is a filter only where an address names it.
  const states = PAST_STATES.filter((one) => one !== 'claimed' || state === 'claimed')
  const isEmpty = rows.length === 0 && state === ''
  if (isEmpty && isOnlyShownFilled) return null
  return (
    <section class="card parts" aria-labelledby="history">
      <div class="head">
        <h2 id="history">History</h2>
        {!isEmpty && (
          <div class="segments" role="group" aria-label="What followed">
            {['' as const, ...states].map((one) => (
              <ParameterLink key={one} change={{ state: one }} isCurrent={one === state}>
                {one === '' ? 'All' : (FILTERS[one] ?? STATES[one].words)}
              </ParameterLink>
            ))}
          </div>
        )}
      </div>
      {rows.length > 0 && <HistoryTable rows={rows} byOf={(row) => byOf(row, nameOf, versions)} />}
      {rows.length === 0 && listed.state === 'loading' && (
        <div class="body">
          <Skeleton lines={8} />
        </div>
      )}
      {listed.problem !== null && (
        <div class="body">
          <RefusalNotice problem={listed.problem} onRetry={rows.length === 0 ? listed.again : listed.more} />
        </div>
      )}
      {listed.state === 'ready' && (
        <div class="foot-line row between">
          <span role="status">
            {rows.length === 0 ? NOTHING[state === '' ? 'any' : 'filtered'] : countText(rows.length, listed.hasMore)}
          </span>
          {listed.hasMore && <Button onClick={listed.more}>Show more</Button>}
        </div>
      )}
    </section>
  )
}

const countText = (count: number, hasMore: boolean): string =>
  hasMore ? `${formatNumber(count)} shown` : plural(count, 'request')

/** An approved request has run or has not: no row is under both. */
const FILTERS: Readonly<Partial<Record<State, string>>> = { approved: 'May run', executed: 'Ran' }

const NOTHING = { any: 'No request has been decided yet.', filtered: 'There are none.' }

type TableProps = { rows: readonly NamedApproval[]; byOf: (row: NamedApproval) => ComponentChildren }

const HistoryTable = ({ rows, byOf: by }: TableProps) => (
  <div class="table folding past" role="region" aria-label="Past requests" tabIndex={0}>
    <table>
      <thead>
        <tr>
          <th scope="col">Asked (UTC)</th>
          <th scope="col">Decision</th>
          <th scope="col">Model</th>
          <th scope="col">Use case</th>
          <th scope="col" class="past-wide">
            Key
          </th>
          <th scope="col">By</th>
          <th scope="col">What followed</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.id}>
            <th scope="row">
              <ParameterLink class="cover" change={{ id: row.id }}>
                <Exact at={row.created_at} />
              </ParameterLink>
            </th>
            <td class="past-state">
              <StateBadge state={decisionOf(row)} />
            </td>
            <td class="nowrap">{row.model}</td>
            <td>{row.use_case ?? <span class="soft">none</span>}</td>
            <td class="past-wide">
              <KeyName id={row.key_id} name={row.key_name} />
            </td>
            <td>{by(row)}</td>
            <td class="soft">{followedOf(row)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

/** What was decided, whatever followed. */
function decisionOf(row: NamedApproval): State {
  const { state, approvals_required: required } = row
  const isApproved =
    state === 'executed' || state === 'claimed' || (state === 'expired' && approvalsGiven(row) >= required)
  return isApproved ? 'approved' : state
}

const Exact = ({ at }: { at: string }) => <time dateTime={at}>{exactText(at)}</time>

function byOf(row: NamedApproval, nameOf: NameOf, versions: readonly ShownPolicyVersion[]): ComponentChildren {
  const { decisions, state } = row
  const people = decisions.map(({ decision, decided_by: by, decided_at: at }) => (
    <div key={at + by}>
      {decidersOf(row)(by)}
      {decision === 'escalate' && `, ${DECISION_WORDS[decision].toLowerCase()}`}{' '}
      <span class="soft small">
        <Exact at={at} />
      </span>
    </div>
  ))
  if (state === 'withdrawn') return [...people, <div key="withdrawn">{withdrawnBy(row, nameOf, versions)}</div>]
  if (people.length > 0) return people
  return <span class="soft">Nobody decided in time</span>
}

/** A new version of the policy withdraws what waits; where there was none, it was the key. */
function withdrawnBy(row: NamedApproval, nameOf: NameOf, versions: readonly ShownPolicyVersion[]): string {
  const { ended_at: ended, policy_version: before } = row
  if (versions.length === 0 || ended === null) return 'The policy or the key changed'
  const cause = versions.findLast(({ version, created_at: at }) => version > before && at <= ended)
  return cause === undefined
    ? 'The key was revoked or ended'
    : `Policy version ${cause.version}, ${nameOf(cause.created_by)}`
}

function followedOf(row: NamedApproval): ComponentChildren {
  switch (row.state) {
    case 'executed':
      return row.ended_at === null ? (
        'Ran'
      ) : (
        <>
          Ran <Exact at={row.ended_at} />
        </>
      )
    case 'approved':
      return 'Waits for the program'
    case 'claimed':
      return 'Runs now'
    case 'expired':
      return approvalsGiven(row) >= row.approvals_required ? 'Not sent again in time' : 'Not run'
    case 'pending':
    case 'denied':
    case 'withdrawn':
      return 'Not run'
  }
}

const NO_VERSIONS: readonly ShownPolicyVersion[] = []

/** The versions of the policy, for people who may read them. @param isNeeded false: nothing is requested */
function usePolicyVersions(isNeeded: boolean): readonly ShownPolicyVersion[] {
  const isShown = isNeeded && hasPermission('policies:read')
  const [loaded] = useAnswer<List<ShownPolicyVersion> | null>(
    async (signal) =>
      isShown ? callApi('GET', '/api/policies/history', { query: { limit: 100 }, signal }) : answered(null),
    [isShown],
  )
  return loaded.state === 'answered' ? (loaded.body?.data ?? NO_VERSIONS) : NO_VERSIONS
}
