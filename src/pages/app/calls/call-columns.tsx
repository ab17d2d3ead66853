// The columns of calls. A person chooses which columns are drawn; the first ones are usual.
import type { ComponentChildren } from 'preact'
import FAILURE_CAUSES from 'virtual:failure-causes'
import { ownMember } from '../../../platform/json.ts'
import type { Call } from '../../../management/calls/calls.schema.ts'
import { byDay, columnsOf, type View } from '../../parts/grid/columns.tsx'
import { Note, OnlyRead } from '../../parts/layout.view.tsx'
import { OutcomeBadge } from '../../parts/outcome-badge.view.tsx'
import { findEnding, outcomeName, shownOutcomeOf } from '../../../evidence/records/call-endings.ts'
import { formatSeconds } from '../../text/format.ts'
import { reasonName, ruleName } from '../../text/rule-names.ts'

/** A call of the list, or a medical receipt, which says less. */
export type ListedCall = Pick<Call, 'id' | 'created_at' | 'outcome' | 'model' | 'use_case'> & Partial<Call>

/** Why it did not simply pass, in words; null if there is nothing to say. */
export function whyOf({ reason, rule, error_cause: cause, ending, answer_scan: scan }: ListedCall): string | null {
  if (ending === 'cached') return 'stored'
  if (ending === 'withheld' && scan != null) return reasonName(`found: ${scan.stopped.join(', ')}`)
  if (reason != null) return reasonName(reason)
  if (cause != null) return ownMember(FAILURE_CAUSES, cause) ?? reasonName(cause)
  if (rule != null) return ruleName(rule)
  return ending == null || ending === 'completed' ? null : (findEnding(ending)?.says ?? null)
}

/** Returns null for a call that was not sent: it has no cost. */
export const costOf = ({ outcome, cost_eur: cost = null }: ListedCall): number | null =>
  outcome === 'passed' ? cost : null

const call = columnsOf<ListedCall>()

const USUAL = {
  time: call.time({ id: 'time', head: 'Time', of: 'created_at' }),
  outcome: call.own({
    id: 'outcome',
    head: 'Outcome',
    kind: 'outcome',
    cell: (of) => (
      <>
        <OutcomeBadge outcome={of.outcome} ending={of.ending ?? null} />{' '}
        <Note title={whyOf(of) ?? ''}>{whyOf(of)}</Note>
      </>
    ),
    plain: (of) => [outcomeName(shownOutcomeOf(of.outcome, of.ending ?? null)), whyOf(of)].filter(Boolean).join(': '),
  }),
  model: call.text({ id: 'model', head: 'Model', of: 'model', phone: 'line' }),
  useCase: call.text({ id: 'use_case', head: 'Use case', of: 'use_case' }),
  cost: call.money({
    id: 'cost',
    head: 'Cost',
    of: costOf,
  }),
  took: call.number({ id: 'took', head: 'Took', of: 'response_ms', format: formatSeconds, from: 60 }),
}

export const CALL_COLUMNS = [
  USUAL.time,
  USUAL.outcome,
  USUAL.model,
  USUAL.useCase,
  call.named({ id: 'key', head: 'Key', of: 'key_id', from: 60, phone: 'none' }),
  call.number({ id: 'in', head: 'Tokens in', of: 'input_tokens', isOptional: true }),
  call.number({ id: 'out', head: 'Tokens out', of: 'output_tokens', isOptional: true }),
  USUAL.cost,
  USUAL.took,
  call.text({ id: 'group', head: 'Comparison group', of: 'cohort', isOptional: true }),
  call.text({ id: 'region', head: 'Region', of: 'data_region', isOptional: true }),
  call.number({ id: 'entry', head: 'Entry', of: 'index', isOptional: true }),
  call.id({ id: 'hash', head: 'Request hash', of: 'request_hash', isOptional: true }),
]

/** The columns of the latest calls, which are a part of another page. */
export const LATEST_CALL_COLUMNS = [USUAL.time, USUAL.outcome, USUAL.model, USUAL.useCase, USUAL.cost, USUAL.took]

/** What a list of medical receipts says. */
export const RECEIPT_COLUMNS = [USUAL.time, USUAL.outcome, USUAL.model, USUAL.useCase]

/** What a link to a call says beside its time to those who hear it, since many links of a list are alike. */
export const CallName = ({ of, view, children }: { of: ListedCall; view: View; children: ComponentChildren }) => (
  <>
    {children}
    <OnlyRead>
      , {byDay(of, view)[1]}, {of.model}
    </OnlyRead>
  </>
)
