// A number with its unit: “4 hours”, “10 MiB”. The service takes one unit, such as seconds; people choose the one that they think in.
import { useState } from 'preact/hooks'
import { unitOf, type Unit } from '../text/units.ts'
import { Field, type FieldDescription } from './field-frame.view.tsx'

type Props = FieldDescription & {
  /** Undefined if the field is empty. */
  value: unknown
  onValue: (value: number | undefined) => void
  units: readonly Unit[]
  /** The factor of the unit that an empty field has. */
  usual: number
  isWhole?: boolean
}

type Typed = { text: string; factor: number }

/** It keeps the text, so that `1.` does not become `1` while a person types `1.50`. */
export function UnitField({ label, mark, hint, fault, value, onValue, units, usual, isWhole = false }: Props) {
  const [typed, setTyped] = useState({ text: '', factor: usual })
  const number = typeof value === 'number' ? value : undefined
  // A value from elsewhere, such as an undone change, takes the place of what was typed.
  const { text, factor } = valueOf(typed) === number ? typed : shownOf(number, units, typed.factor)
  const change = (next: Typed): void => {
    setTyped(next)
    onValue(valueOf(next))
  }
  // Seconds and single bytes are offered only where a policy already counts in them.
  const offered = units.filter(([one]) => one > 1 || factor === 1)
  return (
    <Field label={label} mark={mark} hint={hint} fault={(number ?? 0) < 0 ? 'At least 0.' : fault}>
      {(control) => (
        <div class="units row" data-gap="2">
          <input
            {...control}
            type="number"
            min={0}
            step={isWhole ? 1 : 'any'}
            value={text}
            onInput={({ currentTarget }) => change({ text: currentTarget.value, factor })}
          />
          {units.length === 1 ? (
            <span class="soft">{units[0]?.[2]}</span>
          ) : (
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
          )}
        </div>
      )}
    </Field>
  )
}

/** A number of the service's own unit stays as it is typed: the service says if it must be whole. */
const valueOf = ({ text, factor }: Typed): number | undefined =>
  text === '' ? undefined : factor === 1 ? Number(text) : Math.round(Number(text) * factor)

function shownOf(value: number | undefined, units: readonly Unit[], factor: number): Typed {
  if (value === undefined) return { text: '', factor }
  const [own] = unitOf(value, units)
  return { text: String(value / own), factor: own }
}

/** A number in the one unit that it can have. @param unit shown after the number: “euro” */
export const AmountField = ({ unit, ...given }: Omit<Props, 'units' | 'usual'> & { unit: string }) => (
  <UnitField {...given} units={[[1, unit, unit]]} usual={1} />
)
