// Policy page: the rules as a list, each with its state and what it does in words. One rule is open at a time, with its form.
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { RULE_WORDS, type NamedRuleWords } from '../../../policies/rules/words.ts'
import { TIERS_WITH_APPROVAL } from '../../../policies/tier.policy.ts'
import type { Problem } from '../../api/send-request.ts'
import { lock } from '../../parts/icons.ts'
import { lazy } from '../../parts/lazy.view.tsx'
import { plural } from '../../text/format.ts'
import { tierName } from '../../text/id-labels.ts'
import { listed } from '../../text/reword-text.ts'
import { inOrganisation, organisation, seesAllCalls } from '../session.ts'
import { valueAt, type Editing } from './policy-draft.ts'
import { orderedSummary } from './rule-words.ts'
import { Note, Stack } from '../../parts/layout.view.tsx'
import { PlainList, SmallLink, State } from '../../parts/surfaces.view.tsx'
import { Badge } from '../../parts/badge.view.tsx'
import { OpeningRow } from '../../parts/opening-row.view.tsx'

const RuleForm = lazy(6, async () => (await import('./rule-form.view.tsx')).RuleForm)
const MembersInJsonOnly = lazy(0, async () => (await import('./rule-fields.view.tsx')).MembersInJsonOnly)

/** How many requests a rule stopped in 30 days, by rule. */
export type Stopped = ReadonlyMap<string, number>

type Props = { editing: Editing; changed: ReadonlySet<string>; problem: Problem | null; stopped: Stopped }

export function RuleList({ editing, changed, problem, stopped }: Props) {
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
          stopped={stopped.get(rule.id) ?? 0}
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
        <h2 id="rules">Rules</h2>
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
  stopped: number
  isOpen: boolean
  onToggle: () => void
  lastValues: Map<string, unknown>
}

const isLockedRule = ({ id }: NamedRuleWords): boolean =>
  id === 'human_approval' && !TIERS_WITH_APPROVAL.includes(organisation().tier)

function RuleLine({ rule, editing, isChanged, stopped, isOpen, onToggle, lastValues }: LineProps) {
  const value = valueAt(editing, [rule.id])
  const isLocked = isLockedRule(rule) && value === undefined
  const isRefused = editing.faultOf([rule.id]) !== null
  return (
    <OpeningRow
      id={rule.id}
      title={rule.name}
      about={isLocked ? `With the tiers ${listed(TIERS_WITH_APPROVAL.map(tierName))}` : orderedSummary(rule, value)}
      start={
        isLocked ? (
          <Badge icon={lock}>Locked</Badge>
        ) : (
          <State isOn={value !== undefined}>
            {value === undefined ? 'Off' : rule.isLabel === true ? 'Set' : 'Enforced'}
          </State>
        )
      }
      end={isRefused ? <Badge tone="bad">Refused</Badge> : isChanged && <Badge tone="changed">Changed</Badge>}
      beside={stopped > 0 && <StoppedCalls rule={rule} count={stopped} />}
      isOpen={isOpen}
      onToggle={onToggle}
    >
      <RuleForm {...{ rule, editing, isChanged, lastValues }} isLocked={isLockedRule(rule)} />
    </OpeningRow>
  )
}

/** The count is of requests: an answer that a rule stopped is not in it. */
const DONE_TO_REQUESTS: Readonly<Record<string, string>> = { human_approval: 'held', loop_guard: 'suppressed' }

/** Leads to the calls, for who may filter them. */
function StoppedCalls({ rule: { id }, count }: { rule: NamedRuleWords; count: number }) {
  const words = `${DONE_TO_REQUESTS[id] ?? 'blocked'} ${plural(count, 'request')} in 30 days`
  return seesAllCalls() ? (
    <SmallLink href={inOrganisation(`/app/calls?rule=${id}`)}>{words}</SmallLink>
  ) : (
    <Note>{words}</Note>
  )
}
