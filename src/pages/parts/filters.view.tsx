// The filter form of a list. Applying the filters writes them into the URL.
import { Button, Submit, submitHandler } from './button.view.tsx'
import { useLayoutEffect, useState } from 'preact/hooks'
import { changeUrlParameters } from './url-parameters.view.tsx'
import { InputField } from './fields.view.tsx'

export type Filter = {
  /** The name of the URL's parameter. */
  name: string
  label: string
  kind: 'date' | 'text'
}

type Props = {
  filters: readonly Filter[]
  members: URLSearchParams
  /** Parameters to change with the filters, because they belong to the old list. */
  closed?: Readonly<Record<string, string>>
  /** Called once filters are applied or cleared. */
  onDone?: () => void
}

export function Filters({ filters, members, closed = {}, onDone }: Props) {
  const applied = Object.fromEntries(filters.map(({ name }) => [name, members.get(name) ?? '']))
  const [draft, setDraft] = useState(applied)
  const key = JSON.stringify(applied)
  useLayoutEffect(() => setDraft(applied), [key])
  const isNarrowed = Object.values(applied).some((value) => value !== '')
  const change = (values: Readonly<Record<string, string>>): void => {
    changeUrlParameters({ ...closed, ...values })
    onDone?.()
  }
  return (
    <form
      class="columns filters no-print"
      aria-label="Filters"
      onSubmit={submitHandler(() =>
        change(Object.fromEntries(Object.entries(draft).map(([name, value]) => [name, value.trim()]))),
      )}
    >
      {filters.map(({ name, label, kind }) => (
        <InputField
          key={name}
          label={label}
          value={draft[name] ?? ''}
          onValue={(changed) => setDraft({ ...draft, [name]: changed })}
          {...(kind === 'date' ? dayFieldProps(name, draft) : { type: kind })}
          autocomplete="off"
          spellcheck={false}
          maxLength={200}
        />
      ))}
      <p class="row">
        <Submit label="Apply" look="" />
        {isNarrowed && (
          <Button onClick={() => change(Object.fromEntries(filters.map(({ name }) => [name, ''])))}>Clear</Button>
        )}
      </p>
    </form>
  )
}

/** A day field of a period, which has one of two pairs of names. The browser refuses days in the wrong order before anything is sent. */
const dayFieldProps = (name: string, { start, end, from = start, to = end }: Readonly<Record<string, string>>) => ({
  type: 'date' as const,
  min: ['to', 'end'].includes(name) ? from : undefined,
  max: ['from', 'start'].includes(name) ? to : undefined,
})
