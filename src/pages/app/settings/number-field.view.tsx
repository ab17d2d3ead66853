// A field for a number. It holds text until the form is sent: an empty one may mean that there is no limit.
import type { ComponentChildren } from 'preact'
import { Field } from '../../parts/field.view.tsx'

type Given = {
  label: string
  hint?: ComponentChildren
  fault: string | null
  value: string
  onInput: (value: string) => void
  least: number
  most: number
  /** `any`: with decimals. */
  step?: 'any'
  isRequired?: boolean
}

export function NumberField({ label, hint, fault, value, onInput, least, most, step, isRequired = true }: Given) {
  return (
    <Field label={label} hint={hint} fault={fault}>
      {(control) => (
        <input
          {...control}
          type="number"
          min={least}
          max={most}
          step={step ?? 1}
          required={isRequired}
          value={value}
          onInput={({ currentTarget }) => onInput(currentTarget.value)}
        />
      )}
    </Field>
  )
}

export const textOfNumber = (value: number | null): string => (value === null ? '' : String(value))

export const numberOf = (text: string): number | null => (text.trim() === '' ? null : Number(text))
