// Policy form: the field for one member of a rule, chosen by its type in the policy's schema, and the note about members without
// a field.
import type { FieldSchema } from '../../../platform/field-schema.ts'
import { isJsonObject } from '../../../platform/json.ts'
import MODEL_NAMES from 'virtual:model-names'
import { useState } from 'preact/hooks'
import { ChipsField } from '../../parts/chips-field.view.tsx'
import { Checkbox, Checkboxes, InputField, SelectField } from '../../parts/fields.view.tsx'
import { AmountField, UnitField } from '../../parts/unit-field.view.tsx'
import { capitalised } from '../../text/reword-text.ts'
import { SIZE_UNITS, TIME_UNITS } from '../../text/units.ts'
import { ExceptionsMember } from './exceptions.view.tsx'
import { ModelsByName } from './models-by-name.view.tsx'
import { memberOf, valueAt, type Editing } from './policy-draft.ts'
import { textsIn, type MemberWords } from '../../../policies/rules/rule-words.ts'
import { valueWords } from './rule-words.ts'
import { Row, Note, Soft } from '../../parts/layout.view.tsx'
import { LinkButton } from '../../parts/button.view.tsx'
import { FieldGroup } from '../../parts/field-group.view.tsx'
import { Fault } from '../../parts/field-frame.view.tsx'

export type MemberProps = {
  editing: Editing
  /** The path of the member, from the rule's name on. */
  path: readonly string[]
  labels: MemberWords
  schema: FieldSchema
}

/** Returns true for a member whose field takes numbers. The form puts these fields in a row below the others. */
export const isNumberField = ({ type, items }: FieldSchema): boolean =>
  type === 'integer' || type === 'number' || items?.type === 'integer'

export function MemberField(given: MemberProps) {
  const { labels, schema, editing, path } = given
  if (schema.type === 'boolean') {
    return (
      <Checkbox
        isChecked={valueAt(editing, path) === true}
        onCheck={(isChecked) => editing.set(path, isChecked ? true : undefined)}
      >
        {labels.label}
      </Checkbox>
    )
  }
  if (labels.group !== undefined) return <GroupMember {...given} group={labels.group} />
  if (labels.words !== undefined) return <ChoiceMember {...given} words={labels.words} />
  if (labels.names === 'models by use case' || labels.names === 'models by key') return <ModelsByName {...given} />
  if (labels.names !== undefined) return <NamesMember {...given} />
  if (labels.actions !== undefined) return <ExceptionsMember {...given} />
  if (schema.type !== 'array') return <NumberMember {...given} />
  return schema.items?.enum === undefined ? <PercentsMember {...given} /> : <CheckboxesMember {...given} />
}

type GroupProps = MemberProps & { group: NonNullable<MemberWords['group']> }

function GroupMember({ editing, path, labels, schema: { properties = {} }, group }: GroupProps) {
  const { box, off, start, members } = group
  const isOn = valueAt(editing, path) !== undefined
  return (
    <FieldGroup legend={labels.label} gap={4}>
      <Checkbox
        isChecked={isOn}
        onCheck={(isChecked) => editing.set(path, isChecked ? (memberOf(editing.before, path) ?? start) : undefined)}
      >
        {box}
      </Checkbox>
      {!isOn && <Note as="p">{`${capitalised(off)}.`}</Note>}
      {isOn &&
        members.map((member) => (
          <MemberField
            key={member.label}
            editing={editing}
            path={[...path, member.name ?? '']}
            labels={member}
            schema={properties[member.name ?? ''] ?? {}}
          />
        ))}
    </FieldGroup>
  )
}

function NumberMember({ editing, path, labels, schema }: MemberProps) {
  const { label, unit = '' } = labels
  const field = {
    label,
    hint: hintOf(labels, editing),
    fault: editing.faultOf(path),
    value: valueAt(editing, path),
    onValue: (next: number | undefined) => editing.set(path, next),
  }
  if (unit === 'time') return <UnitField {...field} units={TIME_UNITS} usual={USUAL_SECONDS} />
  if (unit === 'size') return <UnitField {...field} units={SIZE_UNITS} usual={USUAL_BYTES} />
  return <AmountField {...field} unit={unit} isWhole={schema.type === 'integer'} />
}

/** Says what the service does while the field is empty, where the settings say it. */
function hintOf(labels: MemberWords, { settings }: Editing): string | undefined {
  const { setting, hint } = labels
  return setting === undefined || settings === null
    ? hint
    : `If empty, as in Settings: ${valueWords(labels, settings[setting])}.`
}

