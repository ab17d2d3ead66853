// Policy page: the rules as a list, each with what it does in words and its state. One rule is open at a time, with its form.
import SCHEMA from 'virtual:form-schema/policy'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { FieldSchema } from '../../../platform/field-schema.ts'
import { isJsonObject } from '../../../platform/json.ts'
import type { MemberWords } from '../../../policies/rules/rule-words.ts'
import { RULE_WORDS, type NamedRuleWords } from '../../../policies/rules/words.ts'
import { TIERS_WITH_APPROVAL } from '../../../policies/tier.policy.ts'
import type { Problem } from '../../api/send-request.ts'
import { lock } from '../../parts/icons.ts'
import { Switch } from '../../parts/switch.view.tsx'
import { tierName } from '../../text/id-labels.ts'
import { listed } from '../../text/reword-text.ts'
import { organisation } from '../session.ts'
import { memberOf, valueAt, withMember, type Editing } from './policy-draft.ts'
import { MembersInJsonOnly, isNumberField, MemberField, MemberFields } from './rule-fields.view.tsx'
import { summaryOf } from '../../text/rule-summaries.ts'
import { Row, OnlyRead, Note, Soft, Stack, Pair, Columns } from '../../parts/layout.view.tsx'
import { Remark, State, PlainList } from '../../parts/surfaces.view.tsx'
import { Badge } from '../../parts/badge.view.tsx'
import { Button, LinkButton } from '../../parts/button.view.tsx'
import { FieldGroup } from '../../parts/field-group.view.tsx'
import { OpeningRow } from '../../parts/opening-row.view.tsx'
import { Fault } from '../../parts/field-frame.view.tsx'
import { LackingPart } from '../frame/lacking.view.tsx'

type Props = { editing: Editing; changed: ReadonlySet<string>; problem: Problem | null }

export function RuleList({ editing, changed, problem }: Props) {
  const [open, setOpen] = useState(location.hash.slice(1))
  // A rule that is switched off and on again gets its last value.
  const lastValues = useRef(new Map<string, unknown>())
  // The rule that the service refused opens, so that its fault is seen.
  useLayoutEffect(() => {
    const faulty = RULE_WORDS.find(({ id }) => editing.faultOf([id]) !== null)
    if (faulty !== undefined) setOpen(faulty.id)
  }, [problem])
  const listOf = (rules: readonly NamedRuleWords[]) => (
    <PlainList>
      {rules.map((rule) => (
        <RuleLine
          key={rule.id}
          rule={rule}
          editing={editing}
          isChanged={changed.has(rule.id)}
          isOpen={open === rule.id}
          onToggle={() => setOpen(open === rule.id ? '' : rule.id)}
          lastValues={lastValues.current}
        />
      ))}
    </PlainList>
  )
  return (
    <>
      <Stack as="section" gap={2} labelledBy="rules">
        <Row isApart>
          <h2 id="rules">Rules</h2>
          <Note>Rules can only restrict what your tier and Settings allow.</Note>
        </Row>
        {listOf(RULE_WORDS.filter(({ isLabel }) => isLabel !== true))}
      </Stack>
      <Stack as="section" gap={2} labelledBy="labels">
        <h2 id="labels">Labels</h2>
        {listOf(RULE_WORDS.filter(({ isLabel }) => isLabel === true))}
        <MembersInJsonOnly value={editing.document} shown={RULE_WORDS.map(({ id }) => id)} />
      </Stack>
    </>
  )
}

type LineProps = {
  rule: NamedRuleWords
  editing: Editing
  isChanged: boolean
  isOpen: boolean
  onToggle: () => void
  lastValues: Map<string, unknown>
}

/** True for the rule that the organisation's tier does not include. */
const isLockedRule = ({ id }: NamedRuleWords): boolean =>
  id === 'human_approval' && !TIERS_WITH_APPROVAL.includes(organisation().tier)

function RuleLine({ rule, editing, isChanged, isOpen, onToggle, lastValues }: LineProps) {
  const value = valueAt(editing, [rule.id])
  const isLocked = isLockedRule(rule) && value === undefined
  return (
    <OpeningRow
      id={rule.id}
      title={rule.name}
      about={isLocked ? `With the tiers ${listed(TIERS_WITH_APPROVAL.map(tierName))}` : summaryOf(rule, value)}
      end={
        <>
          {editing.faultOf([rule.id]) !== null && <Badge tone="bad">Refused</Badge>}
          {isChanged && <Badge tone="changed">Changed</Badge>}
          {isLocked ? (
            <Badge icon={lock}>Locked</Badge>
          ) : (
            <State isOn={value !== undefined}>
              {value === undefined ? 'Off' : rule.isLabel === true ? 'Set' : 'Enforced'}
            </State>
          )}
        </>
      }
      isOpen={isOpen}
      onToggle={onToggle}
    >
      <RuleForm rule={rule} editing={editing} isChanged={isChanged} lastValues={lastValues} />
    </OpeningRow>
  )
}

type FormProps = Pick<LineProps, 'rule' | 'editing' | 'isChanged' | 'lastValues'>

function RuleForm({ rule, editing, isChanged, lastValues }: FormProps) {
  const { id, name, about, start } = rule
  const value = valueAt(editing, [id])
  const isOn = value !== undefined
  if (isOn) lastValues.set(id, value)
  const before = memberOf(editing.before, [id])
  const isShown = SCHEMA[id].type === 'array' ? Array.isArray(value) : isJsonObject(value)
  const isLocked = isLockedRule(rule)
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

type MembersProps = Pick<LineProps, 'rule' | 'editing'> & { value: unknown }

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

type CasesProps = { editing: Editing; path: readonly string[]; schema: FieldSchema }

/** The fields for the cases of a rule. A request needs approval if it meets every condition of at least one case. */
function ApprovalCases({ editing, path, schema }: CasesProps) {
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
