// The fields of the settings, drawn from their rows in the settings' table: switches, choices, texts, numbers with a unit, and times.
import type { ComponentChildren } from 'preact'
import SCHEMA from 'virtual:form-schema/settings'
import { InputField, SelectField } from '../../parts/fields.view.tsx'
import { AmountField, UnitField } from '../../parts/unit-field.view.tsx'
import { formatUnits, TIME_UNITS } from '../../text/units.ts'
import { changedMark, inForce, PartFields, type PartProps } from './part-frame.view.tsx'
import { type PartId, MEMBERS, membersOf, type Member } from './settings-members.ts'
import { Pair } from '../../parts/layout.view.tsx'
import { FieldGroup } from '../../parts/field-group.view.tsx'
import { SwitchRow } from '../../parts/switch.view.tsx'

type FieldsProps = PartProps & { part: PartId; beside?: ComponentChildren }

/** All settings of a part. Those of one group are drawn together. */
export function SettingFields({ part, editing, beside }: FieldsProps) {
  const groups = Map.groupBy(membersOf(part), (name) => SCHEMA[name].field?.group)
  const draw = (names: readonly Member[]) => names.map((name) => <SettingField key={name} {...{ name, editing }} />)
  return (
    <PartFields id={part} editing={editing} beside={beside}>
      {groups.size === 1 ? (
        draw(membersOf(part))
      ) : (
        <Pair>
          {Array.from(groups, ([group, names]) => (
            <FieldGroup key={group} legend={group ?? ''} gap={4}>
              {draw(names)}
            </FieldGroup>
          ))}
        </Pair>
      )}
    </PartFields>
  )
}

type FieldProps = PartProps & { name: Member; hint?: string }

/** @param hint in the place of the row's own */
export function SettingField({ name, editing, hint }: FieldProps) {
  const value = editing.values[name]
  const { type, enum: values, maxLength, field } = SCHEMA[name]
  const { labelInGroup: label = MEMBERS[name].label, choices, unit = '', hint: about = hint } = field ?? {}
  const shared = { label, mark: changedMark(editing, name), hint: about, fault: editing.faultOf(name) }
  const set = (next: unknown): void => editing.edit({ [name]: next })
  if (typeof value === 'boolean') return <SwitchRow {...shared} isOn={value} onSwitch={set} />
  if (values !== undefined && typeof value === 'string')
    return (
      <SelectField
        {...shared}
        value={value}
        options={values.map((one) => [one, choices?.[one] ?? one])}
        onValue={set}
      />
    )
  if (unit === 'date')
    return (
      <InputField
        {...shared}
        type="date"
        value={typeof value === 'string' ? value.slice(0, 'YYYY-MM-DD'.length) : ''}
        onValue={(day) => set(day === '' ? null : `${day}T00:00:00Z`)}
      />
    )
  if (typeof value === 'string')
    return <InputField {...shared} required autocomplete="off" maxLength={maxLength} value={value} onValue={set} />
  const number = {
    ...shared,
    hint: `${inForce(editing, name)}${hint ?? about ?? rangeOf(name)}`,
    value,
    onValue: (next: number | undefined) => set(next ?? null),
  }
  return unit === 'second' ? (
    <UnitField {...number} units={UNITS} usual={60} />
  ) : (
    <AmountField {...number} unit={unit === '' || unit === 'euro' ? unit : `${unit}s`} isWhole={type === 'integer'} />
  )
}

/** A time of at most an hour, in minutes where it is whole minutes. */
const UNITS = TIME_UNITS.filter(([factor]) => factor <= 3_600)

function rangeOf(name: Member): string {
  const { minimum = 0, maximum = 0, field } = SCHEMA[name]
  const words = (value: number): string => (field?.unit === 'second' ? formatUnits(value, TIME_UNITS) : String(value))
  return `${words(minimum)} to ${words(maximum)}`
}
