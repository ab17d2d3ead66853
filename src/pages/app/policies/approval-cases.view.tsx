// Policy form: the cases of calls that wait for a person.
import type { FieldSchema } from '../../../platform/field-schema.ts'
import { Button } from '../../parts/button.view.tsx'
import { valueAt, type Editing } from './policy-draft.ts'
import { CheckboxesMember, MemberField, MembersInJsonOnly } from './rule-fields.view.tsx'
import { isJsonObject } from '../../../platform/json.ts'
import type { MemberWords } from '../../../policies/rules/rule-words.ts'
import { Stack, Columns } from '../../parts/layout.view.tsx'
import { FieldGroup } from '../../parts/field-group.view.tsx'

type Props = { editing: Editing; path: readonly string[]; schema: FieldSchema }

const CASE_MEMBERS = [
  { name: 'use_cases', label: 'For these use cases', hint: 'Leave empty for any.', names: 'use cases' },
  { name: 'models', label: 'To these models', hint: 'Leave empty for any.', names: 'models' },
  { name: 'min_cost_eur', label: 'Only calls that can cost at least', unit: 'euro' },
] as const satisfies readonly (MemberWords & { name: string })[]

/** The fields for the cases of a rule. A request needs approval if it meets every condition of at least one case. */
export function ApprovalCases({ editing, path, schema }: Props) {
  const value = valueAt(editing, path)
  const cases: readonly unknown[] = Array.isArray(value) ? value : []
  const set = (next: readonly unknown[]): void => editing.set(path, next)
  return (
    <Stack>
      {cases.map((one, at) => (
        // Cases have no names, so only their position tells them apart.
        // oxlint-disable-next-line react/no-array-index-key
        <FieldGroup key={at} legend={`${cases.length > 1 ? `Case ${at + 1}: ` : ''}${waitWords(one)}`} gap={4}>
          <CaseFields
            schema={schema}
            editing={{
              ...editing,
              before: {},
              document: isJsonObject(one) ? one : {},
              set: (own, changed) => set(cases.with(at, changedCase(one, own, changed))),
              faultOf: (own) => editing.faultOf([...path, String(at), ...own]),
            }}
          />
          {cases.length > 1 && (
            <p>
              <Button onClick={() => set(cases.toSpliced(at, 1))}>Remove case {at + 1}</Button>
            </p>
          )}
        </FieldGroup>
      ))}
      <p>
        <Button onClick={() => set([...cases, {}])}>Add another case</Button>
      </p>
    </Stack>
  )
}

const waitWords = (one: unknown): string =>
  isJsonObject(one) && Object.keys(one).length > 0 ? 'Calls that match all of this wait' : 'Every call waits'

function changedCase(one: unknown, [name]: readonly string[], value: unknown): unknown {
  if (name === undefined) return one
  const { [name]: _, ...others } = isJsonObject(one) ? one : {}
  return value === undefined ? others : { ...others, [name]: value }
}

function CaseFields({ editing, schema: { properties = {} } }: Omit<Props, 'path'>) {
  const { document } = editing
  return (
    <>
      <Columns>
        {CASE_MEMBERS.map((labels) => (
          <MemberField
            key={labels.name}
            editing={editing}
            path={[labels.name]}
            labels={labels}
            schema={properties[labels.name] ?? {}}
          />
        ))}
      </Columns>
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
