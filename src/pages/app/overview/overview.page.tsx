// The first page of the dashboard: is all well, and what needs a person. Figures of some days with their change, how calls ended, the
// latest calls, costs. A new organisation has its first steps here, a tier without figures its own calls.
import { useMemo } from 'preact/hooks'
import { RECENT_CALLS, TIERS, tiersWith, type Feature } from '../../../policies/tier.policy.ts'
import type { Call } from '../../../management/calls/calls.schema.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { Answered } from '../../parts/answer-notices.view.tsx'
import { blocked as blockedIcon, lock } from '../../parts/icons.ts'
import { lazy } from '../../parts/lazy.view.tsx'
import { Tile, Tiles } from '../../parts/tile.view.tsx'
import { ParameterLink, useUrlParameters } from '../../parts/url-parameters.view.tsx'
import { formatDay, formatEuro, formatNumber, plural } from '../../text/format.ts'
import { tierName } from '../../text/id-labels.ts'
import { LatestCalls } from '../calls/latest-calls.view.tsx'
import { AskForTier } from '../frame/lacking.view.tsx'
import { PageHead } from '../frame/page-head.view.tsx'
import { openPage } from '../open-page.tsx'
import { hasPermission, hasTierFeature, inOrganisation, organisation, hasCounts } from '../session.ts'
import { PlaygroundLink } from '../playground-link.view.tsx'
import { NeedsAttention } from './attention.view.tsx'
import { FirstSteps, hasCalls, newLead } from './first-steps.view.tsx'
import { loadOverview, type Figures, type OverviewData } from './load-overview.ts'
import { CostBars, FigureTiles, OutcomeChart } from './overview-figures.view.tsx'
import {
  CardBody,
  HeadedCard,
  PlainList,
  SignRow,
  SmallLink,
  Segments,
  CardFoot,
  EmptyNotice,
} from '../../parts/surfaces.view.tsx'
import { MainAndSide, Stack, Row, Note } from '../../parts/layout.view.tsx'
import { dayFromToday } from '../../text/day.ts'

const UnreadableEntries = lazy(4, async () => (await import('../evidence/log-list.view.tsx')).UnreadableEntries)

const Deciding = lazy(30, async () => (await import('./deciding.view.tsx')).Deciding)

const PERIODS = [7, 30, 90]
const USUAL = 30

function Overview() {
  const [parameters] = useUrlParameters()
  const days = PERIODS.find((one) => String(one) === parameters.get('days')) ?? USUAL
  const answer = useAnswer((signal) => loadOverview(days, signal), [days])
  const [loaded] = answer
  const seen = loaded.state === 'answered' ? loaded.body : null
  // A choice of days is shown at once, and the parts are drawn again when what it asks for is there.
  const parts = useMemo(() => seen !== null && <Parts seen={seen} />, [seen])
  return (
    <>
      <Head days={days} seen={seen} />
      <Answered answer={answer} lines={40}>
        {() => parts}
      </Answered>
    </>
  )
}

/** @param seen null until it is loaded */
function Head({ days, seen }: { days: number; seen: OverviewData | null }) {
  const lead = seen === null ? null : newLead(seen)
  // The link is there from the beginning or comes in reserved room, so that nothing moves.
  if (lead !== null) {
    return (
      <PageHead lead={lead}>
        <PlaygroundLink />
      </PageHead>
    )
  }
  if (!hasCounts()) {
    return (
      <PageHead
        lead={
          hasPermission('usage:read')
            ? 'What needs you, and your latest calls.'
            : hasTierFeature('human_approval')
              ? 'What waits for you.'
              : 'Your tier has no approvals.'
        }
      >
        {hasPermission('keys:own') && <PlaygroundLink />}
      </PageHead>
    )
  }
  return (
    <PageHead
      lead={`${formatDay(dayFromToday(1 - days))} to ${formatDay(dayFromToday(0))}, UTC, against the ${days} days before`}
    >
      {seen === null || hasCalls(seen) ? (
        <Segments label="Period">
          {PERIODS.map((one) => (
            <ParameterLink key={one} change={{ days: one === USUAL ? '' : String(one) }} isCurrent={one === days}>
              {one} days
            </ParameterLink>
          ))}
        </Segments>
      ) : null}
    </PageHead>
  )
}

function Parts({ seen }: { seen: OverviewData }) {
  const { figures, calls } = seen
  if (figures !== null) return <Counted seen={seen} figures={figures} />
  const isNew = calls?.data.length === 0
  return (
    <>
      {!isNew && <FirstSteps seen={seen} />}
      {calls === null ? (
        <Deciding waiting={seen.waiting?.data ?? []} />
      ) : isNew ? (
        <MainAndSide>
          <FirstSteps seen={seen} />
          <NotInTier />
        </MainAndSide>
      ) : (
        <>
          <MainAndSide>
            <NeedsAttention seen={seen} />
            <RecentTiles calls={calls.data} />
            <Latest seen={seen} title="Your calls" />
          </MainAndSide>
          <NotInTier />
        </>
      )}
    </>
  )
}

