// The approvals page: the oldest waiting request, open, the others beside it to choose from, and the history below. The URL can name
// one request.
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { NamedApproval } from '../../../organisation/approvals/approval-response.schema.ts'
import type { List } from '../../../platform/pagination.schema.ts'
import { useLastAnswer } from '../../api/use-answer.ts'
import { RefusalNotice, Skeleton } from '../../parts/answer-notices.view.tsx'
import { FromTo, Person } from '../../parts/faces.view.tsx'
import { key, people as peopleSign, arrow, back, lock } from '../../parts/icons.ts'
import { ListAndOpen, Note, Row } from '../../parts/layout.view.tsx'
import { ButtonLink, EmptyNotice, PartsCard, PlainList } from '../../parts/surfaces.view.tsx'
import { useNow, isLocalChosen } from '../../parts/times.view.tsx'
import { changeUrlParameters, useUrlParameters } from '../../parts/url-parameters.view.tsx'
import { formatTimeLeft, plural, dayOfTime, formatShortDay, formatTime } from '../../text/format.ts'
import { ruleName } from '../../text/rule-names.ts'
import { showPendingCount } from '../frame/frame.view.tsx'
import { PageHead } from '../frame/page-head.view.tsx'
import { useLoadedPeople } from '../key-and-person-names.view.tsx'
import { openPage } from '../open-page.tsx'
import { Lacking } from '../frame/lacking.view.tsx'
import { hasPermission, hasTierFeature, inOrganisation, useApi } from '../session.ts'
import { ApprovalHistory } from './approval-history.view.tsx'
import { whyCannotDecide, type Approval, isOwn, keyNameOf, shortHashOf, STATES, titleOf } from './approval-words.ts'
import type { RecordedDecision } from './decide-request.view.tsx'
import { RequestCard } from './request-card.view.tsx'
import { SignButton } from '../../parts/button.view.tsx'
import { LinkRow } from '../../parts/link-row.view.tsx'
import { ListOrSteps } from '../../parts/side-list.view.tsx'
import { Badge } from '../../parts/badge.view.tsx'
import { StateBadge, TimeLeftBadge, TimeLeftText } from './state-badge.view.tsx'

const WHAT_IT_IS = 'Requests that your policy holds until a person has decided.'

/** The most requests that can wait at once. */
const MOST_WAITING = 100

function Approvals() {
  const [address] = useUrlParameters()
  const people = useLoadedPeople()
  const [own, setOwn] = useState<RecordedDecision | null>(null)
  const [made, setMade] = useState(0)
  const visits = useVisits()
  const query = { state: 'pending', limit: MOST_WAITING }
  const [loaded, again] = useLastAnswer(useApi<List<NamedApproval>>('/api/approvals', query, [made, visits]))

  // The request that is open stays open while the list is read again: nobody decides about another one by chance.
  const shown = useRef('')

  // The page shows everything at once, because late parts would push the others down.
  if (people === null || loaded.state === 'loading') return <Skeleton lines={36} />
  if (loaded.state === 'refused') return <RefusalNotice problem={loaded.problem} onRetry={again} />

  const changed = (): void => {
    setMade((times) => times + 1)
    void showPendingCount()
  }
  const decided = (decision: RecordedDecision): void => {
    setOwn(decision)
    // The oldest that waits is another one now, and this one stays open.
    changeUrlParameters({ id: decision.decided.id })
    changed()
  }
  const waiting = loaded.body.data.toSorted((a, b) => a.created_at.localeCompare(b.created_at))
  const mayDecide = waiting.filter((approval) => whyCannotDecide(approval) === null)
  const chosen = address.get('id') ?? ''
  const open = chosen || shown.current || (waiting[0]?.id ?? '')
  shown.current = open
  const hasTier = hasTierFeature('human_approval')
  const others = mayDecide.filter(({ id }) => id !== open)
  return (
    <>
      <PageHead lead={open === '' && !hasTier ? WHAT_IT_IS : <Lead waiting={waiting} mayDecide={mayDecide.length} />} />
      {open === '' ? (
        <NothingWaits />
      ) : (
        <ListAndOpen>
          <WaitingRequests of={withOwn(waiting, own, open)} open={open} />
          <RequestCard
            key={open}
            id={open}
            people={people}
            isChosen={open !== waiting[0]?.id}
            made={made + visits}
            own={own?.decided.id === open ? own : null}
            next={{ id: others[0]?.id ?? null, count: others.length }}
            onDecided={decided}
            onTooLate={changed}
          />
        </ListAndOpen>
      )}
      <ApprovalHistory nameOf={people.nameOf} made={made} isOnlyShownFilled={!hasTier} />
    </>
  )
}

/** Counts the returns to the page. Other people decide too, so each loads the list again. */
function useVisits(): number {
  const [visits, setVisits] = useState(0)
  useLayoutEffect(() => {
    const look = (): void => {
      if (document.visibilityState === 'visible') setVisits((times) => times + 1)
    }
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [])
  return visits
}

/** What was decided just now stays in the list, with its state, for as long as it is open. */
function withOwn(waiting: readonly NamedApproval[], own: RecordedDecision | null, open: string): readonly Approval[] {
  if (own === null || own.decided.id !== open || waiting.some(({ id }) => id === open)) return waiting
  return [...waiting, own.decided].toSorted((a, b) => a.created_at.localeCompare(b.created_at))
}

function Lead({ waiting, mayDecide }: { waiting: readonly NamedApproval[]; mayDecide: number }) {
  const now = useNow()
  const [oldest] = waiting
  if (oldest === undefined) return <>Nothing waits for a decision.</>
  const left = Date.parse(oldest.expires_at) - now
  return (
    <>
      {plural(waiting.length, 'request waits', 'requests wait')}.{whoDecides(waiting.length, mayDecide)}{' '}
      {left > 0 ? `The oldest expires in ${formatTimeLeft(left)}.` : 'The time of the oldest is over.'}
    </>
  )
}

function whoDecides(waiting: number, mayDecide: number): string {
  // Why this person decides none of them is said beside each.
  if (mayDecide === 0) return ''
  if (waiting === 1) return ' You may decide it.'
  return mayDecide === waiting ? ' You may decide all.' : ` You may decide ${mayDecide}; another person the others.`
}

function NothingWaits() {
  if (!hasTierFeature('human_approval')) return <Lacking feature="human_approval" />
  return (
    <EmptyNotice
      title="Nothing waits"
      action={
        <>
          <FromTo
            from={<Person name={null} icon={key} called="A program" children="asks with its key" />}
            to={<Person name={null} icon={peopleSign} called="Another person" children="compares and decides" />}
          />
          {hasPermission('policies:change') && (
            <ButtonLink href={inOrganisation('/app/policies#human_approval')}>Say what needs approval</ButtonLink>
          )}
        </>
      }
    >
      The rule “{ruleName('human_approval')}” of your policy names requests. They wait here, and no provider sees them
      before a person has approved them.
    </EmptyNotice>
  )
}

const LABEL = 'Waiting requests'

type Props = { of: readonly Approval[]; open: string }

const WaitingRequests = (given: Props) => (
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
      <code>{shortHashOf(of)}</code>
    </Note>
  </>
)

function Sign({ of }: { of: Approval }) {
  if (of.state !== 'pending') return <StateBadge state={of.state} />
  if (!isOwn(of)) return <TimeLeftBadge until={of.expires_at} />
  return <Badge icon={lock}>You made the key</Badge>
}

await openPage('/app/approvals', Approvals)
