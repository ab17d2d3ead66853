// Describes approvals in words, and tells why a person cannot decide one.
import type { z } from 'zod'
import type {
  DecidedApprovalSchema,
  ShownApproval,
  ShownWithRecords,
} from '../../../organisation/approvals/shown-approval.schema.ts'
import { formatBytes } from '../../text/format.ts'
import type { Keys } from '../names.view.tsx'
import { hasPermission, session } from '../session.ts'

export type Approval = ShownApproval | ShownWithRecords
export type Decided = z.infer<typeof DecidedApprovalSchema>
export type Decision = Approval['decisions'][number]['decision']
export type State = Approval['state']

const STATES: Readonly<Record<State, readonly [words: string, look: 'good' | 'warn' | 'bad' | 'soft']>> = {
  pending: ['Waiting', 'warn'],
  approved: ['Approved', 'good'],
  claimed: ['Running', 'good'],
  executed: ['Has run', 'good'],
  denied: ['Denied', 'bad'],
  expired: ['Expired', 'soft'],
  withdrawn: ['Withdrawn', 'soft'],
}

export const stateWords = (state: State): string => STATES[state][0]

export const StateBadge = ({ state }: { state: State }) => (
  <span class={`badge ${STATES[state][1]}`}>{stateWords(state)}</span>
)

export const DECIDED_STATES = ['approved', 'claimed', 'executed', 'denied', 'expired', 'withdrawn'] as const

export const DECISION_WORDS: Readonly<Record<Decision, string>> = {
  approve: 'approved',
  deny: 'denied',
  escalate: 'passed on',
}

export const titleOf = ({ model, use_case: useCase }: Approval): string =>
  useCase === null ? model : `${model} for ${useCase}`

export const contentOf = ({ facts: { content_kinds: kinds, bytes } }: Approval): string =>
  `${kinds.length === 0 ? 'no content' : kinds.join(', ')}, ${formatBytes(bytes)}`

/** Returns why this person cannot decide it, or null if they can as far as the page knows. The service decides. */
export function whyNot(approval: Approval, keys: Keys): string | null {
  if (!hasPermission('approvals:decide')) return 'Owners, admins and clinicians decide.'
  const { id } = session().user
  if (isOwn(id, approval.key_id, keys)) return 'A key that you made asks for this: somebody else decides.'
  const own = approval.decisions.findLast((one) => one.decided_by === id && one.counts)
  if (own === undefined) return null
  return `You have ${own.decision === 'escalate' ? 'passed it on' : 'approved it'}: it waits for somebody else.`
}

/** True if the person made the key, or a key that made it, and so on. */
function isOwn(person: string, keyId: string, keys: Keys): boolean {
  const seen = new Set<string>()
  for (let at = keys.get(keyId); at !== undefined && !seen.has(at.id); at = keys.get(at.created_by)) {
    if (at.created_by === person) return true
    seen.add(at.id)
  }
  return false
}
