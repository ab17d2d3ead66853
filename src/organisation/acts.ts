// What the operator, a member or a key changes in an organisation, each in one turn with its entry in the ledger. A change
// that is refused leaves nothing behind.
import type { KeyRecord, KeysStore } from '../keys/keys.store.ts'
import { REFERRAL_LIMITS, type Limits } from '../keys/limits.policy.ts'
import { faultOfNewKey, type NewKeyFault } from '../keys/new-key.policy.ts'
import type { EntryContent } from '../evidence/entry.ts'
import type { KeyId, PersonId } from '../platform/ids.ts'
import {
  decideSettingsChange,
  type ChangeDecision,
  type OrganisationSettings,
  type VersionedSettings,
  type WantedSettings,
} from '../policies/organisation-settings.ts'
import { nameSettings } from '../policies/named-settings.ts'
import { planOf } from '../policies/tier.policy.ts'
import { PROVIDER_IDS } from '../providers/registry.ts'
import { describeKey } from './keys/describe-key.ts'
import { RETENTION_DAYS, type Journal } from './journal/journal.ts'
import { SETTINGS_CHANGED } from './journal/journal-events.ts'

/** Who acts: never by a name or an address. */
export type Actor = 'operator' | PersonId | KeyId

/** Who did what: every use of the operator's routes is in the ledger, and every change that a member or a key makes. */
export type Act = { actor: Actor; act: string; requestId: string; content?: EntryContent }

export type SettingsChanged =
  | { outcome: 'changed'; settings: VersionedSettings }
  | Exclude<ChangeDecision, { outcome: 'changed' }>

export type KeyCreated = { outcome: 'created' } | { outcome: 'refused'; reason: NewKeyFault }

type Stores = { keys: KeysStore; journal: Journal }

/** The entry tells the settings as they are then, which of them are others than before, and what those were. */
export function changeSettings(
  { journal }: Pick<Stores, 'journal'>,
  wanted: WantedSettings,
  act: Act,
  now: number,
): SettingsChanged {
  const before = journal.state.settings
  const decision = decideSettingsChange(before, wanted)
  if (decision.outcome !== 'changed') return decision
  // Above the version in D1 too: a database that was taken back to an earlier day goes on where D1 takes what it says.
  const version = Math.max(before.version, wanted.knownVersion) + 1
  const { enabledProviders } = decision.settings
  const inOrder = PROVIDER_IDS.filter((provider) => enabledProviders.includes(provider))
  const settings = { ...decision.settings, enabledProviders: inOrder, version }
  const content = describeChange(before, settings, wanted.isRenamed === true)
  appendAct(journal, { ...act, content }, now, SETTINGS_CHANGED)
  return { outcome: 'changed', settings }
}

export function createKey({ keys, journal }: Stores, key: KeyRecord, act: Act, now: number): KeyCreated {
  const reason = faultOfNewKey(key, planOfKey(key, journal.state.settings), now)
  if (reason !== null) return { outcome: 'refused', reason }
  keys.insertKey(key)
  appendAct(journal, { ...act, content: describeKey(key) }, now)
  return { outcome: 'created' }
}

/**
 * Says at which position.
 * @param outcome what the organisation's state is to know of it
 * @param retentionDays for how long it is kept
 */
export function appendAct(
  journal: Journal,
  { actor, act, requestId, content }: Act,
  now: number,
  outcome: string | null = null,
  retentionDays: number = RETENTION_DAYS,
): number {
  const told = { act, request_id: requestId, ...content }
  const position =
    actor === 'operator'
      ? journal.append({ kind: 'operator_act', content: told, fields: { outcome }, retentionDays }, now)
      : journal.append({ kind: 'member_act', content: { ...told, actor }, fields: { outcome }, retentionDays }, now)
  journal.latestActs.write({ act, at: now, position })
  return position
}

/** A gateway key's day is bounded by its organisation's month. */
export function planOfKey({ prefix }: Pick<KeyRecord, 'prefix'>, settings: OrganisationSettings): Limits {
  if (prefix === 'vk_test_' || prefix === 'vk_live_') return REFERRAL_LIMITS[prefix]
  const { requestsPerMinute: perMinute, requestsPerMonth: perDay } = planOf(settings)
  return { perMinute, perDay }
}

/** Of a name only that it is another. */
function describeChange(before: OrganisationSettings, after: VersionedSettings, isRenamed: boolean): EntryContent {
  const [was, is]: [EntryContent, EntryContent] = [nameSettings(before), nameSettings(after)]
  const others = Object.keys(is).filter((member) => JSON.stringify(was[member]) !== JSON.stringify(is[member]))
  return {
    ...is,
    version: after.version,
    changed: isRenamed ? ['name', ...others] : others,
    before: Object.fromEntries(others.flatMap((member) => (was[member] === undefined ? [] : [[member, was[member]]]))),
  }
}
