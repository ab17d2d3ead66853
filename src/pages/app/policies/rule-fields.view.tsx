// Policy form: the field for one member of a rule, chosen by its type in the policy's schema, and the note about members without
// a field.
import type { FieldSchema } from '../../../../scripts/pages/form-schemas.ts'
import { useState } from 'preact/hooks'
import { Button } from '../../parts/button.view.tsx'
import { AreaField, Checkbox, Checkboxes, InputField, SelectField } from '../../parts/fields.view.tsx'
import { isObject, textsIn, valueAt, type Editing } from './policy-draft.ts'
import type { MemberLabels } from './rule-labels.ts'

type Props = {
  editing: Editing
  /** The path of the member, from the rule's name on. */
  path: readonly string[]
  labels: MemberLabels
  schema: FieldSchema
}

/** Returns true for a member whose field takes numbers. The form puts these fields in a row below the others. */
export const isNumberField = ({ type, items }: FieldSchema): boolean =>
  type === 'integer' || type === 'number' || items?.type === 'integer'

export function MemberField(given: Props) {
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
  if (labels.words !== undefined) return <ChoiceMember {...given} words={labels.words} />
  if (schema.type === 'object') return <ActionsMember {...given} />
  if (schema.type !== 'array') return <NumberMember {...given} />
  if (schema.items?.type === 'object') return <ApprovalCases {...given} schema={schema.items} />
  return schema.items?.enum === undefined ? <ListMember {...given} /> : <CheckboxesMember {...given} />
}

function NumberMember({ editing, path, labels, schema }: Props) {
  const [text, keep] = useTyped(valueAt(editing, path), readNumber, writeNumber)
  return (
    <InputField
      label={labels.label}
      hint={labels.hint}
      fault={editing.faultOf(path)}
      type="number"
      min={schema.minimum}
      step={schema.type === 'number' ? 'any' : 1}
      value={text}
      onValue={(value) => {
        keep(value)
        editing.set(path, readNumber(value))
      }}
    />
  )
}

/** A text field for a list. */
function ListMember({ editing, path, labels, schema }: Props) {
  const isNumbers = schema.items?.type === 'integer'
  const value = valueAt(editing, path)
  const list = Array.isArray(value) ? value : []
  const read = isNumbers ? readNumbers : readLines
  const [text, keep] = useTyped(list, read, () => list.join(isNumbers ? ', ' : '\n'))
  const { label, isKeptEmpty = false } = labels
  const type = (typed: string): void => {
    keep(typed)
    const parts = read(typed)
    editing.set(path, parts.length > 0 || isKeptEmpty ? parts : undefined)
  }
  const isEmptyList = Array.isArray(value) && value.length === 0 && !isNumbers && !isKeptEmpty
  const hint = isEmptyList ? <EmptyList onTake={() => editing.set(path, undefined)} /> : labels.hint
  const field = { label, hint, fault: editing.faultOf(path), value: text, onValue: type }
  return isNumbers ? (
    <InputField {...field} inputMode="numeric" autocomplete="off" />
  ) : (
    <AreaField {...field} class="short" spellcheck={false} />
  )
}

