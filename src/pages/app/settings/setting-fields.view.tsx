// The fields of the settings, drawn from their rows in the settings' table: switches, choices, numbers with a unit, and times.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import SCHEMA from 'virtual:form-schema/settings'
import type { SettingField as FieldOfRow } from '../../../policies/settings-table.ts'
import { parseNumber, SelectField, textOfNumber } from '../../parts/fields.view.tsx'
import { AmountField, UnitField } from '../../parts/unit-field.view.tsx'
import { formatUnits, TIME_UNITS } from '../../text/units.ts'
import { changedMark, inForce, PartFields, type PartProps } from './part-frame.view.tsx'
import type { PartId } from './parts.ts'
import { MEMBERS, membersOf, type Member } from './settings-members.ts'
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

type FieldProps = PartProps & { name: Member }

function SettingField({ name, editing }: FieldProps) {
  const value = editing.values[name]
  const { enum: values, field } = SCHEMA[name]
  const shared = { label: MEMBERS[name].label, mark: changedMark(editing, name), hint: field?.hint }
  if (typeof value === 'boolean') {
    return <SwitchRow {...shared} isOn={value} onSwitch={(isOn) => editing.edit({ [name]: isOn })} />
  }
  if (values !== undefined && typeof value === 'string') {
    return (
      <SelectField
        {...shared}
        fault={editing.faultOf(name)}
        value={value}
        options={values.map((one) => [one, field?.choices?.[one] ?? one])}
        onValue={(chosen) => editing.edit({ [name]: chosen })}
      />
    )
  }
  return field?.unit === 'second' ? (
    <SecondsSetting name={name} editing={editing} />
  ) : (
    <NumberSetting name={name} editing={editing} />
  )
}

/** @param hint in the place of the row's own */
export function NumberSetting({ name, editing, hint }: FieldProps & { hint?: string }) {
  const value = numberOf(editing, name)
  const [typed, setTyped] = useState(textOfNumber(value))
  // A value from elsewhere, such as a discarded change, takes the place of what was typed.
  const text = parseNumber(typed) === value ? typed : textOfNumber(value)
  const { type, field } = SCHEMA[name]
  return (
    <AmountField
      {...describe(editing, name, hint)}
      unit={field?.unit === undefined ? '' : UNIT_NAMES[field.unit]}
      isWhole={type === 'integer'}
      value={text}
      onValue={(next) => {
        setTyped(next)
        editing.edit({ [name]: parseNumber(next) })
      }}
    />
  )
}

const UNIT_NAMES: Readonly<Record<NonNullable<FieldOfRow['unit']>, string>> = {
  euro: 'euro',
  token: 'tokens',
  time: 'times',
  round: 'rounds',
  day: 'days',
  second: 'seconds',
}

/** A time of at most an hour, in minutes where it is whole minutes. */
const UNITS = TIME_UNITS.filter(([factor]) => factor <= 3_600)

const SecondsSetting = ({ name, editing }: FieldProps) => (
  <UnitField
    {...describe(editing, name)}
    units={UNITS}
    usual={60}
    value={numberOf(editing, name) ?? undefined}
    onValue={(seconds) => editing.edit({ [name]: seconds ?? null })}
  />
)

const describe = (editing: PartProps['editing'], name: Member, hint = SCHEMA[name].field?.hint) => ({
  label: SCHEMA[name].field?.labelInGroup ?? MEMBERS[name].label,
  mark: changedMark(editing, name),
  hint: `${inForce(editing, name)}${hint ?? rangeOf(name)}`,
  fault: editing.faultOf(name),
})

function rangeOf(name: Member): string {
  const { minimum = 0, maximum = 0, field } = SCHEMA[name]
  const words = (value: number): string => (field?.unit === 'second' ? formatUnits(value, TIME_UNITS) : String(value))
  return `${words(minimum)} to ${words(maximum)}`
}

function numberOf({ values }: PartProps['editing'], name: Member): number | null {
  const value = values[name]
  return typeof value === 'number' ? value : null
}
