// Policy page: the form of a rule that is open, with its switch, its fields and its limits.
import SCHEMA from 'virtual:form-schema/policy'
import type { FieldSchema } from '../../../platform/field-schema.ts'
import { isJsonObject } from '../../../platform/json.ts'
import type { MemberWords } from '../../../policies/rules/rule-words.ts'
import type { NamedRuleWords } from '../../../policies/rules/words.ts'
import { Switch } from '../../parts/switch.view.tsx'
import { IdentifierTable } from './exceptions.view.tsx'
import { memberOf, valueAt, withMember, type Editing } from './policy-draft.ts'
import { MembersInJsonOnly, isNumberField, MemberField, MemberFields } from './rule-fields.view.tsx'
import { Row, OnlyRead, Note, Soft, Stack, Pair, Columns } from '../../parts/layout.view.tsx'
import { Remark } from '../../parts/surfaces.view.tsx'
import { Button, LinkButton } from '../../parts/button.view.tsx'
import { FieldGroup } from '../../parts/field-group.view.tsx'
import { Fault } from '../../parts/field-frame.view.tsx'
import { LackingPart } from '../frame/lacking.view.tsx'

type FormProps = {
  rule: NamedRuleWords
  editing: Editing
  isChanged: boolean
  /** True for the rule that the organisation's tier does not include. */
  isLocked: boolean
  /** A rule that is switched off and on again gets its last value. */
  lastValues: Map<string, unknown>
}

export function RuleForm({ rule, editing, isChanged, isLocked, lastValues }: FormProps) {
  const { id, name, about, start } = rule
  const value = valueAt(editing, [id])
  const isOn = value !== undefined
  if (isOn) lastValues.set(id, value)
  const before = memberOf(editing.before, [id])
  const isShown = SCHEMA[id].type === 'array' ? Array.isArray(value) : isJsonObject(value)
  return (
    <FieldGroup legend={name} isLegendHidden gap={4} isDisabled={editing.isReadOnly}>
      <Row isApart>
        <Soft as="p">{about}</Soft>
        {(!isLocked || isOn) && (
          <Switch
            isOn={isOn}
            isDisabled={editing.isReadOnly}
            onSwitch={(isNowOn) => editing.set([id], isNowOn ? (lastValues.get(id) ?? before ?? start) : undefined)}
          >
            {rule.isLabel === true ? 'Use' : 'Enforce'} <OnlyRead>{name}</OnlyRead>
          </Switch>
        )}
      </Row>
      {rule.limit !== undefined && <Remark tone="warn">{rule.limit}</Remark>}
      {isLocked && <LackingPart feature="human_approval" />}
      {isLocked && isOn && <Note as="p">A new version of the policy with this rule is refused.</Note>}
      {isOn && !isShown && <p>What it says now is none of what this form can show: see the JSON.</p>}
      {isOn && isShown && <RuleMembers rule={rule} editing={editing} value={value} />}
      {!isShown && <Fault of={editing.faultOf([id])} />}
      {isChanged && !editing.isReadOnly && (
        <p>
          <LinkButton onClick={() => editing.set([id], before)}>Undo the changes of {name}</LinkButton>
        </p>
      )}
    </FieldGroup>
  )
}

/** So many fields are two rows of two: three would leave one alone. */
const PAIRS = 4

type MembersProps = Pick<FormProps, 'rule' | 'editing'> & { value: unknown }

function RuleMembers({ rule: { id, members }, editing, value }: MembersProps) {
  const { properties = {} } = SCHEMA[id]
  const schemaOf = ({ name }: MemberWords): FieldSchema => (name === undefined ? SCHEMA[id] : (properties[name] ?? {}))
  const small = members.filter((labels) => labels.words !== undefined || isNumberField(schemaOf(labels)))
  const others = members.filter((member) => !small.includes(member))
  const fieldOf = (labels: MemberWords) => {
    const schema = schemaOf(labels)
    const path = labels.name === undefined ? [id] : [id, labels.name]
    return schema.items?.type === 'object' ? (
      <ApprovalCases key={labels.label} editing={editing} path={path} schema={schema.items} />
    ) : (
      <MemberField key={labels.label} {...{ editing, path, labels, schema }} />
    )
  }
  return (
    <>
      {small.length === PAIRS && <Pair>{small.map(fieldOf)}</Pair>}
      {small.length > 0 && small.length !== PAIRS && <Columns>{small.map(fieldOf)}</Columns>}
      {others.map(fieldOf)}
      {id === 'pii_scan' && isJsonObject(value) && (
        <IdentifierTable ids={properties['shapes']?.names ?? []} rule={value} />
      )}
      <MembersInJsonOnly value={value} shown={members.map(({ name }) => name)} />
    </>
  )
}

const CASE_LIMITS = [
  { name: 'use_cases', label: 'For these use cases', hint: 'Leave empty for any.', names: 'use cases' },
  { name: 'models', label: 'To these models', hint: 'Leave empty for any.', names: 'models' },
  { name: 'min_cost_eur', label: 'Only calls that can cost at least', unit: 'euro' },
] as const satisfies readonly MemberWords[]

const CONTENT_KINDS = { name: 'content_kinds', label: 'With any of this content', absent: [] } as const

/** The fields for the cases of a rule. A request needs approval if it meets every condition of at least one case. */
function ApprovalCases({ editing, path, schema }: { editing: Editing; path: readonly string[]; schema: FieldSchema }) {
  const value = valueAt(editing, path)
  const cases: readonly unknown[] = Array.isArray(value) ? value : []
  const set = (next: readonly unknown[]): void => editing.set(path, next)
  return (
    <Stack>
      {cases.map((one, at) => {
        const document = isJsonObject(one) ? one : {}
        const waits = Object.keys(document).length > 0 ? 'Calls that match all of this wait' : 'Every call waits'
        const fields = {
          schema,
          editing: {
            ...editing,
            before: {},
            document,
            set: (own: readonly string[], changed: unknown) => set(cases.with(at, withMember(document, own, changed))),
            faultOf: (own: readonly string[]) => editing.faultOf([...path, String(at), ...own]),
          },
        }
        return (
          // Cases have no names, so only their position tells them apart.
          // oxlint-disable-next-line react/no-array-index-key
          <FieldGroup key={at} legend={`${cases.length > 1 ? `Case ${at + 1}: ` : ''}${waits}`} gap={4}>
            <Columns>
              <MemberFields {...fields} members={CASE_LIMITS} />
            </Columns>
            <MemberFields {...fields} members={[CONTENT_KINDS]} />
            <MembersInJsonOnly value={document} shown={[...CASE_LIMITS, CONTENT_KINDS].map(({ name }) => name)} />
            {cases.length > 1 && (
              <p>
                <Button onClick={() => set(cases.toSpliced(at, 1))}>Remove case {at + 1}</Button>
              </p>
            )}
          </FieldGroup>
        )
      })}
      <p>
        <Button onClick={() => set([...cases, {}])}>Add another case</Button>
      </p>
    </Stack>
  )
}
