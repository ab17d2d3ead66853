// The filters of the analytics page. Each choice changes the URL, and the page loads the counts for it.
import { useLayoutEffect, useState } from 'preact/hooks'
import { useUrlParameters } from '../../parts/url-parameters.view.tsx'
import { Field } from '../../parts/field-frame.view.tsx'
import { SelectField } from '../../parts/fields.view.tsx'
import {
  BUCKETS,
  GROUPS,
  isNarrowed,
  lastDays,
  PRESET_PERIODS,
  presetPeriodOf,
  type AnalyticsQuery,
} from './analytics-query.ts'
import type { FilterChoices } from './load-analytics.ts'

export function Filters({ query, choices }: { query: AnalyticsQuery; choices: FilterChoices | null }) {
  const [, change] = useUrlParameters()
  const { models = [], useCases = [], keys = [] } = choices ?? {}
  const now = Date.now()
  const chosen = presetPeriodOf(query, now)
  // The counts are more important, so the filters are folded until one is set.
  const isSet = isNarrowed(query, now)
  const [isOpen, setOpen] = useState(isSet)
  useLayoutEffect(() => {
    if (isSet) setOpen(true)
  }, [isSet])
  const selects: readonly { name: string; label: string; value: string; options: readonly NamedOption[] }[] = [
    { name: 'bucket', label: 'Added up by', value: query.bucket, options: BUCKETS },
    { name: 'group', label: 'Shown by', value: query.group, options: GROUPS },
    { name: 'model', label: 'Model', value: query.model, options: optionsWithAll(query.model, models) },
    {
      name: 'key',
      label: 'Key',
      value: query.key,
      options: optionsWithAll(
        query.key,
        keys.map(({ id, name }) => [id, name] as const),
      ),
    },
    { name: 'use_case', label: 'Use case', value: query.useCase, options: optionsWithAll(query.useCase, useCases) },
  ]
  return (
    <form class="stack" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
      <p class="row">
        {PRESET_PERIODS.map((range) => (
          <button
            key={range.name}
            type="button"
            class="button"
            aria-pressed={range === chosen}
            onClick={() => change({ ...lastDays(range.days, now), bucket: range.bucket === 'day' ? '' : range.bucket })}
          >
            {range.name}
          </button>
        ))}
      </p>
      <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>Other days, groups and filters</summary>
        <div class="filters">
          {(['start', 'end'] as const).map((name) => (
            <Field key={name} label={name === 'start' ? 'From' : 'To'}>
              {(control) => (
                <input
                  {...control}
                  type="date"
                  value={query[name]}
                  onChange={({ currentTarget: { value } }) => {
                    if (value !== '') change({ [name]: value })
                  }}
                />
              )}
            </Field>
          ))}
          {selects.map(({ name, label, value, options }) => (
            <SelectField
              key={name}
              label={label}
              value={value}
              options={options}
              onValue={(chosenValue) => change({ [name]: chosenValue })}
            />
          ))}
        </div>
      </details>
    </form>
  )
}

type NamedOption = readonly [value: string, name: string]

/** Adds the chosen value to the options, even if the period has no such calls. */
function optionsWithAll(chosen: string, values: readonly (string | NamedOption)[]): readonly NamedOption[] {
  const named = values.map((value): NamedOption => (typeof value === 'string' ? [value, value] : value))
  const isThere = chosen === '' || named.some(([value]) => value === chosen)
  return [['', 'All'], ...(isThere ? [] : [[chosen, chosen] as const]), ...named]
}
