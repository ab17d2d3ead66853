// Shows what happened to a call, in order. Reads the list, and the record if it is loaded.
import type { ComponentChildren } from 'preact'
import { findEnding } from '../../../evidence/records/call-endings.ts'
import { Timeline, type TimelineStep } from '../../parts/timeline.view.tsx'
import { formatNumber } from '../../text/format.ts'
import type { Receipt } from '../evidence/check-receipt-in-browser.ts'
import { useNamesOrIds, type KeyNames, type NameOf } from '../key-and-person-names.view.tsx'
import { reasonName, ruleName } from '../../text/rule-names.ts'
import { inOrganisation } from '../session.ts'
import type { ListedCall } from './call-columns.tsx'
import { waitingOf } from './waiting-call.ts'
import { providerLabel } from '../../text/provider-label.ts'

type Props = {
  call: ListedCall
  receipt: Receipt | null
  /** True while the receipt is on its way: its steps have their places already. */
  isReading?: boolean
  keyNames: KeyNames
}

export function CallTimeline(props: Props) {
  const nameOf = useNamesOrIds()
  return <Timeline label="What happened" steps={stepsOf(props, nameOf)} />
}

const ON_ITS_WAY = '…'

function stepsOf({ call, receipt, isReading = false, keyNames }: Props, nameOf: NameOf): TimelineStep[] {
  const { approval = null, key_id: key = null, created_at: decidedAt, policy_version: version = null } = call
  const from = key === null ? null : <>From key {keyNames.get(key) ?? key}</>
  // The record of an approved call shows only its run. The approval shows when it was held.
  const isRunAfterApproval = approval !== null && call.outcome === 'passed'
  const decided: TimelineStep = {
    name: `${version === null ? 'Decided' : `Policy version ${version} decided`}: ${call.outcome}`,
    text: isRunAfterApproval ? 'Sent again with the approval' : (stopText(call) ?? from),
    at: decidedAt,
  }
  const isDecided = isRunAfterApproval || call.ending === 'denied'
  const people: TimelineStep[] =
    isReading && isDecided
      ? [{ name: 'Decided by a person', text: ON_ITS_WAY }]
      : (receipt?.acceptance?.records ?? []).map(
          ({ acceptance_id: id, decision, reviewer_ref: by, reviewer_authority: as, timestamp: at }) => ({
            id,
            name: DECISIONS[decision],
            text: `${nameOf(by)}, ${as.replace('role:', '')}`,
            at,
          }),
        )
  const steps = isRunAfterApproval
    ? [{ name: 'Held for a person', text: from, at: approval.requested_at }, ...people, decided]
    : [decided, ...people]
  return [...steps, ...endingOf(call, receipt), ...(isReading ? LOGS_READ : loggedOf(receipt))]
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
  if (outcome === 'held') return [{ ...(waitingOf(call)?.step ?? { name }), text: 'Nothing was sent' }]
  if (ending === 'running') return [{ name: 'Sent', text: 'The answer is under way', state: 'now' }]
  const at = receipt?.settlement?.content['at']
  return [{ name, text: served(call), at: typeof at === 'string' ? at : null }]
}

/** The log does not say how these ended. */
const UNKNOWN_ENDINGS: Readonly<Record<string, string>> = {
  not_kept: 'Ended; details are not kept any more',
  unreadable: 'Ended; the entry cannot be read',
}

const endingName = (ending: string): string => findEnding(ending)?.says ?? UNKNOWN_ENDINGS[ending] ?? ending

const served = ({ served_model: model = null, provider = null }: ListedCall): string =>
  [model, provider !== null && `at ${providerLabel(provider)}`].filter(Boolean).join(' ')

const LOGS_READ: readonly TimelineStep[] = ['In your log', 'In the public log'].map((name) => ({
  name,
  text: ON_ITS_WAY,
  state: 'later',
}))

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
