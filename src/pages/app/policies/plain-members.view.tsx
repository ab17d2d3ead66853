// Members of a rule that have one value, or a list of plain ones, as they are asked for.
import { useState } from 'preact/hooks'
import { Field } from '../../parts/field.view.tsx'
import { isMembers } from './draft.ts'
import { textsIn, valueAt, type Editing } from './editing.ts'
import type { MemberAsked } from './rules.ts'

export type Given<Kind extends MemberAsked['kind']> = {
  editing: Editing
  /** With the rule's own name before it. */
  path: readonly string[]
  asked: Extract<MemberAsked, { kind: Kind }>
}

export function NumberMember({ editing, path, asked }: Given<'count' | 'eur'>) {
  const value = valueAt(editing, path)
  return (
    <Field label={asked.label} hint={asked.hint} fault={editing.faultOf(path)}>
      {(control) => (
        <input
          {...control}
          type="number"
          min={asked.least ?? 0}
          step={asked.kind === 'eur' ? 'any' : 1}
          value={typeof value === 'number' ? value : ''}
          onInput={({ currentTarget: { value: text } }) => editing.set(path, text === '' ? undefined : Number(text))}
        />
      )}
    </Field>
  )
}

/** A list as text: what was typed stays as it was typed for as long as it says the same. */
export function ListMember({ editing, path, asked }: Given<'lines' | 'numbers'>) {
  const [typed, setTyped] = useState('')
  const value = valueAt(editing, path)
  const list = Array.isArray(value) ? value : []
  const isNumbers = asked.kind === 'numbers'
  const read = (text: string): unknown[] => {
    const parts = text.split(isNumbers ? /[,\s]+/ : '\n').map((part) => part.trim())
    return parts
      .filter((part) => part !== '')
      .map((part) => (isNumbers && !Number.isNaN(Number(part)) ? Number(part) : part))
  }
  const isSame = JSON.stringify(read(typed)) === JSON.stringify(list)
  const text = isSame ? typed : list.join(isNumbers ? ', ' : '\n')
  const onInput = ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLTextAreaElement }): void => {
    setTyped(currentTarget.value)
    const parts = read(currentTarget.value)
    const isKept = parts.length > 0 || (asked.kind === 'lines' && asked.isKeptEmpty === true)
    editing.set(path, isKept ? parts : undefined)
  }
  return (
    <Field label={asked.label} hint={asked.hint} fault={editing.faultOf(path)}>
      {(control) =>
        isNumbers ? (
          <input {...control} inputMode="numeric" autocomplete="off" value={text} onInput={onInput} />
        ) : (
          <textarea {...control} class="short" spellcheck={false} value={text} onInput={onInput} />
        )
      }
    </Field>
  )
}

export function YesMember({ editing, path, asked }: Given<'yes'>) {
  return (
    <label class="choice">
      <input
        type="checkbox"
        checked={valueAt(editing, path) === true}
        onChange={({ currentTarget: { checked } }) => editing.set(path, checked ? true : undefined)}
      />
      {asked.label}
    </label>
  )
}

export function ChoiceMember({ editing, path, asked }: Given<'choice'>) {
  const value = valueAt(editing, path)
  const [first] = asked.options
  return (
    <Field label={asked.label} hint={asked.hint} fault={editing.faultOf(path)}>
      {(control) => (
        <select
          {...control}
          value={wordOf(value) ?? first?.[0]}
          onChange={({ currentTarget }) =>
            editing.set(path, asked.options.find(([option]) => String(option) === currentTarget.value)?.[0])
          }
        >
          {asked.options.map(([option, words]) => (
            <option key={option} value={String(option)}>
              {words}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

export function SomeMember({ editing, path, asked }: Given<'some'>) {
  const value = valueAt(editing, path)
  const chosen = value === undefined ? asked.absent : textsIn(value)
  const choose = (option: string, isChosen: boolean): void => {
    const next = asked.options.filter((one) => (one === option ? isChosen : chosen.includes(one)))
    editing.set(path, next.join() === asked.absent.join() ? undefined : next)
  }
  return (
    <fieldset class="stack">
      <legend>{asked.label}</legend>
      <div class="row">
        {asked.options.map((option) => (
          <label key={option} class="choice">
            <input
              type="checkbox"
              checked={chosen.includes(option)}
              onChange={({ currentTarget: { checked } }) => choose(option, checked)}
            />
            {option}
          </label>
        ))}
      </div>
      {editing.faultOf(path) !== null && <p class="fault">{editing.faultOf(path)}</p>}
    </fieldset>
  )
}

export function ActionsMember({ editing, path, asked }: Given<'actions'>) {
  const value = valueAt(editing, path)
  const actions = isMembers(value) ? value : {}
  const count = Object.keys(actions).length
  return (
    <details>
      <summary>
        {asked.label}: {count === 0 ? 'none is named' : `${count} of ${asked.names.length} named`}
      </summary>
      <div class="columns">
        {asked.names.map((name) => (
          <Field key={name} label={name.replaceAll('_', ' ')} fault={editing.faultOf([...path, name])}>
            {(control) => (
              <select
                {...control}
                value={wordOf(actions[name]) ?? ''}
                onChange={({ currentTarget: { value: action } }) => {
                  const { [name]: _, ...others } = actions
                  const next = action === '' ? others : { ...actions, [name]: action }
                  editing.set(path, Object.keys(next).length === 0 ? undefined : next)
                }}
              >
                <option value="">as every other</option>
                {asked.actions.map((action) => (
                  <option key={action}>{action}</option>
                ))}
              </select>
            )}
          </Field>
        ))}
      </div>
    </details>
  )
}

/** Of an option; null where it is none. */
const wordOf = (value: unknown): string | null =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : null
