// Policy form: lists of models for single use cases or keys, which narrow the list for every call.
import MODEL_NAMES from 'virtual:model-names'
import { ChipsField } from '../../parts/chips-field.view.tsx'
import { Foldable } from '../../parts/foldable.view.tsx'
import { memberOf, valueAt, type Editing } from './policy-draft.ts'
import { isJsonObject } from '../../../platform/json.ts'
import { textsIn, type MemberWords } from '../../../policies/rules/rule-words.ts'
import { Stack } from '../../parts/layout.view.tsx'

type Props = { editing: Editing; path: readonly string[]; labels: MemberWords }

export function ModelsByName({ editing, path, labels: { label, names } }: Props) {
  const value = valueAt(editing, path)
  const lists = isJsonObject(value) ? value : {}
  const isByKey = names === 'models by key'
  const { keyNames, isReadOnly, before } = editing
  const wordOf = (name: string): string => (isByKey ? (keyNames.get(name) ?? name) : name)
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
            options={isByKey ? [...keyNames.keys()] : editing.useCases}
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
              values={textsIn(lists[name])}
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
