// Policies page: the policy as a form, with a card for each rule.
import { useRef } from 'preact/hooks'
import SCHEMA from 'virtual:form-schema/policy'
import type { FieldSchema } from '../../../../scripts/pages/form-schemas.ts'
import { TIERS_WITH_APPROVAL } from '../../../policies/tier.policy.ts'
import { Checkbox } from '../../parts/fields.view.tsx'
import { organisation } from '../session.ts'
import { isObject, valueAt, type Editing } from './policy-draft.ts'
import { MembersInJsonOnly, isNumberField, MemberField } from './rule-fields.view.tsx'
import { RULE_LABELS, type MemberLabels, type RuleLabels } from './rule-labels.ts'

export const PolicyForm = ({ editing, isReadOnly }: { editing: Editing; isReadOnly: boolean }) => (
  <fieldset class="stack" disabled={isReadOnly}>
    <legend class="only-read">Rules</legend>
    {RULE_LABELS.map((rule) => (
      <RuleCard key={rule.id} editing={editing} rule={rule} />
    ))}
    <MembersInJsonOnly value={editing.document} shown={RULE_LABELS.map(({ id }) => id)} />
  </fieldset>
)

function RuleCard({ editing, rule }: { editing: Editing; rule: RuleLabels }) {
  const { id, title, about, start, members } = rule
  const value = valueAt(editing, [id])
  const isOn = value !== undefined
  // A rule that is removed and added again gets its last value.
  const last = useRef(start)
  if (isOn) last.current = value
  const { type, properties = {} } = SCHEMA[id]
  const isShown = type === 'array' ? Array.isArray(value) : isObject(value)
  const schemaOf = ({ name }: MemberLabels): FieldSchema => (name === undefined ? SCHEMA[id] : (properties[name] ?? {}))
  const numbers = members.filter((member) => isNumberField(schemaOf(member)))
  const others = members.filter((member) => !numbers.includes(member))
  const fieldOf = (labels: MemberLabels) => (
    <MemberField
      key={labels.label}
      editing={editing}
      path={labels.name === undefined ? [id] : [id, labels.name]}
      labels={labels}
      schema={schemaOf(labels)}
    />
  )
  return (
    <section class="card stack">
      <h3>{title}</h3>
      <p class="soft">{about}</p>
      {id === 'human_approval' && <ApprovalTier />}
      <Checkbox isChecked={isOn} onCheck={(isChecked) => editing.set([id], isChecked ? last.current : undefined)}>
        <span>
          Apply <span class="only-read">{title}</span>
        </span>
      </Checkbox>
      {isOn && !isShown && <p>What it says now is none of what this form can show: see the JSON.</p>}
      {isOn && isShown && (
        <>
          {others.map(fieldOf)}
          {numbers.length > 0 && <div class="columns">{numbers.map(fieldOf)}</div>}
          <MembersInJsonOnly value={value} shown={members.map(({ name }) => name)} />
        </>
      )}
      {!isShown && editing.faultOf([id]) !== null && <p class="fault">{editing.faultOf([id])}</p>}
    </section>
  )
}

function ApprovalTier() {
  const { tier } = organisation()
  if (TIERS_WITH_APPROVAL.includes(tier)) return null
  return (
    <p class="notice">
      With the tiers {TIERS_WITH_APPROVAL.join(', ')}. Yours is {tier}: a policy with this rule is refused.
    </p>
  )
}
