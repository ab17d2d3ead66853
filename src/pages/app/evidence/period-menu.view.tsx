// The menu of the days that a list is about: a period by name, or a first and a last day. They are in the URL as `from` and `to`.
import { FilterMenu } from '../../parts/filter-menu.view.tsx'
import { Filters, type Filter } from '../../parts/filters.view.tsx'
import { Note } from '../../parts/layout.view.tsx'
import { Menu } from '../../parts/surfaces.view.tsx'
import { ParameterLink } from '../../parts/url-parameters.view.tsx'
import { dayFromToday, isoDay } from '../../text/day.ts'
import { formatNearDay } from '../../text/format.ts'
import { periodIn } from './log-list.view.tsx'

/** The first and the last day of the month that is so many months before this one. */
function monthBefore(months: number): { from: string; to: string } {
  const now = new Date()
  const day = (month: number, date: number): string =>
    isoDay(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + month, date))
  return { from: day(-months, 1), to: day(1 - months, 0) }
}

const PERIOD_FILTERS: readonly Filter[] = [
  { name: 'from', label: 'From', kind: 'date' },
  { name: 'to', label: 'To', kind: 'date' },
]

/** Periods by name. The last 30 days are what the URL has without days. */
const periods = (): readonly (readonly [name: string, days: { from: string; to: string }])[] => [
  ['Today', { from: dayFromToday(0), to: dayFromToday(0) }],
  ['Last 7 days', { from: dayFromToday(-6), to: dayFromToday(0) }],
  ['Last 30 days', { from: '', to: '' }],
  ['This month', { ...monthBefore(0), to: dayFromToday(0) }],
  ['Last month', monthBefore(1)],
]

type Props = {
  parameters: URLSearchParams
  /** Parameters to change with the days, because they belong to the old list. */
  closed?: Readonly<Record<string, string>>
  /** The most days that the service takes at once. */
  most?: number
}

export function PeriodMenu({ parameters, closed = {}, most }: Props) {
  const { start, end } = periodIn(parameters)
  const [from, to] = [start ?? '', end ?? '']
  const named = periods().find(([, days]) => days.from === from && days.to === to)
  return (
    <FilterMenu label="Days" content={<b>{named?.[0] ?? periodText(from, to)}</b>}>
      {(closeMenu) => (
        <>
          <Menu>
            {periods().map(([name, days]) => (
              <li key={name}>
                <ParameterLink change={{ ...closed, ...days }} isCurrent={name === named?.[0]}>
                  {name}
                </ParameterLink>
              </li>
            ))}
          </Menu>
          <Filters filters={PERIOD_FILTERS} members={parameters} closed={closed} onDone={closeMenu} />
          <Note as="p">Days in UTC, both included.{most !== undefined && ` At most ${most}.`}</Note>
        </>
      )}
    </FilterMenu>
  )
}

function periodText(from: string, to: string): string {
  if (from === '') return `until ${formatNearDay(to)}`
  if (to === '') return `since ${formatNearDay(from)}`
  return from === to ? formatNearDay(from) : `${formatNearDay(from)} to ${formatNearDay(to)}`
}
