// Keys page: how a key is used, in tiles and as its latest calls.
import { countIn } from '../../../evidence/records/call-endings.ts'
import type { Key } from '../../../keys/key.schema.ts'
import type { Call } from '../../../management/calls/calls.schema.ts'
import { monthBudgetOf } from '../../../policies/rules/budget-guard.words.ts'
import { Urgent } from '../../parts/layout.view.tsx'
import { CardBody, HeadedCard, SmallLink } from '../../parts/surfaces.view.tsx'
import { Tile, Tiles } from '../../parts/tile.view.tsx'
import { formatEuro, formatNumber, formatShortDay, plural } from '../../text/format.ts'
import { LatestCalls as CallsOfKey } from '../calls/latest-calls.view.tsx'
import { inOrganisation, seesAllCalls } from '../session.ts'
import { BudgetUse, dayOf, daysBetween, daysUnused, isToday, timeOf } from './key-labels.tsx'
import { monthName, type KeyUse } from './load-keys.ts'

export const callPath = (id: string): string => inOrganisation(`/app/calls?id=${encodeURIComponent(id)}`)

export function KeyTiles({ of, use }: { of: Key; use: KeyUse }) {
  const { days, month, policy, calls } = use
  const budget = monthBudgetOf(policy.document.budget_guard, of.id)
  const callsPath = inOrganisation(`/app/calls?key=${of.id}`)
  return (
    <Tiles label="Use of the key">
      {days === null && calls !== null && (
        <Tile name="Calls, 7 days" value={formatNumber(calls.length)}>
          of the last 50 of all keys
        </Tile>
      )}
      {days !== null && (
        <Tile
          name="Calls, 30 days"
          value={formatNumber(days.totals.requests)}
          {...(seesAllCalls() && { href: callsPath })}
        >
          {formatNumber(countIn(days.totals, 'passed'))} passed, {formatNumber(days.totals.held)} held
        </Tile>
      )}
      {month !== null && (
        <Tile
          name={`Cost in ${monthName()}`}
          value={formatEuro(month.totals.cost_eur)}
          href={inOrganisation(`/app/analytics?key=${of.id}`)}
        >
          {budget === null ? 'No budget of its own' : <BudgetUse cost={month.totals.cost_eur} budget={budget} />}
        </Tile>
      )}
      <LastUse of={of} />
      {use.figures != null && <BusiestTile of={use.figures.busiest_hour} />}
    </Tiles>
  )
}

function LastUse({ of }: { of: Key }) {
  const { last_used_at: at } = of
  if (at === null) {
    return (
      <Tile name="Last used (UTC)" value="Never">
        Made {dayOf(of.created_at)}
      </Tile>
    )
  }
  const unused = daysUnused(of)
  const ago = plural(Math.max(1, daysBetween(Date.parse(at), Date.now())), 'day')
  const when = `${timeOf(at)}, ${isToday(at) ? 'today' : `${ago} ago`}`
  return (
    <Tile name="Last used (UTC)" value={formatShortDay(at.slice(0, 'YYYY-MM-DD'.length))}>
      {unused === null ? when : <Urgent>{when}</Urgent>}
    </Tile>
  )
}

/** The hour with the most calls, of the last 30 days: what a limit of calls a minute is chosen by. */
function BusiestTile({ of }: { of: NonNullable<KeyUse['figures']>['busiest_hour'] }) {
  if (of === null) return null
  const { start, requests } = of
  const day = formatShortDay(start.slice(0, 'YYYY-MM-DD'.length))
  return (
    <Tile name="Busiest hour" value={formatNumber(requests)}>
      {requests === 1 ? 'call' : 'calls'}, {day}, {timeOf(start)} UTC
    </Tile>
  )
}

const SHOWN = 5

/** The latest calls, each with its exact time. */
export function LatestCalls({ of, calls }: { of: Key; calls: readonly Call[] }) {
  const isWhole = seesAllCalls()
  return (
    <HeadedCard
      title="Latest calls"
      act={
        isWhole &&
        calls.length > 0 && <SmallLink href={inOrganisation(`/app/calls?key=${of.id}`)}>See all its calls</SmallLink>
      }
      isList
    >
      <CallsOfKey
        label="Latest calls of the key"
        calls={calls.slice(0, SHOWN)}
        empty={
          <CardBody as="p" tone="soft">
            {isWhole ? 'No call in 30 days.' : 'None among the last 50 calls of 7 days.'}
          </CardBody>
        }
      />
    </HeadedCard>
  )
}
