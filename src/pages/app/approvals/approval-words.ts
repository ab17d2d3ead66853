// Approvals in words, and whether somebody may decide one.
import type { z } from 'zod'
import type { Key } from '../../../keys/key.schema.ts'
import type {
  DecidedApprovalSchema,
  ShownApproval,
  ShownWithRecords,
} from '../../../organisation/approvals/shown-approval.schema.ts'
import type { Session } from '../../api/session.ts'
import { formatBytes } from '../../text/format.ts'
import { mayIn } from '../may-in.ts'

export type Approval = ShownApproval | ShownWithRecords
export type Decided = z.infer<typeof DecidedApprovalSchema>
export type Decision = Approval['decisions'][number]['decision']
export type State = Approval['state']

type Look = 'good' | 'warn' | 'bad' | 'soft'

export const STATES: Readonly<Record<State, { words: string; look: Look }>> = {
  pending: { words: 'Waiting', look: 'warn' },
  approved: { words: 'Approved', look: 'good' },
  claimed: { words: 'Running', look: 'good' },
  executed: { words: 'Has run', look: 'good' },
  denied: { words: 'Denied', look: 'bad' },
  expired: { words: 'Expired', look: 'soft' },
  withdrawn: { words: 'Withdrawn', look: 'soft' },
}

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

/** Why this person cannot decide it; null where they can, as far as it is known here. The service judges. */
export function whyNot(session: Session, approval: Approval, keys: ReadonlyMap<string, Key>): string | null {
  if (!mayIn(session, 'approvals:decide')) return 'Owners, admins and clinicians decide.'
  const { id } = session.user
  if (isOwn(id, approval.key_id, keys)) return 'A key that you made asks for this: somebody else decides.'
  const own = approval.decisions.findLast((one) => one.decided_by === id && one.counts)
  if (own === undefined) return null
  return `You have ${own.decision === 'escalate' ? 'passed it on' : 'approved it'}: it waits for somebody else.`
}

/** Whether the person made the key, or one that made it, and so on. */
function isOwn(person: string, keyId: string, keys: ReadonlyMap<string, Key>): boolean {
  const seen = new Set<string>()
  for (let at = keys.get(keyId); at !== undefined && !seen.has(at.id); at = keys.get(at.created_by)) {
    if (at.created_by === person) return true
    seen.add(at.id)
  }
  return false
}
