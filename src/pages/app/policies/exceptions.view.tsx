// Policy form: shows a rule's exceptions, by identifier or wording, as a table, with a menu that adds one; and what is done with each
// identifier by the rule and its exceptions.
import type { FieldSchema } from '../../../platform/field-schema.ts'
import { close } from '../../parts/icons.ts'
import { valueAt, type Editing } from './policy-draft.ts'
import { isJsonObject, ownMember, type JsonObject } from '../../../platform/json.ts'
import { DONE_TO_ANSWERS } from '../../../policies/rules/pii-scan.words.ts'
import { DONE, type MemberWords } from '../../../policies/rules/rule-words.ts'
import { groupedShapes, lineName } from './rule-words.ts'
import { Stack, Narrow, Row, Text } from '../../parts/layout.view.tsx'
import { SignButton } from '../../parts/button.view.tsx'
import { Table } from '../../parts/table.view.tsx'
import { Fault } from '../../parts/field-frame.view.tsx'

type Props = { editing: Editing; path: readonly string[]; labels: MemberWords; schema: FieldSchema }

export function ExceptionsMember({ editing, path, labels, schema: { names = [], each } }: Props) {
  const { label, noun = '', actions = [] } = labels
  const value = valueAt(editing, path)
  const exceptions = isJsonObject(value) ? value : {}
  const exceptionIds = groupedShapes(Object.keys(exceptions)).flatMap(([, ids]) => ids)
  const choices = (each?.enum ?? []).map(String)
  /** Sets the action of an exception. Without an action, it removes the exception. */
  const setException = (id: string, action?: string): void => {
    const { [id]: _, ...others } = exceptions
    const next = action === undefined ? others : { ...others, [id]: action }
    editing.set(path, Object.keys(next).length === 0 ? undefined : next)
  }
  return (
    <Stack gap={2}>
      {exceptionIds.length > 0 && (
        <Narrow>
          <Table
            caption={label}
            isCaptionHidden
            rows={exceptionIds}
            keyOf={(id) => id}
            columns={[
              {
                name: noun,
                cell: (id) => (
                  <>
                    {lineName(id)}
                    <Fault of={editing.faultOf([...path, id])} />
                  </>
                ),
              },
              {
                name: 'What happens',
                cell: (id) => (
                  <Row isSingle gap={2}>
                    <select
                      aria-label={lineName(id)}
                      value={String(exceptions[id])}
                      onChange={({ currentTarget }) => setException(id, currentTarget.value)}
                    >
                      {choices.map((action) => (
                        <option key={action} value={action} selected={action === exceptions[id]}>
                          {actions.find(([one]) => one === action)?.[1] ?? action}
                        </option>
                      ))}
                    </select>
                    {!editing.isReadOnly && (
                      <SignButton
                        icon={close}
                        label={`Remove the exception ${lineName(id)}`}
                        onClick={() => setException(id)}
                      />
                    )}
                  </Row>
                ),
              },
            ]}
          />
        </Narrow>
      )}
      {exceptionIds.length < names.length && !editing.isReadOnly && (
        <Narrow>
          <select
            aria-label={`Add an exception: ${label}`}
            value=""
            onChange={({ currentTarget }) => {
              setException(currentTarget.value, actionOfNewException(editing, path, choices))
              currentTarget.value = ''
            }}
          >
            <option value="">Add an exception</option>
            {groupedShapes(names.filter((id) => !exceptionIds.includes(id))).map(([group, ids]) => {
              const options = ids.map((id) => (
                <option key={id} value={id}>
                  {lineName(id)}
                </option>
              ))
              return group === '' ? (
                options
              ) : (
                <optgroup key={group} label={group}>
                  {options}
                </optgroup>
              )
            })}
          </select>
        </Narrow>
      )}
    </Stack>
  )
}

/** Returns the action of a new exception: `block`, or the first that differs if the rule already blocks. */
function actionOfNewException(editing: Editing, path: readonly string[], actions: readonly string[]): string {
  const around = path.slice(0, -1)
  const ruleAction = valueAt(editing, [...around, 'default']) ?? valueAt(editing, [...around, 'action'])
  return ruleAction !== 'block' && actions.includes('block')
    ? 'block'
    : (actions.find((one) => one !== ruleAction) ?? '')
}

/** What is done with an identifier, in words: by its exception, or as with every other. */
const doneTo = ({ default: action, shapes }: JsonObject, id: string, done = DONE): string =>
  done.get((isJsonObject(shapes) ? ownMember(shapes, id) : undefined) ?? action) ?? '–'

/** What happens to each identifier. Those with which the same is done share a row. */
export function IdentifierTable({ ids, rule }: { ids: readonly string[]; rule: JsonObject }) {
  const { answers } = rule
  const inAnswers = (id: string): string =>
    isJsonObject(answers) ? doneTo(answers, id, DONE_TO_ANSWERS) : 'Not searched'
  const rows = Map.groupBy(
    groupedShapes(ids).flatMap(([, of]) => of),
    (id) => [doneTo(rule, id), inAnswers(id)].join('\n'),
  )
  return (
    <Narrow>
      <Table
        caption="What happens to each identifier"
        rows={[...rows]}
        keyOf={([done]) => done}
        columns={[
          { name: 'Identifier', cell: ([, of]) => of.map(lineName).join(', ') },
          { name: 'Prompts', cell: ([done]) => <Text isOneLine>{done.split('\n')[0]}</Text> },
          { name: 'Answers', cell: ([done]) => <Text isOneLine>{done.split('\n')[1]}</Text> },
        ]}
      />
    </Narrow>
  )
}
