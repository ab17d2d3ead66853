// The waiting requests to choose from, the oldest first: a list, or in a narrow window a line. A request of an own key has a lock.
import { SignButton } from '../../parts/button.view.tsx'
import { arrow, back, lock } from '../../parts/icons.ts'
import { Note, Row } from '../../parts/layout.view.tsx'
import { LinkRow } from '../../parts/link-row.view.tsx'
import { ListOrSteps } from '../../parts/side-list.view.tsx'
import { PartsCard, PlainList } from '../../parts/surfaces.view.tsx'
import { Badge } from '../../parts/badge.view.tsx'
import { isLocalChosen } from '../../parts/times.view.tsx'
import { changeUrlParameters } from '../../parts/url-parameters.view.tsx'
import { dayOfTime, formatShortDay, formatTime } from '../../text/format.ts'
import { isOwn, keyNameOf, STATES, titleOf, type Approval } from './approval-words.ts'
import { StateBadge, TimeLeftBadge, TimeLeftText } from './state-badge.view.tsx'

/** So many digits of the hash tell equal requests apart. The whole hash is beside the list. */
const SHORT_HASH = 8

const LABEL = 'Waiting requests'

type Props = { of: readonly Approval[]; open: string }

export const WaitingRequests = (given: Props) => (
  <ListOrSteps
    list={<WaitingList {...given} />}
    steps={given.of.some(({ id }) => id !== given.open) && <WaitingSteps {...given} />}
  />
)

const WaitingList = ({ of, open }: Props) => (
  <PartsCard
    as="nav"
    label={LABEL}
    head={
      <>
        <h2>{STATES.pending.words}</h2>
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
          title={keyNameOf(approval)}
          about={<About of={approval} />}
        >
          <Sign of={approval} />
        </LinkRow>
      ))}
    </PlainList>
  </PartsCard>
)

/** The request before, the one after, and which one this is. */
function WaitingSteps({ of, open }: Props) {
  const at = of.findIndex(({ id }) => id === open)
  const step = (by: 1 | -1) => {
    const to = of[at + by]?.id
    const [icon, label] = by === 1 ? ([arrow, 'Next request'] as const) : ([back, 'Previous request'] as const)
    const onClick = (): void => {
      if (to !== undefined) changeUrlParameters({ id: to })
    }
    return <SignButton {...{ icon, label, onClick }} isFramed isDisabled={to === undefined} />
  }
  return (
    <Row as="nav" label={LABEL} isApart>
      {step(-1)}
      <Note isNumber>
        {STATES.pending.words}: {at < 0 ? of.length : `${at + 1} of ${of.length}`}
      </Note>
      {step(1)}
    </Row>
  )
}

/** A time in the zone that the person chose, without its year: “26 Nov, 08:22:22”. @param at ISO 8601 */
function exactText(at: string): string {
  const isLocal = isLocalChosen()
  return `${formatShortDay(dayOfTime(at, isLocal))}, ${formatTime(at, isLocal)}`
}

const About = ({ of }: { of: Approval }) => (
  <>
    {titleOf(of)}
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
