// The waiting requests as a list to choose from, the oldest first. A request of an own key has a lock.
import { lock } from '../../parts/icons.ts'
import { Note } from '../../parts/layout.view.tsx'
import { LinkRow } from '../../parts/link-row.view.tsx'
import { PartsCard, PlainList } from '../../parts/surfaces.view.tsx'
import { Badge } from '../../parts/badge.view.tsx'
import { isLocalChosen } from '../../parts/times.view.tsx'
import { dayOfTime, formatShortDay, formatTime } from '../../text/format.ts'
import { isOwn, type Approval } from './approval-words.ts'
import { StateBadge, TimeLeftBadge, TimeLeftText } from './state-badge.view.tsx'

/** So many digits of the hash tell equal requests apart. The whole hash is beside the list. */
const SHORT_HASH = 8

type Props = { of: readonly Approval[]; open: string }

export const WaitingList = ({ of, open }: Props) => (
  <PartsCard
    as="nav"
    label="Waiting requests"
    head={
      <>
        <h2>Waiting</h2>
        <Note>{of.length === 0 ? 'Nothing waits' : 'Oldest first'}</Note>
      </>
    }
  >
    <PlainList>
      {of.map((approval) => (
        <LinkRow
          key={approval.id}
          to={{ id: approval.id }}
          isCurrent={approval.id === open}
          title={approval.model}
          about={<About of={approval} />}
        >
          <Sign of={approval} />
        </LinkRow>
      ))}
    </PlainList>
  </PartsCard>
)

/** A time in the zone that the person chose, without its year: “26 Nov, 08:22:22”. @param at ISO 8601 */
function exactText(at: string): string {
  const isLocal = isLocalChosen()
  return `${formatShortDay(dayOfTime(at, isLocal))}, ${formatTime(at, isLocal)}`
}

const About = ({ of }: { of: Approval }) => (
  <>
    {of.use_case ?? 'no use case'}
    <Note as="p">
      Asked <time dateTime={of.created_at}>{exactText(of.created_at)}</time>
      <br />
      {of.state === 'pending' && isOwn(of) && (
        <>
          <TimeLeftText until={of.expires_at} />,{' '}
        </>
      )}
      <code>{of.request_hash.slice(0, SHORT_HASH)}</code>
    </Note>
  </>
)

function Sign({ of }: { of: Approval }) {
  if (of.state !== 'pending') return <StateBadge state={of.state} />
  if (!isOwn(of)) return <TimeLeftBadge until={of.expires_at} />
  return <Badge icon={lock}>You made the key</Badge>
}