/** The note about an empty list in the JSON, which means something else than no list. */
const EmptyList = ({ onTake }: { onTake: () => void }) => (
  <>
    The policy has a list here that is empty: nothing passes it.{' '}
    <button type="button" class="copy" onClick={onTake}>
      Take the list away
    </button>
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

const partsOf = (text: string, between: RegExp): string[] =>
  text
    .split(between)
    .map((part) => part.trim())
    .filter((part) => part !== '')

const readLines = (text: string): unknown[] => partsOf(text, /\n/)

const readNumbers = (text: string): unknown[] =>
  partsOf(text, /[,\s]+/).map((part) => (Number.isNaN(Number(part)) ? part : Number(part)))

function ChoiceMember({ editing, path, labels, words }: Props & { words: NonNullable<MemberLabels['words']> }) {
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

function CheckboxesMember({ editing, path, labels, schema }: Props) {
  const value = valueAt(editing, path)
  const options = (schema.items?.enum ?? []).map(String)
  const { label, absent = options } = labels
  return (
    <fieldset class="stack">
      <legend>{label}</legend>
      <div class="row">
        <Checkboxes
          options={options}
          chosen={value === undefined ? absent : textsIn(value)}
          onChosen={(next) => editing.set(path, next.join() === absent.join() ? undefined : next)}
        >
          {(option) => option}
        </Checkboxes>
      </div>
      {editing.faultOf(path) !== null && <p class="fault">{editing.faultOf(path)}</p>}
    </fieldset>
  )
}

function ActionsMember({ editing, path, labels, schema: { names = [], each } }: Props) {
  const value = valueAt(editing, path)
  const actions = isObject(value) ? value : {}
  const count = Object.keys(actions).length
  const choose = (name: string, action: string): void => {
    const { [name]: _, ...others } = actions
    const next = action === '' ? others : { ...actions, [name]: action }
    editing.set(path, Object.keys(next).length === 0 ? undefined : next)
  }
  return (
    <details>
      <summary>
        {labels.label}: {count === 0 ? 'none is named' : `${count} of ${names.length} named`}
      </summary>
      <div class="columns">
        {names.map((name) => (
          <SelectField
            key={name}
            label={name.replaceAll('_', ' ')}
            fault={editing.faultOf([...path, name])}
            value={choiceOf(actions[name]) ?? ''}
            onValue={(action) => choose(name, action)}
            options={[['', 'as every other'], ...(each?.enum ?? []).map((one) => [one, one] as const)]}
          />
        ))}
      </div>
    </details>
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
  const others = isObject(value) ? Object.keys(value).filter((name) => !shown.includes(name)) : []
  if (others.length === 0) return null
  return (
    <p class="soft">
      Also set, in the JSON, and kept: <code>{others.join(', ')}</code>
    </p>
  )
}

const CASE_MEMBERS = [
  { name: 'use_cases', label: 'Use cases', hint: 'One a line. Empty: whatever it is for.' },
  { name: 'models', label: 'Models', hint: 'One a line. Empty: any model.' },
  { name: 'min_cost_eur', label: 'Euro that it can cost, at least' },
] as const

/** The fields for the cases of a rule. A request needs approval if it meets every condition of at least one case. */
function ApprovalCases({ editing, path, schema }: Props) {
  const value = valueAt(editing, path)
  const cases: readonly unknown[] = Array.isArray(value) ? value : []
  const set = (next: readonly unknown[]): void => editing.set(path, next)
  return (
    <div class="stack">
      {cases.map((one, at) => (
        // Cases have no names, so only their position tells them apart.
        // oxlint-disable-next-line react/no-array-index-key
        <fieldset key={at} class="card stack">
          <legend class="only-read">Case {at + 1}</legend>
          <p>
            <strong>Case {at + 1}:</strong>{' '}
            {isObject(one) && Object.keys(one).length > 0 ? 'requests that fit all of this' : 'every request'}
          </p>
          <CaseFields
            schema={schema}
            editing={{
              document: isObject(one) ? one : {},
              set: (own, changed) => set(cases.with(at, changedCase(one, own, changed))),
              faultOf: (own) => editing.faultOf([...path, String(at), ...own]),
            }}
          />
          {cases.length > 1 && (
            <p>
              <Button onClick={() => set(cases.toSpliced(at, 1))}>Take case {at + 1} away</Button>
            </p>
          )}
        </fieldset>
      ))}
      <p>
        <Button onClick={() => set([...cases, {}])}>Add a case</Button>
      </p>
    </div>
  )
}

function changedCase(one: unknown, [name]: readonly string[], value: unknown): unknown {
  if (name === undefined) return one
  const { [name]: _, ...others } = isObject(one) ? one : {}
  return value === undefined ? others : { ...others, [name]: value }
}

function CaseFields({ editing, schema: { properties = {} } }: Pick<Props, 'editing' | 'schema'>) {
  const { document } = editing
  return (
    <>
      <div class="columns">
        {CASE_MEMBERS.map((labels) => (
          <MemberField
            key={labels.name}
            editing={editing}
            path={[labels.name]}
            labels={labels}
            schema={properties[labels.name] ?? {}}
          />
        ))}
      </div>
      <CheckboxesMember
        editing={editing}
        path={['content_kinds']}
        labels={{ label: 'With any of this content', absent: [] }}
        schema={properties['content_kinds'] ?? {}}
      />
      <MembersInJsonOnly value={document} shown={[...CASE_MEMBERS.map(({ name }) => name), 'content_kinds']} />
    </>
  )
}
