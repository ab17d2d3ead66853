// Policy form: the field for one member of a rule, chosen by its type in the policy's schema, and the note about members without
// a field.
import type { FieldSchema } from '../../../platform/field-schema.ts'
import { isJsonObject } from '../../../platform/json.ts'
import MODEL_NAMES from 'virtual:model-names'
import { useState } from 'preact/hooks'
import { ChipsField } from '../../parts/chips-field.view.tsx'
import { Checkbox, Checkboxes, InputField, SelectField } from '../../parts/fields.view.tsx'
import { Foldable } from '../../parts/foldable.view.tsx'
import { AmountField, UnitField } from '../../parts/unit-field.view.tsx'
import { capitalised } from '../../text/reword-text.ts'
import { SIZE_UNITS, TIME_UNITS } from '../../text/units.ts'
import { ExceptionsMember } from './exceptions.view.tsx'
import { memberOf, valueAt, type Editing } from './policy-draft.ts'
import { textsIn, type MemberWords } from '../../../policies/rules/rule-words.ts'
import { modelsIn, valueWords } from './rule-words.ts'
import { Row, Note, Soft, Stack } from '../../parts/layout.view.tsx'
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
  if (labels.group !== undefined) return <GroupMember {...given} {...labels.group} />
  if (labels.words !== undefined) return <ChoiceMember {...given} words={labels.words} />
  if (labels.names === 'models by use case' || labels.names === 'models by key') return <ModelsByName {...given} />
  if (labels.names !== undefined) return <NamesMember {...given} />
  if (labels.actions !== undefined) return <ExceptionsMember {...given} />
  if (schema.type !== 'array') return <NumberMember {...given} />
  return schema.items?.enum === undefined ? <PercentsMember {...given} /> : <CheckboxesMember {...given} />
}

type FieldsProps = Pick<MemberProps, 'editing' | 'schema'> & {
  path?: readonly string[]
  members: readonly MemberWords[]
}

export const MemberFields = ({ editing, path = [], schema: { properties = {} }, members }: FieldsProps) =>
  members.map((labels) => {
    const { name = '' } = labels
    return <MemberField key={name} {...{ editing, labels }} path={[...path, name]} schema={properties[name] ?? {}} />
  })

type GroupProps = MemberProps & NonNullable<MemberWords['group']>

function GroupMember({ editing, path, labels, schema, box, off, start, members }: GroupProps) {
  const isOn = valueAt(editing, path) !== undefined
  return (
    <FieldGroup legend={<h4>{labels.label}</h4>} gap={4}>
      <Checkbox
        isChecked={isOn}
        onCheck={(isChecked) => editing.set(path, isChecked ? (memberOf(editing.before, path) ?? start) : undefined)}
      >
        {box}
      </Checkbox>
      {isOn ? <MemberFields {...{ editing, path, schema, members }} /> : <Note as="p">{`${capitalised(off)}.`}</Note>}
    </FieldGroup>
  )
}

/** What a field of any kind says. */
const saidOf = ({ editing, path, labels: { label, hint } }: MemberProps) => ({
  label,
  hint,
  fault: editing.faultOf(path),
})

function NumberMember(given: MemberProps) {
  const { editing, path, labels, schema } = given
  const { unit = '', setting } = labels
  const { settings } = editing
  const field = {
    ...saidOf(given),
    // What the service does while the field is empty, where the settings say it.
    ...(setting !== undefined &&
      settings !== null && { hint: `If empty, as in Settings: ${valueWords(labels, settings[setting])}.` }),
    value: valueAt(editing, path),
    onValue: (next: number | undefined) => editing.set(path, next),
  }
  if (unit === 'time') return <UnitField {...field} units={TIME_UNITS} usual={USUAL_SECONDS} />
  if (unit === 'size') return <UnitField {...field} units={SIZE_UNITS} usual={USUAL_BYTES} />
  return <AmountField {...field} unit={unit} isWhole={schema.type === 'integer'} />
}

const USUAL_SECONDS = 60
const USUAL_BYTES = 1_048_576

const NOUNS = { models: 'model', 'use cases': 'use case', labels: 'label' } as const

