// Keys page: the table of keys. A row opens its key; on a phone each row is a few lines.
import type { ComponentChildren } from 'preact'
import type { Key } from '../../../keys/key.schema.ts'
import { monthBudgetOf } from '../../../policies/rules/budget-guard.words.ts'
import { Meter } from '../../parts/tile.view.tsx'
import { ParameterLink } from '../../parts/url-parameters.view.tsx'
import { formatEuro, formatNumber, formatPercent } from '../../text/format.ts'
import {
  dayOf,
  daysLeft,
  daysUnused,
  endsIn,
  KeyStatusBadge,
  maskedKey,
  regionLimitOf,
  scopesOf,
  timeOf,
} from './key-labels.tsx'
import type { CountedKeys, KeyList } from './load-keys.ts'

type Props = {
  keys: readonly Key[]
  list: KeyList
  /** What the table lists, for screen readers. */
  label: string
  /** The line below the table. */
  children: ComponentChildren
}

export function KeyTable({ keys, list: { policy, counted }, label, children }: Props) {
  const budgets = new Map(keys.map(({ id }) => [id, monthBudgetOf(policy.document.budget_guard, id)]))
  const hasBudgets = [...budgets.values()].some((budget) => budget !== null)
  return (
    <div class="card parts">
      <div class="table key-rows" role="region" aria-label={label} tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">Key</th>
              <th scope="col" class="of-scope">
                Scope
              </th>
              {counted !== null && (
                <>
                  <th scope="col">Calls</th>
                  <th scope="col" class="number">
                    Cost
                  </th>
                  {hasBudgets && (
                    <th scope="col" class="of-budget">
                      Budget
                    </th>
                  )}
                </>
              )}
              <th scope="col">Last used (UTC)</th>
              <th scope="col">Expires</th>
            </tr>
          </thead>
          <tbody>
            {keys.map((key) => (
              <tr key={key.id}>
                <th scope="row">
                  <ParameterLink change={{ id: key.id, status: '' }}>{key.name}</ParameterLink>
                  <code>{maskedKey(key)}</code>
                  {key.evaluation && <span class="badge">For evaluation</span>}
                  {regionLimitOf(key) !== '' && <span class="soft small">{regionLimitOf(key)}</span>}
                </th>
                <td class="of-scope">
                  {key.scopes.includes('manage') ? <span class="badge">{scopesOf(key)}</span> : scopesOf(key)}
                </td>
                {counted !== null && (
                  <Counted of={key} counted={counted} hasBudgets={hasBudgets} budget={budgets.get(key.id) ?? null} />
                )}
                <td class="of-use">
                  <LastUse of={key} />
                </td>
                <td class="of-end">
                  <End of={key} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div class="foot-line">{children}</div>
    </div>
  )
}

type CountedProps = { of: Key; counted: CountedKeys; hasBudgets: boolean; budget: number | null }

function Counted({ of: { id, scopes }, counted, hasBudgets, budget }: CountedProps) {
  const cost = counted.month.get(id) ?? 0
  const callsModels = scopes.includes('chat')
  return (
    <>
      <td class="of-calls">
        <span>
          <DayBars counts={counted.days.get(id) ?? []} />
          {formatNumber(counted.figures.get(id)?.requests ?? 0)}
          <span class="only-read"> calls</span>
        </span>
      </td>
      <td class="number of-cost">{callsModels ? formatEuro(cost) : '–'}</td>
      {hasBudgets && (
        <td class="of-budget">
          {callsModels && budget !== null ? (
            <>
              <Meter share={budget === 0 ? 1 : cost / budget} />
              <span class="soft small">
                {budget === 0 ? '' : `${formatPercent(Math.round((cost / budget) * 100) / 100)} `}of{' '}
                {formatEuro(budget)}
              </span>
            </>
          ) : (
            <span class="soft small">{callsModels ? 'None of its own' : 'Calls no models'}</span>
          )}
        </td>
      )}
    </>
  )
}

const BAR = { step: 3, width: 2, height: 24 }
const DAYS = 30

/** Calls by day, each key on its own scale. Their sum stands beside in figures. */
function DayBars({ counts }: { counts: readonly number[] }) {
  const days = counts.length === 0 ? Array.from({ length: DAYS }, () => 0) : counts
  const most = Math.max(1, ...days)
  const path = days.map((count, at) => {
    const height = Math.max(1, Math.round((count / most) * BAR.height))
    return `M${at * BAR.step} ${BAR.height - height}h${BAR.width}v${height}h-${BAR.width}z`
  })
  return (
    <svg class="day-bars" viewBox={`0 0 ${days.length * BAR.step} ${BAR.height}`} aria-hidden="true">
      <path d={path.join('')} />
    </svg>
  )
}

function LastUse({ of }: { of: Key }) {
  const { last_used_at: at } = of
  if (at === null) return <span class="soft">Never</span>
  return (
    <time dateTime={at} class={daysUnused(of) === null ? undefined : 'needs'}>
      {dayOf(at)}, {timeOf(at)}
    </time>
  )
}

function End({ of }: { of: Key }) {
  const { status, expires_at: expires, revoked_at: revoked } = of
  const end = revoked ?? expires
  if (end === null) return <span class={status === 'active' ? 'never needs' : 'never'}>Never</span>
  const left = daysLeft(of)
  return (
    <>
      <time dateTime={end}>{dayOf(end)}</time> {left !== null && <span class="badge warn">{endsIn(left)}</span>}
      {(status !== 'active' || of.replaced_by !== null) && <KeyStatusBadge of={of} />}
    </>
  )
}