const USUAL_SECONDS = 60
const USUAL_BYTES = 1_048_576

const NOUNS = { models: 'model', 'use cases': 'use case', labels: 'label' } as const

/** A list of models, use cases or labels. */
function NamesMember({ editing, path, labels }: MemberProps) {
  const { label, names, isKeptEmpty = false } = labels
  if (names !== 'models' && names !== 'use cases' && names !== 'labels') return null
  const value = valueAt(editing, path)
  const isEmptyList = Array.isArray(value) && value.length === 0 && !isKeptEmpty
  const hint = isEmptyList ? <EmptyList onTake={() => editing.set(path, undefined)} /> : labels.hint
  return (
    <ChipsField
      label={label}
      hint={hint}
      fault={editing.faultOf(path)}
      noun={NOUNS[names]}
      values={textsIn(value)}
      onValues={(next) => editing.set(path, next.length > 0 || isKeptEmpty ? next : undefined)}
      options={names === 'models' ? MODEL_NAMES : names === 'labels' ? [] : editing.useCases}
      isOpen={names !== 'models'}
      before={textsIn(memberOf(editing.before, path))}
      isReadOnly={editing.isReadOnly}
    />
  )
}

/** A field for percentages, with commas. It keeps the text while that says the list. */
function PercentsMember({ editing, path, labels: { label, hint } }: MemberProps) {
  const value = valueAt(editing, path)
  const list = Array.isArray(value) ? value : []
  const [typed, keep] = useState('')
  return (
    <InputField
      label={label}
      hint={hint}
      fault={editing.faultOf(path)}
      inputMode="numeric"
      autocomplete="off"
      value={JSON.stringify(readNumbers(typed)) === JSON.stringify(list) ? typed : list.join(', ')}
      onValue={(text) => {
        keep(text)
        const parts = readNumbers(text)
        editing.set(path, parts.length > 0 ? parts : undefined)
      }}
    />
  )
}

/** The note about an empty list in the JSON, which means something else than no list. */
const EmptyList = ({ onTake }: { onTake: () => void }) => (
  <>
    The policy has a list here that is empty: nothing passes it.{' '}
    <LinkButton onClick={onTake}>Remove the list</LinkButton>
  </>
)

const readNumbers = (text: string): unknown[] =>
  text
    .split(/[,\s]+/)
    .filter((part) => part !== '')
    .map((part) => (Number.isNaN(Number(part)) ? part : Number(part)))

function ChoiceMember({ editing, path, labels, words }: MemberProps & { words: NonNullable<MemberWords['words']> }) {
  return (
    <SelectField
      label={labels.label}
      hint={labels.hint}
      fault={editing.faultOf(path)}
      value={choiceOf(valueAt(editing, path)) ?? words[0]?.[0] ?? ''}
      onValue={(value) => editing.set(path, words.find(([choice]) => String(choice) === value)?.[0])}
      options={words}
    />
  )
}

export function CheckboxesMember({ editing, path, labels, schema }: MemberProps) {
  const value = valueAt(editing, path)
  const options = (schema.items?.enum ?? []).map(String)
  const { label, absent = options } = labels
  return (
    <FieldGroup legend={label} gap={4}>
      <Row>
        <Checkboxes
          options={options}
          chosen={value === undefined ? absent : textsIn(value)}
          onChosen={(next) => editing.set(path, next.join() === absent.join() ? undefined : next)}
        >
          {(option) => option}
        </Checkboxes>
      </Row>
      <Fault of={editing.faultOf(path)} />
    </FieldGroup>
  )
}

/** Returns the value as a choice, or null if it cannot be one. */
const choiceOf = (value: unknown): string | number | null =>
  typeof value === 'string' || typeof value === 'number' ? value : null

type JsonOnlyProps = {
  /** A document, a rule or a case of a rule. */
  value: unknown
  /** The members that have a field. */
  shown: readonly (string | undefined)[]
}

/** Lists the members without a field in the form. They stay as the JSON has them. */
export function MembersInJsonOnly({ value, shown }: JsonOnlyProps) {
  const others = isJsonObject(value) ? Object.keys(value).filter((name) => !shown.includes(name)) : []
  if (others.length === 0) return null
  return (
    <Soft as="p">
      Also set, in the JSON, and kept: <code>{others.join(', ')}</code>
    </Soft>
  )
}
