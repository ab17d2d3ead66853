// The filters of analytics. The address changes with each choice, and the figures follow it.
import { useLayoutEffect, useState } from 'preact/hooks'
import { useAddress } from '../../parts/address.view.tsx'
import { Field } from '../../parts/field.view.tsx'
import { SelectField } from '../../parts/fields.view.tsx'
import { BUCKETS, GROUPS, isNarrowed, lastDays, RANGES, rangeOf, type AskedFor } from './asked.ts'
import type { Choices } from './load-analytics.ts'

type Given = { asked: AskedFor; choices: Choices | null }

export function Filters({ asked, choices }: Given) {
  const [, change] = useAddress()
  const { models = [], useCases = [], keys = [] } = choices ?? {}
  const now = Date.now()
  const chosen = rangeOf(asked, now)
  // The figures come first, so the filters are folded until one is set.
  const isSet = isNarrowed(asked, now)
  const [isOpen, setOpen] = useState(isSet)
  useLayoutEffect(() => {
    if (isSet) setOpen(true)
  }, [isSet])
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
          <Day label="From" value={asked.start} onChange={(start) => change({ start })} />
          <Day label="To" value={asked.end} onChange={(end) => change({ end })} />
          <SelectField
            label="Added up by"
            value={asked.bucket}
            options={BUCKETS}
            onValue={(bucket) => change({ bucket })}
          />
          <SelectField label="Shown by" value={asked.group} options={GROUPS} onValue={(group) => change({ group })} />
          <SelectField
            label="Model"
            value={asked.model}
            options={withAll(asked.model, models)}
            onValue={(model) => change({ model })}
          />
          <SelectField
            label="Key"
            value={asked.key}
            options={withAll(
              asked.key,
              keys.map(({ id, name }) => [id, name] as const),
            )}
            onValue={(key) => change({ key })}
          />
          <SelectField
            label="Use case"
            value={asked.useCase}
            options={withAll(asked.useCase, useCases)}
            onValue={(name) => change({ use_case: name })}
          />
        </div>
      </details>
    </form>
  )
}

type Named = readonly [value: string, name: string]

/** Adds the chosen value to the options, even if these days had no such calls. */
function withAll(chosen: string, values: readonly (string | Named)[]): readonly Named[] {
  const named = values.map((value): Named => (typeof value === 'string' ? [value, value] : value))
  const isThere = chosen === '' || named.some(([value]) => value === chosen)
  return [['', 'All'], ...(isThere ? [] : [[chosen, chosen] as const]), ...named]
}

type DayGiven = { label: string; value: string; onChange: (value: string) => void }

function Day({ label, value, onChange }: DayGiven) {
  return (
    <Field label={label}>
      {(control) => (
        <input
          {...control}
          type="date"
          value={value}
          onChange={({ currentTarget }) => {
            if (currentTarget.value !== '') onChange(currentTarget.value)
          }}
        />
      )}
    </Field>
  )
}
