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
  const [text, keep] = useTyped(valueAt(editing, path), readNumber, writeNumber)
  return (
    <Field label={asked.label} hint={asked.hint} fault={editing.faultOf(path)}>
      {(control) => (
        <input
          {...control}
          type="number"
          min={asked.least ?? 0}
          step={asked.kind === 'eur' ? 'any' : 1}
          value={text}
          onInput={({ currentTarget: { value } }) => {
            keep(value)
            editing.set(path, readNumber(value))
          }}
        />
      )}
    </Field>
  )
}

/** A list as text. */
export function ListMember({ editing, path, asked }: Given<'lines' | 'numbers'>) {
  const isNumbers = asked.kind === 'numbers'
  const value = valueAt(editing, path)
  const list = Array.isArray(value) ? value : []
  const read = isNumbers ? readNumbers : readLines
  const [text, keep] = useTyped(list, read, () => list.join(isNumbers ? ', ' : '\n'))
  const isKeptEmpty = asked.kind === 'lines' && asked.isKeptEmpty === true
  const onInput = ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLTextAreaElement }): void => {
    keep(currentTarget.value)
    const parts = read(currentTarget.value)
    editing.set(path, parts.length > 0 || isKeptEmpty ? parts : undefined)
  }
  const isEmptyList = Array.isArray(value) && value.length === 0 && !isNumbers && !isKeptEmpty
  const hint = isEmptyList ? <EmptyList onTake={() => editing.set(path, undefined)} /> : asked.hint
  return (
    <Field label={asked.label} hint={hint} fault={editing.faultOf(path)}>
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

/** Written in the JSON: a list without anything in it is something else than no list. */
const EmptyList = ({ onTake }: { onTake: () => void }) => (
  <>
    The policy has a list here that is empty: nothing passes it.{' '}
    <button type="button" class="copy" onClick={onTake}>
      Take the list away
    </button>
  </>
)

/** What was typed stays as it was typed for as long as it says the same: `1.` on the way to `1.50` is no other number than 1. */
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
