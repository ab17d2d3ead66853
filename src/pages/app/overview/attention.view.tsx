// Overview page: what needs a person, the most urgent first: requests that wait, controls that fail, keys that end soon or never.
import type { ComponentChildren } from 'preact'
import type { Infer } from '../../../platform/once.ts'
import type { Key } from '../../../keys/key.schema.ts'
import type { ComplianceScoreSchema } from '../../../management/compliance/compliance.schema.ts'
import type { ShownApproval } from '../../../organisation/approvals/approval-response.schema.ts'
import type { List } from '../../../platform/pagination.schema.ts'
import { answered } from '../../api/send-request.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { blocked, check, held, key as keyIcon, pulse, type IconPaths } from '../../parts/icons.ts'
import { TimeLeft } from '../../parts/times.view.tsx'
import { plural } from '../../text/format.ts'
import { listed } from '../../text/reword-text.ts'
import { failingIn, problemOf } from '../compliance/control-words.ts'
import { daysLeft, daysUnused, endsIn } from '../keys/key-labels.tsx'
import { callApi, hasPermission, inOrganisation } from '../session.ts'
import { Soft } from '../../parts/layout.view.tsx'
import { HeadedCard, PlainList, SignRow } from '../../parts/surfaces.view.tsx'

type Score = Infer<typeof ComplianceScoreSchema>

type Need = {
  id: string
  icon: IconPaths
  tone?: 'warn' | 'bad'
  title: string
  href: string
  text: ComponentChildren
}

type Props = { waiting: List<ShownApproval> | null; keys: List<Key> | null }

export function NeedsAttention({ waiting, keys }: Props) {
  // The checklist takes longer than the rest of the page, which does not wait for it.
  const isJudged = hasPermission('audit:read')
  const [score] = useAnswer<Score | null>(
    async (signal) => (isJudged ? callApi<Score>('GET', '/api/compliance/score', { signal }) : answered(null)),
    [],
  )
  const judged = score.state === 'answered' ? score.body : null
  const needs = [waitingNeed(waiting), controlNeed(judged), anomalyNeed(judged), ...keyNeeds(keys)].filter(
    (need) => need !== null,
  )
  return (
    <HeadedCard title="Needs attention" isBusy={score.state === 'loading'} isList>
      <PlainList>
        {needs.map(({ id, icon, tone, title, href, text }) => (
          <SignRow key={id} icon={icon} tone={tone} title={<a href={inOrganisation(href)}>{title}</a>} about={text} />
        ))}
        {needs.length === 0 && score.state !== 'loading' && (
          <SignRow icon={check} title={<Soft>Nothing needs a person now.</Soft>} />
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

function waitingNeed(waiting: List<ShownApproval> | null): Need | null {
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
        The oldest expires in <TimeLeft until={oldest.expires_at} />
      </>
    ),
  }
}

function controlNeed(score: Score | null): Need | null {
  const failing = failingIn(score?.controls ?? [])
  // The line below has the anomalies, so this one names another problem.
  const first = (openAnomalies(score) > 0 && failing.find(({ id }) => id !== WATCHED)) || failing[0]
  if (first === undefined) return null
  const others = failing.length - 1
  return {
    id: 'controls',
    icon: blocked,
    tone: 'bad',
    title: plural(failing.length, 'control fails', 'controls fail'),
    href: '/app/compliance',
    text: others === 0 ? problemOf(first) : `${problemOf(first)}, and ${others} more`,
  }
}

/** The control that says which anomalies nobody has explained. */
const WATCHED = 'M1'

/** Their number, from the evidence of the control: to look for anomalies anew would be an act of the log. */
function openAnomalies(score: Score | null): number {
  const open = score?.controls.find(({ id }) => id === WATCHED)?.evidence.values?.['without_statement']
  if (!Array.isArray(open)) return 0
  // A long list ends with “and 3 more”.
  const [, more] = /^and (\d+) more$/.exec(open.at(-1) ?? '') ?? []
  return more === undefined ? open.length : open.length - 1 + Number(more)
}

function anomalyNeed(score: Score | null): Need | null {
  const count = openAnomalies(score)
  if (count === 0) return null
  return {
    id: 'anomalies',
    icon: pulse,
    title: plural(count, 'anomaly has no explanation', 'anomalies have no explanation'),
    href: '/app/anomalies',
    text: 'Say what was found, or that it was expected',
  }
}

function keyNeeds(keys: List<Key> | null): Need[] {
  const all = keys?.data ?? []
  const endless = all.filter(({ status, expires_at: end }) => status === 'active' && end === null)
  const ending = withDays(all, daysLeft).toSorted((one, other) => one.days - other.days)
  const [soonest] = ending
  const [firstEndless] = endless
  const [longest] = withDays(endless, daysUnused).toSorted((one, other) => other.days - one.days)
  const needs: Need[] = []
  if (soonest !== undefined)
    needs.push({
      id: 'ending',
      icon: keyIcon,
      title: plural(ending.length, 'key ends soon', 'keys end soon'),
      href: ending.length === 1 ? `/app/keys?id=${soonest.key.id}` : '/app/keys',
      text: `${soonest.key.name} ends ${endsIn(soonest.days)}`,
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

const withDays = (keys: readonly Key[], daysOf: (key: Key) => number | null): { key: Key; days: number }[] =>
  keys.flatMap((key) => {
    const days = daysOf(key)
    return days === null ? [] : [{ key, days }]
  })

const FEW = 2

/** Returns “Patient portal, Clinical coding and 3 more”. */
const namedFew = (names: readonly string[]): string =>
  names.length <= FEW + 1 ? listed(names) : listed([...names.slice(0, FEW), `${names.length - FEW} more`])
