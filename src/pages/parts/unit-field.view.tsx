// A number with its unit: “4 hours”, “10 MiB”. The service takes one unit, such as seconds; people choose the one that they think in.
import { useState } from 'preact/hooks'
import { unitOf, type Unit } from '../text/units.ts'
import { Field, type FieldDescription } from './field-frame.view.tsx'

type Props = FieldDescription & {
  /** Undefined if the field is empty. */
  value: number | undefined
  onValue: (value: number | undefined) => void
  units: readonly Unit[]
  /** The factor of the unit that an empty field has. */
  usual: number
}

export function UnitField({ label, mark, hint, fault, value, onValue, units, usual }: Props) {
  const [typed, setTyped] = useState({ text: '', factor: usual })
  // A value from elsewhere, such as an undone change, takes the place of what was typed.
  const own = valueOf(typed.text, typed.factor)
  const { text, factor } = own === value ? typed : shownOf(value, units, typed.factor)
  const change = (next: { text: string; factor: number }): void => {
    setTyped(next)
    onValue(valueOf(next.text, next.factor))
  }
  // Seconds and single bytes are offered only where a policy already counts in them.
  const offered = units.filter(([one]) => one > 1 || factor === 1)
  return (
    <Field label={label} mark={mark} hint={hint} fault={fault}>
      {(control) => (
        <div class="units">
          <input
            {...control}
            type="number"
            min={0}
            step="any"
            value={text}
            onInput={({ currentTarget }) => change({ text: currentTarget.value, factor })}
          />
          <select
            aria-label={typeof label === 'string' ? `Unit: ${label}` : 'Unit'}
            value={factor}
            onChange={({ currentTarget }) => change({ text, factor: Number(currentTarget.value) })}
          >
            {offered.map(([one, , many]) => (
              <option key={one} value={one} selected={one === factor}>
                {many}
              </option>
            ))}
          </select>
        </div>
      )}
    </Field>
  )
}

const valueOf = (text: string, factor: number): number | undefined =>
  text === '' ? undefined : Math.round(Number(text) * factor)

const shownOf = (
  value: number | undefined,
  units: readonly Unit[],
  factor: number,
): { text: string; factor: number } => {
  if (value === undefined) return { text: '', factor }
  const [own] = unitOf(value, units)
  return { text: String(value / own), factor: own }
}

type AmountProps = FieldDescription & {
  value: string
  onValue: (text: string) => void
  /** The unit, shown after the number: “euro”. */
  unit: string
  isWhole?: boolean
}

/** A number in the one unit that it can have. It keeps the text, so that `1.` does not become `1` while a person types `1.50`. */
export const AmountField = ({ label, mark, hint, fault, value, onValue, unit, isWhole = false }: AmountProps) => (
  <Field label={label} mark={mark} hint={hint} fault={fault}>
    {(control) => (
      <div class="units">
        <input
          {...control}
          type="number"
          min={0}
          step={isWhole ? 1 : 'any'}
          value={value}
          onInput={({ currentTarget }) => onValue(currentTarget.value)}
        />
        <span class="soft">{unit}</span>
      </div>
    )}
  </Field>
)
