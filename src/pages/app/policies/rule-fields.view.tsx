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
    <fieldset class="stack">
      <legend>{labels.label}</legend>
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
    </fieldset>
  )
}

function NumberMember({ editing, path, labels, schema }: MemberProps) {
  const value = valueAt(editing, path)
  const [text, keep] = useTyped(value, readNumber, writeNumber)
  const { label, unit = '' } = labels
  const field = { label, hint: hintOf(labels, editing), fault: editing.faultOf(path) }
  if (unit === 'time' || unit === 'size') {
    return (
      <UnitField
        {...field}
        value={typeof value === 'number' ? value : undefined}
        onValue={(next) => editing.set(path, next)}
        units={unit === 'time' ? TIME_UNITS : SIZE_UNITS}
        usual={unit === 'time' ? USUAL_SECONDS : USUAL_BYTES}
      />
    )
  }
  return (
    <AmountField
      {...field}
      unit={unit}
      isWhole={schema.type === 'integer'}
      value={text}
      onValue={(typed) => {
        keep(typed)
        editing.set(path, readNumber(typed))
      }}
    />
  )
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

/** A field for percentages, with commas. */
function PercentsMember({ editing, path, labels: { label, hint } }: MemberProps) {
  const value = valueAt(editing, path)
  const list = Array.isArray(value) ? value : []
  const [text, keep] = useTyped(list, readNumbers, () => list.join(', '))
  return (
    <InputField
      label={label}
      hint={hint}
      fault={editing.faultOf(path)}
      inputMode="numeric"
      autocomplete="off"
      value={text}
      onValue={(typed) => {
        keep(typed)
        const parts = readNumbers(typed)
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

/** Returns the typed text while it equals the current value. So `1.` does not become `1` while a person types `1.50`. */
function useTyped<T>(
  value: T,
  read: (text: string) => unknown,
  write: (value: T) => string,
): [text: string, keep: (text: string) => void] {
  const [typed, keep] = useState('')
  const isSame = JSON.stringify(read(typed)) === JSON.stringify(value)
  return [isSame ? typed : write(value), keep]
}

const readNumber = (text: string): number | undefined => (text === '' ? undefined : Number(text))

const writeNumber = (value: unknown): string => (typeof value === 'number' ? String(value) : '')

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
    <fieldset class="stack">
      <legend>{label}</legend>
      <Row>
        <Checkboxes
          options={options}
          chosen={value === undefined ? absent : textsIn(value)}
          onChosen={(next) => editing.set(path, next.join() === absent.join() ? undefined : next)}
        >
          {(option) => option}
        </Checkboxes>
      </Row>
      {editing.faultOf(path) !== null && <p class="fault">{editing.faultOf(path)}</p>}
    </fieldset>
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
