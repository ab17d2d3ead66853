// The filters of the analytics page, in one row. Each choice changes the URL, and the page loads the counts for it.
import { FilterMenu } from '../../parts/filter-menu.view.tsx'
import { Filters, type Filter } from '../../parts/filters.view.tsx'
import { formatNearDay } from '../../text/format.ts'
import { BUCKETS, type AnalyticsQuery } from './analytics-query.ts'
import type { FilterChoices } from './load-analytics.ts'
import { FilterRow, ChoiceMenu, ChoiceLinks } from '../../parts/filter-row.view.tsx'
import { Note, OnlyRead } from '../../parts/layout.view.tsx'

type Props = {
  query: AnalyticsQuery
  choices: FilterChoices | null
  keyNames: readonly NamedOption[]
  /** What a screen reader hears once other counts are shown. */
  status: string
  /** True while other counts than the chosen ones are shown: then everybody sees the status. */
  isCounting: boolean
}

export function AnalyticsFilters({ query, choices, keyNames, status, isCounting }: Props) {
  const { models = [], useCases = [] } = choices ?? {}
  return (
    <FilterRow label="Filters">
      <DaysMenu query={query} />
      <AnyMenu name="model" label="Model" value={query.model} options={models.map((name) => [name, name])} />
      <AnyMenu name="key" label="Key" value={query.key} options={keyNames} />
      <AnyMenu name="use_case" label="Use case" value={query.useCase} options={useCases.map((name) => [name, name])} />
      {isCounting ? (
        <Note role="status" isAtEnd>
          {status}
        </Note>
      ) : (
        <OnlyRead role="status">{status}</OnlyRead>
      )}
    </FilterRow>
  )
}

type NamedOption = readonly [value: string, name: string]
type AnyProps = { name: string; label: string; value: string; options: readonly NamedOption[] }

/** The chosen one is listed even if these days have no such call. */
const AnyMenu = ({ name, label, value, options }: AnyProps) => (
  <ChoiceMenu
    label={label}
    any="any"
    value={value}
    options={[
      ['', 'Any'],
      ...(value === '' || options.some(([one]) => one === value) ? [] : [[value, value] as const]),
      ...options,
    ]}
    changeOf={(chosen) => ({ [name]: chosen })}
  />
)

const DAY_FILTERS: readonly Filter[] = [
  { name: 'start', label: 'From', kind: 'date' },
  { name: 'end', label: 'To', kind: 'date' },
]

export const DaysMenu = ({ query }: { query: AnalyticsQuery }) => (
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
        <ChoiceLinks
          options={BUCKETS.map(([bucket, name]) => [bucket, `By ${name.toLowerCase()}`])}
          value={query.bucket}
          changeOf={(bucket) => ({ bucket: bucket === 'day' ? '' : bucket })}
        />
        <Note as="p">Days in UTC, both included.</Note>
      </>
    )}
  </FilterMenu>
)