function Counted({ seen, figures }: { seen: OverviewData; figures: Figures }) {
  const { requests } = figures
  const days = requests.data.length
  const isEmpty = requests.totals.requests === 0 && requests.in_flight === 0
  const hasFigures = !isEmpty || figures.byKey.previous_totals.requests > 0
  const needs = <NeedsAttention seen={seen} />
  const main = isEmpty ? (
    <FirstSteps seen={seen} instead={<NoCalls days={days} />} />
  ) : (
    <OutcomeChart requests={requests} days={days} />
  )
  return (
    <>
      {!isEmpty && <FirstSteps seen={seen} />}
      {requests.unreadable_entries > 0 && <UnreadableEntries count={requests.unreadable_entries} />}
      <MainAndSide>
        {hasFigures ? (
          <>
            {needs}
            <FigureTiles figures={figures} waiting={seen.waiting} days={days} />
            {main}
          </>
        ) : (
          <>
            {main}
            {needs}
          </>
        )}
      </MainAndSide>
      {!isEmpty && (
        <>
          <Latest seen={seen} title="Latest calls" />
          <CostBars figures={figures} keys={seen.keys} />
        </>
      )}
      <NotInTier />
    </>
  )
}

const NoCalls = ({ days }: { days: number }) => (
  <EmptyNotice
    title={`No calls in the last ${days} days`}
    action={
      hasPermission('keys:own') && (
        <Row as="p">
          <PlaygroundLink />
        </Row>
      )
    }
  >
    How many there were, how they ended and what they cost will be here.
  </EmptyNotice>
)

/** The figures of the calls that every tier lists. */
function RecentTiles({ calls }: { calls: readonly Call[] }) {
  const blocked = calls.filter(({ outcome }) => outcome === 'blocked').length
  const cost = calls.reduce((sum, call) => sum + (call.cost_eur ?? 0), 0)
  const signed = calls.filter(({ record }) => record !== null).length
  const most = calls.length === RECENT_CALLS.most ? ', the newest' : ''
  return (
    <Tiles label={`The last ${RECENT_CALLS.days} days`}>
      <Tile name="Calls" value={formatNumber(calls.length)} href={inOrganisation('/app/calls')}>
        in {RECENT_CALLS.days} days{most}
      </Tile>
      <Tile name="Cost" value={formatEuro(cost)}>
        of these calls
      </Tile>
      <Tile name="Blocked" icon={blockedIcon} value={formatNumber(blocked)}>
        refused before anything was sent
      </Tile>
      <Tile name="Signed records" value={formatNumber(signed)}>
        {signed === calls.length ? 'Every call has one' : `of ${plural(calls.length, 'call')}`}
      </Tile>
    </Tiles>
  )
}

const SHOWN = 10

const Latest = ({ seen: { calls }, title }: { seen: OverviewData; title: string }) => (
  <HeadedCard
    title={title}
    act={
      <SmallLink href={inOrganisation('/app/calls')}>
        {hasTierFeature('all_calls') ? 'See all calls' : `See ${RECENT_CALLS.days} days`}
      </SmallLink>
    }
    isList
  >
    <LatestCalls
      label={title}
      calls={(calls?.data ?? []).slice(0, SHOWN)}
      empty={
        <CardBody as="p" tone="soft">
          No call in the last {RECENT_CALLS.days} days.
        </CardBody>
      }
    />
  </HeadedCard>
)

/** Each with its page, which asks for the lowest tier that has it. */
const TIER_FEATURES: readonly (readonly [feature: Feature, name: string, what: string, path: string])[] = [
  ['analytics', 'Analytics', 'Compare periods, models and keys', '/app/analytics'],
  ['human_approval', 'Approvals', 'Hold a call until a second person agrees', '/app/approvals'],
  ['all_calls', 'All calls', 'Every call that is kept, with filters and proofs', '/app/calls'],
  ['bias_detection', 'Anomalies', 'What changed, and differences between groups', '/app/anomalies'],
  ['pdf_report', 'Reports', 'The compliance report as a PDF', '/app/compliance'],
]

/** The lowest tier with a feature: “from Starter on”. */
const fromText = (feature: Feature): string => {
  const [lowest] = tiersWith(feature)
  return lowest === undefined ? '' : `from ${tierName(lowest)} on`
}

/** Lists what the tier lacks in one card, with a way to ask for each higher tier. The card requests none of the lists that it names. */
function NotInTier() {
  const { tier } = organisation()
  const lacking = TIER_FEATURES.filter(([feature]) => !hasTierFeature(feature))
  const [whole] = tiersWith('bias_detection')
  if (lacking.length === 0 || whole === undefined) return null
  return (
    <HeadedCard id="not-in-tier" title={`Not in ${tierName(tier)}`} icon={lock} isList>
      <PlainList>
        {lacking.map(([feature, name, what, path]) => (
          <SignRow key={feature} title={<a href={inOrganisation(path)}>{name}</a>} about={what}>
            <Note isOneLine isAtEnd>
              {fromText(feature)}
            </Note>
          </SignRow>
        ))}
      </PlainList>
      <CardFoot>
        <Stack gap={2}>
          <p>{tierName(whole)} has all of them.</p>
          <AskForTier tiers={TIERS.slice(TIERS.indexOf(tier) + 1)} isEach />
        </Stack>
      </CardFoot>
    </HeadedCard>
  )
}

await openPage('/app', Overview)
