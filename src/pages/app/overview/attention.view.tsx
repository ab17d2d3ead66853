// Overview page: what needs a person, the most urgent first: requests that wait, a budget near its end, many failed calls, controls that
// fail, a disabled webhook, keys that end soon or never.
import type { ComponentChildren } from 'preact'
import type { Infer } from '../../../platform/once.ts'
import type { Key } from '../../../keys/key.schema.ts'
import type { ComplianceScoreSchema } from '../../../management/compliance/compliance.schema.ts'
import type { List } from '../../../platform/pagination.schema.ts'
import { answered } from '../../api/send-request.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { blocked, chart, check, held, key as keyIcon, pulse, type IconPaths } from '../../parts/icons.ts'
import { TimeLeft } from '../../parts/times.view.tsx'
import { formatEuro, formatMonth, formatNumber, plural } from '../../text/format.ts'
import { dayFromToday } from '../../text/day.ts'
import { rolesWith } from '../../../accounts/access/roles.policy.ts'
import { listed } from '../../text/reword-text.ts'
import { controlsIn, problemOf, remedyOf } from '../compliance/control-words.ts'
import { daysLeft, daysUnused, endsIn, withDays } from '../keys/key-labels.tsx'
import { callApi, hasPermission, hasTierFeature, inOrganisation, organisation, seesAllCalls } from '../session.ts'
import { hasCalls } from './first-steps.view.tsx'
import { costOfMonth } from './forecast.ts'
import type { Figures, OverviewData } from './load-overview.ts'
import { Soft } from '../../parts/layout.view.tsx'
import { HeadedCard, PlainList, SignRow } from '../../parts/surfaces.view.tsx'

type Score = Infer<typeof ComplianceScoreSchema>

type Need = {
  id: string
  icon: IconPaths
  tone?: 'warn' | 'bad'
  title: string
  /** Absent while it is awaited. */
  href?: string
  text: ComponentChildren
}

export function NeedsAttention({ seen }: { seen: OverviewData }) {
  const { figures, waiting, keys, webhook } = seen
  // The checklist takes longer than the rest of the page, which does not wait for it.
  const isJudged = hasPermission('audit:read')
  const [score] = useAnswer<Score | null>(
    async (signal) => (isJudged ? callApi<Score>('GET', '/api/compliance/score', { signal }) : answered(null)),
    [],
  )
  const place = `judged-needs:${organisation().id}`
  const judged = score.state === 'answered' && score.body !== null ? judgedNeeds(score.body) : []
  if (score.state === 'answered') localStorage.setItem(place, String(judged.length))
  // Their room is kept from the start, as much as they took the last time, so that what is below does not move.
  const expected = Number(localStorage.getItem(place) ?? (hasCalls(seen) && hasTierFeature('bias_detection') ? 2 : 1))
  const awaited = Array.from({ length: isJudged && score.state === 'loading' ? expected : 0 }, (_, at): Need => ({
    id: `awaited ${at}`,
    icon: pulse,
    title: 'Looking at the controls…',
    text: 'What is recorded is compared with what should be',
  }))
  const needs = [
    waitingNeed(waiting),
    budgetNeed(figures),
    failedNeed(figures),
    ...judged,
    ...awaited,
    webhookNeed(webhook),
    ...keyNeeds(keys),
  ].filter((need) => need !== null)
  return (
    <HeadedCard title="Needs attention" isBusy={score.state === 'loading'} isList>
      <PlainList>
        {needs.map(({ id, icon, tone, title, href, text }) => (
          <SignRow
            key={id}
            icon={icon}
            tone={tone}
            title={href === undefined ? <Soft>{title}</Soft> : <a href={inOrganisation(href)}>{title}</a>}
            about={text}
          />
        ))}
        {needs.length === 0 && score.state !== 'refused' && (
          <SignRow icon={check} title={<Soft>Nothing needs you.</Soft>} />
        )}
        {score.state === 'refused' && (
          <SignRow
            icon={blocked}
            title={
              <>
                The controls could not be looked at. <a href={inOrganisation('/app/compliance')}>Open Compliance</a>
              </>
            }
          />
        )}
      </PlainList>
    </HeadedCard>
  )
}

function waitingNeed(waiting: OverviewData['waiting']): Need | null {
  const oldest = waiting?.data.at(-1)
  if (waiting === null || oldest === undefined) return null
  const count = waiting.data.length
  return {
    id: 'waiting',
    icon: held,
    tone: 'warn',
    title: `${waiting.has_more ? 'More than ' : ''}${plural(count, 'request waits', 'requests wait')} for approval`,
    href: '/app/approvals',
    text: (
      <>
        {waiting.has_more ? 'One of them' : 'The oldest'} expires in <TimeLeft until={oldest.expires_at} />
      </>
    ),
  }
}

/** The share of a budget from which on a person is told. */
const MUCH = 0.8

