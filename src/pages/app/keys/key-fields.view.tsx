// What is asked about a key when it is made or changed: its name, its end, its own limits.
import { Field } from '../../parts/field.view.tsx'

/** As the fields have it: text, which is empty for none. */
export type KeyText = { name: string; endsOn: string; perMinute: string; perDay: string }

export const NO_TEXT: KeyText = { name: '', endsOn: '', perMinute: '', perDay: '' }

type Given = {
  text: KeyText
  onText: (text: KeyText) => void
  faultOf: (path: string) => string | null
}

export function NameField({ text, onText, faultOf }: Given) {
  return (
    <Field label="Name" hint="What uses it: people go by it when they revoke one." fault={faultOf('name')}>
      {(control) => (
        <input
          {...control}
          required
          maxLength={100}
          autocomplete="off"
          value={text.name}
          onInput={({ currentTarget: { value } }) => onText({ ...text, name: value })}
        />
      )}
    </Field>
  )
}

export function LimitFields({ text, onText, faultOf, isOpen = false }: Given & { isOpen?: boolean }) {
  const faults = LIMIT_FIELDS.map(({ path }) => faultOf(path))
  return (
    <details open={isOpen || faults.some((fault) => fault !== null)}>
      <summary>Its end and limits of its own</summary>
      <div class="stack">
        {LIMIT_FIELDS.map(({ path, member, label, hint, type }, at) => (
          <Field key={path} label={label} hint={hint} fault={faults[at] ?? null}>
            {(control) => (
              <input
                {...control}
                type={type}
                min={type === 'number' ? 1 : undefined}
                value={text[member]}
                onInput={({ currentTarget: { value } }) => onText({ ...text, [member]: value })}
              />
            )}
          </Field>
        ))}
      </div>
    </details>
  )
}

const LIMIT_FIELDS = [
  {
    path: 'expires_at',
    member: 'endsOn',
    type: 'date',
    label: 'Last day on which it works',
    hint: 'To the end of that day, UTC. Empty: it has no end.',
  },
  {
    path: 'requests_per_minute',
    member: 'perMinute',
    type: 'number',
    label: 'Requests a minute',
    hint: 'Empty: as many as the organisation has.',
  },
  {
    path: 'requests_per_day',
    member: 'perDay',
    type: 'number',
    label: 'Requests a day',
    hint: 'Empty: none of its own.',
  },
] as const

const DAY_END = 'T23:59:59.000Z'

export const endOf = (endsOn: string): string | null => (endsOn === '' ? null : endsOn + DAY_END)
export const limitOf = (text: string): number | null => (text === '' ? null : Number(text))
