// A list of names as chips: each can be removed, and others are chosen from a list or, where any name may be, typed.
import type { ComponentChildren } from 'preact'
import { Fault, useUniqueId } from './field-frame.view.tsx'
import { SignButton } from './button.view.tsx'
import { close } from './icons.ts'

type Props = {
  label: string
  hint?: ComponentChildren
  fault?: string | null
  /** The noun for one: “model”. */
  noun: string
  values: readonly string[]
  onValues: (values: string[]) => void
  /** Names to choose from. */
  options: readonly string[]
  /** True if names beside the options may be typed. */
  isOpen?: boolean
  /** The list before the change, whose removed names are shown crossed out. */
  before?: readonly string[]
  /** Returns the word for a value, such as the name of a key. */
  wordOf?: (value: string) => string
  isReadOnly?: boolean
}

export function ChipsField(props: Props) {
  const { label, hint, fault = null, noun, values, onValues, options, before = [] } = props
  const { isOpen = false, wordOf = String, isReadOnly = false } = props
  const id = useUniqueId()
  const removed = before.filter((name) => !values.includes(name))
  const add = (text: string): void => {
    const names = text.split(/[\s,]+/).filter((name) => name !== '' && !values.includes(name))
    if (names.length > 0) onValues([...values, ...new Set(names)])
  }
  const others = options.filter((name) => !values.includes(name))
  const adding = { noun, label, id, others, wordOf, onAdd: add }
  return (
    <div class="field" role="group" aria-labelledby={id}>
      <span class="label" id={id}>
        {label}
      </span>
      <div class={fault === null ? 'picks row' : 'picks row wrong'} data-gap="2">
        {values.map((name) => (
          <span key={name} class="pick">
            {wordOf(name)}
            {!isReadOnly && (
              <SignButton
                icon={close}
                label={`Remove ${wordOf(name)}`}
                onClick={() => onValues(values.filter((one) => one !== name))}
              />
            )}
          </span>
        ))}
        {removed.map((name) => (
          <del key={name} class="pick">
            {wordOf(name)}
          </del>
        ))}
        {!isReadOnly && (isOpen ? <TypedName {...adding} /> : <ChosenName {...adding} />)}
      </div>
      {hint !== undefined && <span class="hint">{hint}</span>}
      {removed.length > 0 && !isReadOnly && (
        <span class="hint">
          You removed {removed.length}. {removed.length === 1 ? 'It is' : 'They are'} crossed out until the change is in
          force.
        </span>
      )}
      <Fault of={fault} />
    </div>
  )
}

type AddingProps = {
  noun: string
  label: string
  id: string
  others: readonly string[]
  wordOf: (value: string) => string
  onAdd: (name: string) => void
}

const ChosenName = ({ noun, label, others, wordOf, onAdd }: AddingProps) =>
  others.length === 0 ? null : (
    <select
      aria-label={`Add a ${noun}: ${label}`}
      value=""
      onChange={({ currentTarget }) => {
        onAdd(currentTarget.value)
        currentTarget.value = ''
      }}
    >
      <option value="">Add a {noun}</option>
      {others.map((name) => (
        <option key={name} value={name}>
          {wordOf(name)}
        </option>
      ))}
    </select>
  )

/** A field whose names are added when it is left, or by Enter. */
const TypedName = ({ noun, label, id, others, onAdd }: AddingProps) => (
  <>
    <input
      type="text"
      aria-label={`Add a ${noun}: ${label}`}
      placeholder={`Add a ${noun}`}
      list={`${id}-names`}
      autocomplete="off"
      autocapitalize="none"
      spellcheck={false}
      maxLength={200}
      onChange={({ currentTarget }) => {
        onAdd(currentTarget.value)
        currentTarget.value = ''
      }}
    />
    <datalist id={`${id}-names`}>
      {others.map((name) => (
        <option key={name} value={name} />
      ))}
    </datalist>
  </>
)
