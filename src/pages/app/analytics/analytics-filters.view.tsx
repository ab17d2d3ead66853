// The filters of the analytics page, in one row. Each choice changes the URL, and the page loads the counts for it.
import { FilterMenu } from '../../parts/filter-menu.view.tsx'
import { Filters, type Filter } from '../../parts/filters.view.tsx'
import { ParameterLink } from '../../parts/url-parameters.view.tsx'
import { formatNearDay } from '../../text/format.ts'
import { BUCKETS, type AnalyticsQuery } from './analytics-query.ts'
import type { FilterChoices } from './load-analytics.ts'

type Props = {
  query: AnalyticsQuery
  choices: FilterChoices | null
  keyNames: ReadonlyMap<string, string>
  /** What a screen reader hears once other counts are shown. */
  status: string
  /** True while other counts than the chosen ones are shown: then everybody sees the status. */
  isCounting: boolean
}

type NamedOption = readonly [value: string, name: string]

export function AnalyticsFilters({ query, choices, keyNames, status, isCounting }: Props) {
  const { models = [], useCases = [] } = choices ?? {}
  return (
    <div class="filter-row no-print" role="group" aria-label="Filters">
      <DaysMenu query={query} />
      <ChoiceMenu name="model" label="Model" value={query.model} options={models.map((name) => [name, name])} />
      <ChoiceMenu name="key" label="Key" value={query.key} options={[...keyNames]} />
      <ChoiceMenu
        name="use_case"
        label="Use case"
        value={query.useCase}
        options={useCases.map((name) => [name, name])}
      />
      <span class={isCounting ? 'push soft small' : 'only-read'} role="status">
        {status}
      </span>
    </div>
  )
}

type ChoiceProps = { name: string; label: string; value: string; options: readonly NamedOption[] }

function ChoiceMenu({ name, label, value, options }: ChoiceProps) {
  // The chosen one is listed even if these days have no such call.
  const isListed = value === '' || options.some(([one]) => one === value)
  const all: readonly NamedOption[] = [['', 'Any'], ...(isListed ? [] : [[value, value] as const]), ...options]
  return (
    <FilterMenu
      label={label}
      content={
        <>
          {label} <b>{value === '' ? 'any' : (options.find(([one]) => one === value)?.[1] ?? value)}</b>
        </>
      }
    >
      {() => (
        <ul class="menu">
          {all.map(([one, text]) => (
            <li key={one}>
              <ParameterLink change={{ [name]: one }} isCurrent={one === value}>
                {text}
              </ParameterLink>
            </li>
          ))}
        </ul>
      )}
    </FilterMenu>
  )
}

const DAY_FILTERS: readonly Filter[] = [
  { name: 'start', label: 'From', kind: 'date' },
  { name: 'end', label: 'To', kind: 'date' },
]

export function DaysMenu({ query }: { query: AnalyticsQuery }) {
  return (
    <FilterMenu
      label="Days"
      content={
        <>
          {query.bucket === 'month' ? 'By month' : 'By day'}{' '}
          <b>
            {formatNearDay(query.start)} to {formatNearDay(query.end)}
          </b>
        </>
      }
    >
      {(closeMenu) => (
        <>
          <Filters
            filters={DAY_FILTERS}
            members={new URLSearchParams({ start: query.start, end: query.end })}
            onDone={closeMenu}
          />
          <ul class="menu">
            {BUCKETS.map(([bucket, name]) => (
              <li key={bucket}>
                <ParameterLink change={{ bucket: bucket === 'day' ? '' : bucket }} isCurrent={bucket === query.bucket}>
                  By {name.toLowerCase()}
                </ParameterLink>
              </li>
            ))}
          </ul>
          <p class="hint">Days in UTC, both included.</p>
        </>
      )}
    </FilterMenu>
  )
}
