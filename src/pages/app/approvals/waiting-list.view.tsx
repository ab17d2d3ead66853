// The waiting requests as a list to choose from, the oldest first. A request of an own key has a lock.
import { Icon } from '../../parts/icon.view.tsx'
import { lock } from '../../parts/icons.ts'
import { TimeLeft } from '../../parts/times.view.tsx'
import { ParameterLink } from '../../parts/url-parameters.view.tsx'
import { exactText, isOwn, type Approval } from './approval-words.ts'
import { StateBadge, TimeLeftBadge } from './state-badge.view.tsx'

/** So many digits of the hash tell equal requests apart. The whole hash is beside the list. */
const SHORT_HASH = 8

type Props = { of: readonly Approval[]; open: string }

export const WaitingList = ({ of, open }: Props) => (
  <nav class="card parts waiting" aria-label="Waiting requests">
    <div class="head">
      <h2>Waiting</h2>
      <span class="soft small">{of.length === 0 ? 'Nothing waits' : 'Oldest first'}</span>
    </div>
    <ol>
      {of.map((approval) => (
        <li key={approval.id}>
          <ParameterLink change={{ id: approval.id }} isCurrent={approval.id === open}>
            <b class="model-name">{approval.model}</b>
            <Sign of={approval} />
            <span>{approval.use_case ?? 'no use case'}</span>
            <span class="soft small">
              Asked <time dateTime={approval.created_at}>{exactText(approval.created_at)}</time>
            </span>
            <span class="soft small">
              {isWaitingOwn(approval) && <TimeLeftText until={approval.expires_at} />}
              <code>{approval.request_hash.slice(0, SHORT_HASH)}</code>
            </span>
          </ParameterLink>
        </li>
      ))}
    </ol>
  </nav>
)

const isWaitingOwn = (of: Approval): boolean => of.state === 'pending' && isOwn(of)

function Sign({ of }: { of: Approval }) {
  if (of.state !== 'pending') return <StateBadge state={of.state} />
  if (!isOwn(of)) return <TimeLeftBadge until={of.expires_at} />
  return (
    <span class="badge with-icon">
      <Icon of={lock} />
      You made the key
    </span>
  )
}

const TimeLeftText = ({ until }: { until: string }) => (
  <>
    <TimeLeft until={until} /> left,{' '}
  </>
)
