// Two parts of the settings: the budget with what the tier sets, and when requests count as a loop.
import type { Costs } from '../analytics/chart-data.ts'
import { type Loaded } from '../../api/use-answer.ts'
import { Facts, Notice } from '../../parts/page-blocks.view.tsx'
import { Meter } from '../../parts/tile.view.tsx'
import { formatEuro, formatExactEuro, formatMonth, formatNumber, formatPercent } from '../../text/format.ts'
import { tierName } from '../../text/id-labels.ts'
import { inOrganisation, hasCounts, useCounts } from '../session.ts'
import { Part, type PartProps } from './part-frame.view.tsx'
import { SettingFields } from './setting-fields.view.tsx'
import { type Values } from './settings-members.ts'
import { Row, Text, Note, Urgent } from '../../parts/layout.view.tsx'
import { HeadedCard, SmallLink } from '../../parts/surfaces.view.tsx'

const MONTH = new Date().toISOString().slice(0, 7)

export function LimitsPart({ editing }: PartProps) {
  const [month] = useCounts<Costs>('costs', { start: `${MONTH}-01`, bucket: 'total' })
  return (
    <Part id="limits" more={<SetByTier settings={editing.settings} month={month} />}>
      <SettingFields
        part="limits"
        editing={editing}
        {...(hasCounts() && {
          beside: <MonthSoFar month={month} values={editing.values} settings={editing.settings} />,
        })}
      />
    </Part>
  )
}

type MonthProps = { month: Loaded<Costs | null>; values: Values; settings: Values }

/** What this month has cost, against the budget in force and the one that is typed. */
function MonthSoFar({ month, values, settings }: MonthProps) {
  const counted = month.state === 'answered' ? month.body : null
  const cost = counted?.totals.cost_eur ?? 0
  // The budget that counts is the lower one of policy and settings.
  const ofPolicy = counted?.budget_eur ?? null
  const isStricter =
    ofPolicy !== null && (settings.monthly_budget_eur === null || ofPolicy < settings.monthly_budget_eur)
  const inForce = isStricter ? ofPolicy : settings.monthly_budget_eur
  const given = values.monthly_budget_eur
  const typed = given === settings.monthly_budget_eur || (given !== null && given < 0) ? inForce : given
  const budgets = [...new Set([typed, inForce])].filter((one) => one !== null)
  const [first] = budgets
  return (
    <Notice
      title={
        <Row as="span" isApart>
          {formatMonth(MONTH)} so far, all keys
          <Text isNumber>{month.state === 'answered' ? formatEuro(cost) : '…'}</Text>
        </Row>
      }
    >
      {first !== undefined && <Meter share={shareOf(cost, first)} />}
      <Note as="p" isNumber>
        {month.state === 'refused'
          ? month.problem.message
          : budgets.length === 0
            ? 'No budget is set.'
            : budgets
                .map((budget) => `${formatPercent(shareOf(cost, budget))} of ${formatExactEuro(budget)}`)
                .join(', ')}
      </Note>
      {typed !== null && typed < cost && <Urgent>More is used already: calls that cost are refused at once.</Urgent>}
      {isStricter && (
        <Text as="p" size="small">
          The <a href={inOrganisation('/app/policies#budget_guard')}>policy</a> sets {formatExactEuro(ofPolicy)}: the
          lower budget counts.
        </Text>
      )}
    </Notice>
  )
}

const shareOf = (cost: number, budget: number): number => (budget === 0 ? 1 : cost / budget)

function SetByTier({ settings, month }: Omit<MonthProps, 'values'>) {
  const { limits, tier } = settings
  const requests = month.state === 'answered' ? month.body?.totals.requests : undefined
  return (
    <HeadedCard
      level={3}
      title="Set by your tier"
      note={tierName(tier)}
      act={<SmallLink href="/tiers">Compare tiers</SmallLink>}
    >
      <Facts
        facts={[
          ['Calls a minute', formatNumber(limits.requests_per_minute)],
          [
            'Calls a month',
            `${formatNumber(limits.requests_per_month)}${requests === undefined ? '' : `. ${formatNumber(requests)} in ${formatMonth(MONTH)}.`}`,
          ],
          ['Models', limits.models === 'all' ? 'All of the catalogue' : 'The cost-effective ones'],
        ]}
      />
    </HeadedCard>
  )
}

export const LoopsPart = ({ editing }: PartProps) => (
  <Part id="loops">
    <SettingFields part="loops" editing={editing} />
  </Part>
)
