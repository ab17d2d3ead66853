// A form from the service's schema and a table of words, one row a field. Kinds, bounds, choices and faults are the service's.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { FieldSchema } from '../../platform/field-schema.ts'
import { Choices } from './layout.view.tsx'
import { FieldGroup } from './field-group.view.tsx'
import { AreaField, Checkbox, InputField, Radio, SelectField } from './fields.view.tsx'
import { bodyOf, namesOf, recordOf, shownOf, textOf, type FieldRule, type FormGiven as Given } from './form-values.ts'
import { useUnsavedWarning, type FaultOf } from './form.view.tsx'

/** A field as a control draws it. A list has a line an item, and an empty text is no value. */
export type FieldState = {
  label: string
  mark?: ComponentChildren
  hint?: string | undefined
  fault: string | null
  value: string
  onValue: (value: string) => void
}

/** The row of a field: what the schema does not say. */
type FieldWords = FieldRule &
  Pick<FieldState, 'mark' | 'hint'> & {
    /** The control, if the schema's type does not choose it: `(field) => <PasswordField {...field} />`. */
    as?: 'area' | ((field: FieldState) => ComponentChildren)
    /** The words of the choices. Absent: the schema's own values. */
    options?: readonly (readonly [value: string, words: string])[]
    /** Choices with a line about each. */
    cards?: readonly (readonly [value: string, title: string, about: string])[]
    /** The first and the last day to choose. */
    min?: string
    max?: string
    placeholder?: string
    isRequired?: boolean
    isDisabled?: boolean
  }

type FormGiven<Name extends string> = Given<Name, FieldWords>

type FormState<Name extends string> = Pick<FormGiven<Name>, 'schema' | 'words'> & {
  text: Readonly<Record<Name, string>>
  set: (name: Name, text: string) => void
}

/** Returns what is typed, and the body that the request takes. */
export function useForm<Name extends string>(
  given: FormGiven<Name>,
): FormState<Name> & { body: ReturnType<typeof bodyOf<Name>> } {
  const { schema, words, start } = given
  const first = recordOf(namesOf(words), (name) => textOf(start?.[name], schema[name]))
  const [text, setText] = useState(first)
  useUnsavedWarning(namesOf(words).some((name) => text[name] !== first[name]))
  return {
    schema,
    words,
    text,
    set: (name, value) => setText((all) => ({ ...all, [name]: value })),
    body: bodyOf(given, text),
  }
}

/** The card of a page's form. Its fields are as wide as the card, or as half of it. */
export const FormCard = ({ label, children }: { label: string; children: ComponentChildren }) => (
  <section class="card form-card" aria-label={label}>
    {children}
  </section>
)

type FieldsProps<Name extends string> = { of: FormState<Name>; only?: readonly Name[]; faultOf: FaultOf }

/** Draws the fields in the order of their words: all, or those that are named. */
export const FormFields = <Name extends string>({ of, only, faultOf }: FieldsProps<Name>) =>
  shownOf(of.words, of.text)
    .filter((name) => only?.includes(name) !== false)
    .map((name) => (
      <SchemaField
        key={name}
        name={name}
        schema={of.schema[name]}
        words={of.words[name]}
        fault={faultOf(name)}
        value={of.text[name]}
        onValue={(value) => of.set(name, value)}
      />
    ))

type FieldProps = Pick<FieldState, 'fault' | 'value' | 'onValue'> & {
  name: string
  schema: FieldSchema
  words: FieldWords
}

const choicesOf = ({ enum: values }: FieldSchema) => values?.map((one) => [String(one), String(one)] as const)

/** More choices than these stand below one another. */
const MOST_CARDS = 4

function SchemaField({ name, schema, words, fault, value, onValue }: FieldProps) {
  const { label, mark, hint, as, cards, options = choicesOf(schema), placeholder } = words
  const { isRequired = false, isDisabled = false } = words
  const field: FieldState = { label, mark, hint, fault, value, onValue }
  if (typeof as === 'function') return as(field)
  if (cards !== undefined) {
    const radios = cards.map(([one, title, about]) => (
      <Radio key={one} {...{ name, isRequired, about }} isChosen={one === value} onChoose={() => onValue(one)}>
        {title}
      </Radio>
    ))
    return (
      <FieldGroup legend={label} hint={hint} fault={fault}>
        {cards.length > MOST_CARDS ? radios : <Choices>{radios}</Choices>}
      </FieldGroup>
    )
  }
  if (schema.type === 'boolean') {
    return (
      <Checkbox isChecked={value === 'true'} about={hint} onCheck={(isChecked) => onValue(String(isChecked))}>
        {label}
      </Checkbox>
    )
  }
  if (options !== undefined) return <SelectField {...field} options={options} />
  const bounds = { maxLength: schema.maxLength, required: isRequired }
  return as === 'area' ? (
    <AreaField {...field} {...bounds} isShort />
  ) : (
    <InputField
      {...field}
      {...bounds}
      {...kindOf(schema, words)}
      {...(placeholder !== undefined && { placeholder })}
      disabled={isDisabled}
      autocomplete="off"
    />
  )
}

/** What a number, an address and a day add. */
function kindOf({ type, format, minimum, maximum }: FieldSchema, { min, max }: FieldWords) {
  if (type === 'integer') return { type: 'number', inputMode: 'numeric', step: 1, min: minimum, max: maximum } as const
  if (type === 'number') return { type, step: 'any', min: minimum, max: maximum } as const
  if (format === 'email') return { type: format, autocapitalize: 'none', spellcheck: false } as const
  return format === 'date' || format === 'date-time' ? ({ type: 'date', min, max } as const) : {}
}
