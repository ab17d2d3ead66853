// A password field with a button that shows the password, and the hidden user name that password managers read.
import { Field } from './field-frame.view.tsx'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'

type Props = {
  label: ComponentChildren
  hint?: ComponentChildren
  fault?: string | null
  /** Why the password cannot be sent, or '' if it can. */
  invalid?: string
  value: string
  onValue: (value: string) => void
  autocomplete: 'current-password' | 'new-password'
}

export function PasswordField({ label, hint, fault, invalid = '', value, onValue, autocomplete }: Props) {
  const [isShown, setShown] = useState(false)
  return (
    <Field label={label} hint={hint} fault={fault}>
      {(control) => {
        const attributes = {
          ...control,
          ref: (input: HTMLInputElement | null) => input?.setCustomValidity(invalid),
          autocomplete,
          autocapitalize: 'none',
          spellcheck: false,
          maxLength: 1024,
          required: true,
          value,
          onInput: ({ currentTarget }: { currentTarget: HTMLInputElement }) => onValue(currentTarget.value),
        } as const
        return (
          <span class="password">
            {isShown ? <input type="text" {...attributes} /> : <input type="password" {...attributes} />}
            <button type="button" class="button quiet" onClick={() => setShown(!isShown)}>
              {isShown ? 'Hide' : 'Show'}
              <span class="only-read"> what is typed</span>
            </button>
          </span>
        )
      }}
    </Field>
  )
}

/** Tells a password manager whose password the form is about. Managers ignore fields of type hidden. */
export const HiddenUsername = ({ email }: { email: string }) => (
  <input type="email" name="username" autocomplete="username" value={email} hidden readOnly />
)
