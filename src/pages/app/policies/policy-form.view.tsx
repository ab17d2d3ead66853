// The policy as a form: a card for each rule.
import { useRef } from 'preact/hooks'
import type { Session } from '../../api/session.ts'
import { TIERS_WITH_APPROVAL } from '../../../policies/tier.policy.ts'
import { isMembers } from './draft.ts'
import { valueAt, type Editing } from './editing.ts'
import { InJsonOnly } from './in-json-only.view.tsx'
import { MemberField } from './member-field.view.tsx'
import { RULES, type RuleAsked } from './rules.ts'

export function PolicyForm({
  session,
  editing,
  isReadOnly,
}: {
  session: Session
  editing: Editing
  isReadOnly: boolean
}) {
  return (
    <fieldset class="stack" disabled={isReadOnly}>
      <legend class="only-read">Rules</legend>
      {RULES.map((rule) => (
        <RuleCard key={rule.id} session={session} editing={editing} rule={rule} />
      ))}
      <InJsonOnly value={editing.document} shown={RULES.map(({ id }) => id)} />
    </fieldset>
  )
}

function RuleCard({ session, editing, rule }: { session: Session; editing: Editing; rule: RuleAsked }) {
  const { id, title, about, start, members } = rule
  const value = valueAt(editing, [id])
  const isOn = value !== undefined
  // Whoever takes a rule away and applies it again has what it said.
  const last = useRef(start)
  if (isOn) last.current = value
  const isShown = members.some(({ path }) => path.length === 0) ? Array.isArray(value) : isMembers(value)
  const numbers = members.filter(({ kind }) => kind === 'count' || kind === 'eur' || kind === 'numbers')
  const others = members.filter((member) => !numbers.includes(member))
  return (
    <section class="card stack">
      <h3>{title}</h3>
      <p class="soft">{about}</p>
      {id === 'human_approval' && <ApprovalTier session={session} />}
      <label class="choice">
        <input
          type="checkbox"
          checked={isOn}
          onChange={({ currentTarget: { checked } }) => editing.set([id], checked ? last.current : undefined)}
        />
        <span>
          Apply <span class="only-read">{title}</span>
        </span>
      </label>
      {isOn && !isShown && <p>What it says now is none of what this form can show: see the JSON.</p>}
      {isOn && isShown && (
        <>
          {others.map((asked) => (
            <MemberField key={asked.label} editing={editing} path={[id, ...asked.path]} asked={asked} />
          ))}
          {numbers.length > 0 && (
            <div class="columns">
              {numbers.map((asked) => (
                <MemberField key={asked.label} editing={editing} path={[id, ...asked.path]} asked={asked} />
              ))}
            </div>
          )}
          <InJsonOnly value={value} shown={members.map(({ path: [name] }) => name)} />
        </>
      )}
      {!isShown && editing.faultOf([id]) !== null && <p class="fault">{editing.faultOf([id])}</p>}
    </section>
  )
}

function ApprovalTier({ session: { organisation } }: { session: Session }) {
  if (organisation === null || TIERS_WITH_APPROVAL.includes(organisation.tier)) return null
  return (
    <p class="notice">
      With the tiers {TIERS_WITH_APPROVAL.join(', ')}. Yours is {organisation.tier}: a policy with this rule is refused.
    </p>
  )
}
