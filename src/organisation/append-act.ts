// Records acts of the operator, a member or a key. Each act that changes something in an organisation is an entry of its log.
import type { EntryContent } from '../evidence/entry.ts'
import type { KeyId, PersonId } from '../platform/ids.ts'
import { actRetentionDays, planOf } from '../policies/tier.policy.ts'
import type { OrganisationSettings } from '../policies/organisation-settings.ts'
import type { Journal } from './journal/journal.ts'

/** The operator, or the id of a person or a key; never a name or an e-mail address. */
export type Actor = 'operator' | PersonId | KeyId

export type Act = { actor: Actor; act: string; requestId: string; content?: EntryContent }

/** Returns who made a change, in the form of a message about it. */
export const causeOf = ({ actor, requestId }: Pick<Act, 'actor' | 'requestId'>) => ({ actor, request_id: requestId })

/**
 * `outcome`: the part of the organisation's state that the act changed. `settings`: the organisation's new settings, so that the
 * entry is stored as long as the decisions that they govern.
 */
type ActEffect = { outcome?: string; settings?: OrganisationSettings }

export function appendAct(
  journal: Journal,
  { actor, act, requestId, content }: Act,
  now: number,
  { outcome, settings: after = journal.state.settings }: ActEffect = {},
): number {
  const { settings: before } = journal.state
  const retentionDays = Math.max(actRetentionDays(planOf(before)), actRetentionDays(planOf(after)))
  const described = { act, request_id: requestId, ...content }
  const fields = { outcome: outcome ?? null }
  const position =
    actor === 'operator'
      ? journal.append({ kind: 'operator_act', content: described, fields, retentionDays }, now)
      : journal.append({ kind: 'member_act', content: { ...described, actor }, fields, retentionDays }, now)
  journal.latestActs.write({ act, at: now, position })
  return position
}
