// The filters of the analytics page. Each choice changes the URL, and the page loads the counts for it.
import { useLayoutEffect, useState } from 'preact/hooks'
import { useAddress } from '../../parts/address.view.tsx'
import { Field } from '../../parts/field.view.tsx'
import { SelectField } from '../../parts/fields.view.tsx'
import { BUCKETS, GROUPS, isNarrowed, lastDays, RANGES, rangeOf, type AnalyticsQuery } from './query.ts'
import type { Choices } from './load-analytics.ts'

export function Filters({ query, choices }: { query: AnalyticsQuery; choices: Choices | null }) {
  const [, change] = useAddress()
  const { models = [], useCases = [], keys = [] } = choices ?? {}
  const now = Date.now()
  const chosen = rangeOf(query, now)
  // The counts are more important, so the filters are folded until one is set.
  const isSet = isNarrowed(query, now)
  const [isOpen, setOpen] = useState(isSet)
  useLayoutEffect(() => {
    if (isSet) setOpen(true)
  }, [isSet])
  const selects: readonly { name: string; label: string; value: string; options: readonly Named[] }[] = [
    { name: 'bucket', label: 'Added up by', value: query.bucket, options: BUCKETS },
    { name: 'group', label: 'Shown by', value: query.group, options: GROUPS },
    { name: 'model', label: 'Model', value: query.model, options: withAll(query.model, models) },
    {
      name: 'key',
      label: 'Key',
      value: query.key,
      options: withAll(
        query.key,
        keys.map(({ id, name }) => [id, name] as const),
      ),
    },
    { name: 'use_case', label: 'Use case', value: query.useCase, options: withAll(query.useCase, useCases) },
  ]
  return (
    <form class="stack" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
      <p class="row">
        {RANGES.map((range) => (
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

type Named = readonly [value: string, name: string]

/** Adds the chosen value to the options, even if the period has no such calls. */
function withAll(chosen: string, values: readonly (string | Named)[]): readonly Named[] {
  const named = values.map((value): Named => (typeof value === 'string' ? [value, value] : value))
  const isThere = chosen === '' || named.some(([value]) => value === chosen)
  return [['', 'All'], ...(isThere ? [] : [[chosen, chosen] as const]), ...named]
}
