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
  const { approval = null, key_id: key = null, created_at: decidedAt, policy_version: version = null } = call
  const from = key === null ? null : <>From key {keyNames.get(key) ?? key}</>
  // The record of an approved call shows only its run. The approval shows when it was held.
  const isRunAfterApproval = approval !== null && call.outcome === 'passed'
  const decided: TimelineStep = {
    name: `${version === null ? 'Decided' : `Policy version ${version} decided`}: ${call.outcome}`,
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
  const steps = isRunAfterApproval
    ? [{ name: 'Held for a person', text: from, at: approval.requested_at }, ...people, decided]
    : [decided, ...people]
  return [...steps, ...endingOf(call, receipt), ...loggedOf(receipt)]
}

/** The words for a person's decision about the refusal that held the call. */
const DECISIONS = {
  ACCEPTED: 'Denied by a person',
  OVERRIDDEN: 'Approved by a person',
  ESCALATED: 'Passed on by a person',
} as const

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
  if (ending === null || (outcome !== 'held' && outcome !== 'passed')) return []
  const name = endingName(ending)
  if (outcome === 'held')
    return [{ name, text: 'Nothing was sent', ...(ending === 'awaiting_approval' && { state: 'now' }) }]
  if (ending === 'running') return [{ name: 'Sent', text: 'The answer is under way', state: 'now' }]
  const at = receipt?.settlement?.content['at']
  const text = [served(call), took(call)].filter(Boolean).join(', ')
  return [{ name, text, at: typeof at === 'string' ? at : null }]
}

/** The log does not say how these ended. */
const UNKNOWN_ENDINGS: Readonly<Record<string, string>> = {
  not_kept: 'Ended; details are not kept any more',
  unreadable: 'Ended; the entry cannot be read',
}

const endingName = (ending: string): string => findEnding(ending)?.says ?? UNKNOWN_ENDINGS[ending] ?? ending

const served = ({ served_model: model = null, provider = null }: ListedCall): string =>
  [model, provider !== null && `at ${providerLabel(provider)}`].filter(Boolean).join(' ')

const took = ({ response_ms: ms = null, output_tokens: tokens = null, cost_eur: cost = null }: ListedCall): string =>
  [
    ms !== null && formatMilliseconds(ms),
    tokens !== null && `${formatNumber(tokens)} tokens out`,
    cost !== null && formatEuro(cost),
  ]
    .filter(Boolean)
    .join(', ')

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
