// What a list is narrowed down by. It stands in the address once it is applied.
import { Button } from './button.view.tsx'
import { useLayoutEffect, useState } from 'preact/hooks'
import { changeAddress } from './address.view.tsx'
import { Field } from './field.view.tsx'

export type Filter = {
  /** Of the member of the address. */
  name: string
  label: string
  hint?: string
} & ({ kind: 'date' | 'text' } | { kind: 'choice'; all: string; choices: readonly Choice[] })

export type Choice = { value: string; name: string }

type Given = {
  filters: readonly Filter[]
  members: URLSearchParams
  /** Members that mean nothing once another list is shown: what is open of it. */
  closing?: readonly string[]
}

export function Filters({ filters, members, closing = [] }: Given) {
  const applied = Object.fromEntries(filters.map(({ name }) => [name, members.get(name) ?? '']))
  const [draft, setDraft] = useState(applied)
  const key = JSON.stringify(applied)
  useLayoutEffect(() => setDraft(applied), [key])
  const closed = Object.fromEntries(closing.map((name) => [name, '']))
  const isNarrowed = Object.values(applied).some((value) => value !== '')
  return (
    <form
      class="filters card no-print"
      aria-label="Filters"
      onSubmit={(event) => {
        event.preventDefault()
        const values = Object.entries(draft).map(([name, value]) => [name, value.trim()] as const)
        changeAddress({ ...closed, ...Object.fromEntries(values) })
      }}
    >
      {filters.map((filter) => (
        <Field key={filter.name} label={filter.label} {...(filter.hint !== undefined && { hint: filter.hint })}>
          {(control) => {
            const value = draft[filter.name] ?? ''
            const change = (changed: string): void => setDraft({ ...draft, [filter.name]: changed })
            return filter.kind === 'choice' ? (
              <select {...control} value={value} onChange={({ currentTarget }) => change(currentTarget.value)}>
                <option value="">{filter.all}</option>
                {choicesWith(filter.choices, value).map(({ value: one, name }) => (
                  <option key={one} value={one}>
                    {name}
                  </option>
                ))}
              </select>
            ) : (
              <input
                {...control}
                {...(filter.kind === 'date' ? dayOf(filter.name, draft) : { type: 'text' as const })}
                value={value}
                autocomplete="off"
                spellcheck={false}
                maxLength={200}
                onInput={({ currentTarget }) => change(currentTarget.value)}
              />
            )
          }}
        </Field>
      ))}
      <p class="row">
        <button type="submit" class="button">
          Apply
        </button>
        {isNarrowed && (
          <Button
            onClick={() => changeAddress({ ...closed, ...Object.fromEntries(filters.map(({ name }) => [name, ''])) })}
          >
            Clear
          </Button>
        )}
      </p>
    </form>
  )
}

/** The browser says which days are in no order, before anybody is asked. */
const dayOf = (name: string, { from, to }: Readonly<Record<string, string>>) => ({
  type: 'date' as const,
  min: name === 'to' ? from : undefined,
  max: name === 'from' ? to : undefined,
})

/** What the address says is a choice even where it is none of these: nobody is shown that nothing is chosen. */
const choicesWith = (choices: readonly Choice[], chosen: string): readonly Choice[] =>
  chosen === '' || choices.some(({ value }) => value === chosen)
    ? choices
    : [{ value: chosen, name: chosen }, ...choices]
