// A field for one line of text.
import type { ComponentChildren } from 'preact'
import { Field } from './field.view.tsx'

type Given = {
  label: ComponentChildren
  hint?: ComponentChildren
  /** Why the service did not take it. */
  fault?: string | null
  value: string
  onValue: (value: string) => void
  type?: 'text' | 'email'
  /** What a browser may fill in: a token of the HTML standard. */
  autocomplete?: string
  most?: number
  /** Why it cannot be sent like this; '' where it can. */
  invalid?: string
}

export function TextField({
  label,
  hint,
  fault = null,
  value,
  onValue,
  type = 'text',
  autocomplete = 'off',
  most = 200,
  invalid = '',
}: Given) {
  return (
    <Field label={label} hint={hint} fault={fault}>
      {(control) => {
        const attributes = {
          ...control,
          ref: (input: HTMLInputElement | null) => input?.setCustomValidity(invalid),
          autocomplete,
          maxLength: most,
          required: true,
          value,
          onInput: ({ currentTarget }: { currentTarget: HTMLInputElement }) => onValue(currentTarget.value),
        } as const
        return type === 'email' ? (
          <input type="email" autocapitalize="none" spellcheck={false} {...attributes} />
        ) : (
          <input type="text" {...attributes} />
        )
      }}
    </Field>
  )
}
