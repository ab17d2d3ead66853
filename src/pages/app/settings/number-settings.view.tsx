// The fields of settings that are numbers: one with a fixed unit, and a time whose unit people choose.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { parseNumber, textOfNumber } from '../../parts/fields.view.tsx'
import { AmountField, UnitField } from '../../parts/unit-field.view.tsx'
import { TIME_UNITS } from '../../text/units.ts'
import { changedMark, inForce, type PartProps } from './part-frame.view.tsx'
import { MEMBERS } from './settings-members.ts'

type NumberName = 'monthly_budget_eur' | 'default_max_tokens' | 'loop_repeats' | 'loop_cycle_rounds' | 'retention_days'
type SecondsName = 'loop_window_seconds' | 'loop_cycle_window_seconds'

type Props<Name> = PartProps & { name: Name; label?: string; hint: ComponentChildren }

export function NumberSetting({ editing, name, label, unit, hint }: Props<NumberName> & { unit: string }) {
  const value = editing.values[name]
  const [typed, setTyped] = useState(textOfNumber(value))
  // A value from elsewhere, such as a discarded change, takes the place of what was typed.
  const text = parseNumber(typed) === value ? typed : textOfNumber(value)
  return (
    <AmountField
      label={label ?? MEMBERS[name].label}
      mark={changedMark(editing, name)}
      hint={
        <>
          {inForce(editing, name)}
          {hint}
        </>
      }
      fault={editing.faultOf(name)}
      unit={unit}
      isWhole={name !== 'monthly_budget_eur'}
      value={text}
      onValue={(next) => {
        setTyped(next)
        editing.edit({ [name]: parseNumber(next) })
      }}
    />
  )
}

/** A time of at most an hour, in minutes where it is whole minutes. */
const UNITS = TIME_UNITS.filter(([factor]) => factor <= 3_600)

export const SecondsSetting = ({ editing, name, label, hint }: Props<SecondsName>) => (
  <UnitField
    label={label ?? MEMBERS[name].label}
    mark={changedMark(editing, name)}
    hint={
      <>
        {inForce(editing, name)}
        {hint}
      </>
    }
    fault={editing.faultOf(name)}
    units={UNITS}
    usual={60}
    value={editing.values[name] ?? undefined}
    onValue={(seconds) => editing.edit({ [name]: seconds ?? null })}
  />
)
