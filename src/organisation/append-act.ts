// Records acts of the operator, a member or a key. Each act that changes something in an organisation is an entry of its log.
import type { EntryContent } from '../evidence/entry.ts'
import type { KeyId, PersonId } from '../platform/ids.ts'
import { actRetentionDays, planOf } from '../policies/tier.policy.ts'
import type { OrganisationSettings } from '../policies/organisation-settings.ts'
import type { Journal } from './journal/journal.ts'

/** The operator, or the id of a person or a key; never a name or an e-mail address. */
export type Actor = 'operator' | PersonId | KeyId

export type Act = { actor: Actor; act: string; requestId: string; content?: EntryContent }

/**
 * Appends an act and returns the position of its entry.
 * @param outcome the part of the organisation's state that the act changed, if any
 * @param after the settings that the act brings, so that it stays as long as the decisions made under them
 */
export function appendAct(
  journal: Journal,
  { actor, act, requestId, content }: Act,
  now: number,
  outcome: string | null = null,
  after: OrganisationSettings = journal.state.settings,
): number {
  const { settings: before } = journal.state
  const retentionDays = Math.max(actRetentionDays(planOf(before)), actRetentionDays(planOf(after)))
  const told = { act, request_id: requestId, ...content }
  const position =
    actor === 'operator'
      ? journal.append({ kind: 'operator_act', content: told, fields: { outcome }, retentionDays }, now)
      : journal.append({ kind: 'member_act', content: { ...told, actor }, fields: { outcome }, retentionDays }, now)
  journal.latestActs.write({ act, at: now, position })
  return position
}