function budgetNeed(figures: Figures | null): Need | null {
  const budget = figures?.daily.budget_eur ?? null
  if (figures === null || budget === null) return null
  const today = dayFromToday(0)
  const used = costOfMonth(figures.daily.data, today)
  if (used < MUCH * budget) return null
  const month = formatMonth(today.slice(0, 7)).split(' ')[0]
  const isUsedUp = used >= budget
  return {
    id: 'budget',
    icon: chart,
    tone: isUsedUp ? 'bad' : 'warn',
    title: isUsedUp ? `${month}’s budget is used up` : `More than 80% of ${month}’s budget is used`,
    href: '/app/settings?part=limits',
    text: `${formatEuro(used)} of ${formatEuro(budget)}. Raise it, or spend less`,
  }
}

const FEW_FAILED = 10

/** As the outcome Failed counts them. */
const failedIn = ({ failed, interrupted }: Figures['byKey']['totals']): number => failed + interrupted

/** Told where at least twice as many failed as in as many days before. */
function failedNeed(figures: Figures | null): Need | null {
  if (figures === null) return null
  const { start, totals, previous_totals: previous } = figures.byKey
  const [failed, before] = [failedIn(totals), failedIn(previous)]
  if (failed < FEW_FAILED || failed < 2 * before) return null
  return {
    id: 'failed',
    icon: blocked,
    tone: 'warn',
    title: 'More calls fail than before',
    href: seesAllCalls() ? `/app/calls?outcome=failed&from=${start}` : '/app/analytics',
    text: `${formatNumber(failed)} failed, ${formatNumber(before)} in the ${plural(figures.requests.data.length, 'day')} before`,
  }
}

const webhookNeed = (webhook: OverviewData['webhook']): Need | null =>
  webhook?.state !== 'disabled'
    ? null
    : {
        id: 'webhook',
        icon: blocked,
        tone: 'bad',
        title: 'The webhook is disabled',
        href: '/app/settings?part=webhook',
        text: 'Nothing is delivered until you set it again',
      }

const judgedNeeds = (score: Score): Need[] => [controlNeed(score), anomalyNeed(score)].filter((need) => need !== null)

function controlNeed(score: Score): Need | null {
  const failing = controlsIn(score, 'fail')
  // The line below has the anomalies, so this one names another problem.
  const first = (openAnomalies(score) > 0 && failing.find(({ id }) => id !== WATCHED)) || failing[0]
  if (first === undefined) return null
  const others = failing.length - 1
  return {
    id: 'controls',
    icon: blocked,
    tone: 'bad',
    href: '/app/compliance',
    ...(others === 0
      ? { title: problemOf(first), text: remedyOf(first) }
      : {
          title: plural(failing.length, 'control fails', 'controls fail'),
          text: `${problemOf(first)}, and ${others} more`,
        }),
  }
}

/** The control that says which anomalies nobody has explained. */
const WATCHED = 'M1'

/** Their number, from the evidence of the control: to look for anomalies anew would be an act of the log. */
function openAnomalies(score: Score): number {
  const open = score.controls.find(({ id }) => id === WATCHED)?.evidence.values?.['without_statement']
  if (!Array.isArray(open)) return 0
  // A long list ends with “and 3 more”.
  const [, more] = /^and (\d+) more$/.exec(open.at(-1) ?? '') ?? []
  return more === undefined ? open.length : open.length - 1 + Number(more)
}

function anomalyNeed(score: Score): Need | null {
  const count = openAnomalies(score)
  if (count === 0) return null
  return {
    id: 'anomalies',
    icon: pulse,
    title: plural(count, 'anomaly has no explanation', 'anomalies have no explanation'),
    href: '/app/anomalies',
    text: hasPermission('compliance:state')
      ? 'Say what was found, or that it was expected'
      : `For ${listed(rolesWith('compliance:state'))}`,
  }
}

const SOON = 7

function keyNeeds(keys: List<Key> | null): Need[] {
  const all = keys?.data ?? []
  const endless = all.filter(({ status, expires_at: end }) => status === 'active' && end === null)
  const ending = withDays(all, daysLeft)
    .filter(({ days }) => days < SOON)
    .toSorted((one, other) => one.days - other.days)
  const [soonest] = ending
  const [firstEndless] = endless
  const [longest] = withDays(endless, daysUnused).toSorted((one, other) => other.days - one.days)
  const needs: Need[] = []
  if (soonest !== undefined)
    needs.push({
      id: 'ending',
      icon: keyIcon,
      tone: 'warn',
      title: plural(ending.length, 'key ends within a week', 'keys end within a week'),
      href: ending.length === 1 ? `/app/keys?id=${soonest.key.id}` : '/app/keys',
      text: `${hasPermission('keys:own') ? 'Replace ' : ''}${soonest.key.name}, which ends ${endsIn(soonest.days)}`,
    })
  if (firstEndless !== undefined)
    needs.push({
      id: 'endless',
      icon: keyIcon,
      title: plural(endless.length, 'key never expires', 'keys never expire'),
      href: endless.length === 1 ? `/app/keys?id=${firstEndless.id}` : '/app/keys',
      text:
        longest === undefined
          ? namedFew(endless.map(({ name }) => name))
          : `${longest.key.name}, unused for ${plural(longest.days, 'day')}`,
    })
  return needs
}

const FEW = 2

/** Returns “Patient portal, Clinical coding and 3 more”. */
const namedFew = (names: readonly string[]): string =>
  names.length <= FEW + 1 ? listed(names) : listed([...names.slice(0, FEW), `${names.length - FEW} more`])
