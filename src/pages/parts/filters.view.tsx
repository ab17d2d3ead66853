// The filters of a list. They are in the address once they are applied.
import { Button } from './button.view.tsx'
import { useLayoutEffect, useState } from 'preact/hooks'
import { changeAddress } from './address.view.tsx'
import { InputField, SelectField, type Option } from './fields.view.tsx'

export type Filter = {
  /** The member of the address. */
  name: string
  label: string
  hint?: string
} & ({ kind: 'date' | 'text' } | { kind: 'choice'; all: string; choices: readonly Choice[] })

export type Choice = { value: string; name: string }

type Given = {
  filters: readonly Filter[]
  members: URLSearchParams
  /** Members that mean nothing once another list is shown. */
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
      {filters.map((filter) => {
        const { name, label, hint } = filter
        const value = draft[name] ?? ''
        const field = { label, hint, value, onValue: (changed: string) => setDraft({ ...draft, [name]: changed }) }
        return filter.kind === 'choice' ? (
          <SelectField key={name} {...field} options={[['', filter.all], ...choicesWith(filter.choices, value)]} />
        ) : (
          <InputField
            key={name}
            {...field}
            {...(filter.kind === 'date' ? dayOf(name, draft) : { type: 'text' as const })}
            autocomplete="off"
            spellcheck={false}
            maxLength={200}
          />
        )
      })}
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

/** The browser refuses days in the wrong order before anything is sent. */
const dayOf = (name: string, { from, to }: Readonly<Record<string, string>>) => ({
  type: 'date' as const,
  min: name === 'to' ? from : undefined,
  max: name === 'from' ? to : undefined,
})

/** A value that the address names is a choice even if it is none of these. */
const choicesWith = (choices: readonly Choice[], chosen: string): readonly Option[] => {
  const options = choices.map(({ value, name }) => [value, name] as const)
  return chosen === '' || choices.some(({ value }) => value === chosen) ? options : [[chosen, chosen], ...options]
}
