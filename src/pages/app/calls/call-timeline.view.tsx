// Shows what happened to a call, in order. Reads the list, and the record if it is loaded.
import type { ComponentChildren } from 'preact'
import { findEnding } from '../../../evidence/records/call-endings.ts'
import { Timeline, type TimelineStep } from '../../parts/timeline.view.tsx'
import { formatEuro, formatMilliseconds, formatNumber } from '../../text/format.ts'
import type { Receipt } from '../evidence/check-receipt-in-browser.ts'
import { useNamesOrIds, type KeyNames, type NameOf } from '../key-and-person-names.view.tsx'
import { reasonName, ruleName } from '../../text/rule-names.ts'
import { inOrganisation } from '../session.ts'
import type { ListedCall } from './call-columns.tsx'
import { providerLabel } from '../../text/provider-label.ts'

type Props = { call: ListedCall; receipt: Receipt | null; keyNames: KeyNames }

export function CallTimeline({ call, receipt, keyNames }: Props) {
  const nameOf = useNamesOrIds()
  return <Timeline label="What happened" steps={stepsOf(call, receipt, keyNames, nameOf)} />
}

function stepsOf(call: ListedCall, receipt: Receipt | null, keyNames: KeyNames, nameOf: NameOf): TimelineStep[] {
  const { approval = null, key_id: key = null, created_at: decidedAt } = call
  const from = key === null ? null : <>From key {keyNames.get(key) ?? key}</>
  // The record of an approved call shows only its run. The approval shows when it was held.
  const isRunAfterApproval = approval !== null && call.outcome === 'passed'
  const held: TimelineStep[] = isRunAfterApproval
    ? [{ name: 'Held for a person', text: from, at: approval.requested_at }]
    : []
  const decided: TimelineStep = {
    name: decisionName(call),
    text: isRunAfterApproval ? 'Sent again with the approval' : (stopText(call) ?? from),
    at: decidedAt,
  }
  const people = (receipt?.acceptance?.records ?? []).map(
    ({ acceptance_id: id, decision, reviewer_ref: by, reviewer_authority: as, timestamp: at }): TimelineStep => ({
      id,
      name: DECISIONS[decision],
      text: `${nameOf(by)}, ${as}`,
      at,
    }),
  )
  const steps = isRunAfterApproval ? [...held, ...people, decided] : [decided, ...people]
  return [...steps, ...endingOf(call, receipt), ...loggedOf(receipt)]
}

/** The words for a person's decision about the refusal that held the call. */
const DECISIONS = {
  ACCEPTED: 'Denied by a person',
  OVERRIDDEN: 'Approved by a person',
  ESCALATED: 'Passed on by a person',
} as const

function decisionName({ outcome, policy_version: version = null }: ListedCall): string {
  const by = version === null ? 'Decided' : `Policy version ${version} decided`
  return `${by}: ${outcome}`
}

function stopText({ rule = null, reason = null }: ListedCall): ComponentChildren {
  if (rule === null) return reason !== null && reasonName(reason)
  return (
    <>
      <a href={inOrganisation(`/app/policies#${encodeURIComponent(rule)}`)}>{ruleName(rule)}</a>
      {reason !== null && `: ${reasonName(reason)}`}
    </>
  )
}

/** Returns no step for a call that was blocked or suppressed, or whose ending is unknown. */
function endingOf(call: ListedCall, receipt: Receipt | null): TimelineStep[] {
  const { ending = null, outcome } = call
  if (outcome === 'held') {
    if (ending === 'awaiting_approval') return [{ name: endingName(ending), text: 'Nothing was sent', state: 'now' }]
    return ending === null ? [] : [{ name: endingName(ending), text: 'Nothing was sent' }]
  }
  if (outcome !== 'passed' || ending === null) return []
  if (ending === 'running') return [{ name: 'Sent', text: 'The answer is under way', state: 'now' }]
  const at = receipt?.settlement?.content['at']
  return [
    {
      name: endingName(ending),
      text: [served(call), took(call)].filter(Boolean).join(', '),
      at: typeof at === 'string' ? at : null,
    },
  ]
}

/** The log does not say how these ended. */
const UNKNOWN_ENDINGS: Readonly<Record<string, string>> = {
  not_kept: 'Ended; details are not kept any more',
  unreadable: 'Ended; the entry cannot be read',
}

const endingName = (ending: string): string => findEnding(ending)?.says ?? UNKNOWN_ENDINGS[ending] ?? ending

const served = ({ served_model: model = null, provider = null }: ListedCall): string =>
  [model, provider === null ? null : `at ${providerLabel(provider)}`].filter((part) => part !== null).join(' ')

function took({ response_ms: ms = null, output_tokens: tokens = null, cost_eur: cost = null }: ListedCall): string {
  const parts = [
    ms === null ? null : formatMilliseconds(ms),
    tokens === null ? null : `${formatNumber(tokens)} tokens out`,
    cost === null ? null : formatEuro(cost),
  ]
  return parts.filter((part) => part !== null).join(', ')
}

function loggedOf(receipt: Receipt | null): TimelineStep[] {
  if (receipt === null) return []
  const { organisation_log: own, public_log: open } = receipt
  return [
    { name: 'In your log', text: `Entry ${formatNumber(own.proof.leaf_index)}` },
    open === null
      ? { name: 'In the public log', text: 'Not yet: within 60 seconds', state: 'later' }
      : { name: 'In the public log', text: `Entry ${formatNumber(open.proof.leaf_index)}` },
  ]
}