/** A list of models, use cases or labels. */
function NamesMember(given: MemberProps) {
  const { editing, path, labels } = given
  const { names, isKeptEmpty = false } = labels
  if (names !== 'models' && names !== 'use cases' && names !== 'labels') return null
  const value = valueAt(editing, path)
  // An empty list in the JSON means something else than no list.
  const isEmptyList = Array.isArray(value) && value.length === 0 && !isKeptEmpty
  return (
    <ChipsField
      {...saidOf(given)}
      {...(isEmptyList && {
        hint: (
          <>
            The policy has a list here that is empty: nothing passes it.{' '}
            <LinkButton onClick={() => editing.set(path, undefined)}>Remove the list</LinkButton>
          </>
        ),
      })}
      noun={NOUNS[names]}
      values={names === 'models' ? modelsIn(value) : textsIn(value)}
      onValues={(next) => editing.set(path, next.length > 0 || isKeptEmpty ? next : undefined)}
      options={names === 'models' ? MODEL_NAMES : names === 'labels' ? [] : editing.useCases}
      isOpen={names !== 'models'}
      before={textsIn(memberOf(editing.before, path))}
      isReadOnly={editing.isReadOnly}
    />
  )
}

/** Lists of models for single use cases or keys, which narrow the list for every call. */
function ModelsByName({ editing, path, labels: { label, names } }: MemberProps) {
  const value = valueAt(editing, path)
  const lists = isJsonObject(value) ? value : {}
  const isByKey = names === 'models by key'
  const { keys, isReadOnly, before } = editing
  const wordOf = (name: string): string => (isByKey && keys.get(name)?.name) || name
  const named = Object.keys(lists)
  const setNames = (next: readonly string[]): void => {
    // A new list begins with the models for every call, so that it changes nothing yet.
    const start = valueAt(editing, ['model_allowlist', 'models']) ?? MODEL_NAMES
    const entries = next.map((name) => [name, lists[name] ?? start] as const)
    editing.set(path, entries.length === 0 ? undefined : Object.fromEntries(entries))
  }
  return (
    <Foldable summary={`${label}: ${named.length === 0 ? 'none' : named.length}`} isOpen={named.length > 0}>
      {() => (
        <Stack>
          <ChipsField
            label={label}
            fault={editing.faultOf(path)}
            noun={isByKey ? 'key' : 'use case'}
            values={named}
            onValues={setNames}
            options={isByKey ? [...keys.keys()] : editing.useCases}
            isOpen={!isByKey}
            wordOf={wordOf}
            isReadOnly={isReadOnly}
          />
          {named.map((name) => (
            <ChipsField
              key={name}
              label={`Models for ${wordOf(name)}`}
              fault={editing.faultOf([...path, name])}
              noun="model"
              values={modelsIn(lists[name])}
              onValues={(models) => editing.set([...path, name], models)}
              options={MODEL_NAMES}
              before={textsIn(memberOf(before, [...path, name]))}
              isReadOnly={isReadOnly}
            />
          ))}
        </Stack>
      )}
    </Foldable>
  )
}

/** A field for percentages, with commas. It keeps the text while that says the list. */
function PercentsMember(given: MemberProps) {
  const { editing, path } = given
  const value = valueAt(editing, path)
  const list = Array.isArray(value) ? value : []
  const [typed, keep] = useState('')
  return (
    <InputField
      {...saidOf(given)}
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

const readNumbers = (text: string): unknown[] =>
  text
    .split(/[,\s]+/)
    .filter((part) => part !== '')
    .map((part) => (Number.isNaN(Number(part)) ? part : Number(part)))

function ChoiceMember({ words, ...given }: MemberProps & { words: NonNullable<MemberWords['words']> }) {
  const { editing, path } = given
  const value = valueAt(editing, path)
  return (
    <SelectField
      {...saidOf(given)}
      value={typeof value === 'string' || typeof value === 'number' ? value : (words[0]?.[0] ?? '')}
      onValue={(chosen) => editing.set(path, words.find(([choice]) => String(choice) === chosen)?.[0])}
      options={words}
    />
  )
}

function CheckboxesMember({ editing, path, labels, schema }: MemberProps) {
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
