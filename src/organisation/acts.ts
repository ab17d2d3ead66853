// What the operator, a member or a key changes in an organisation, each in one turn with its entry in the ledger. A change
// that is refused leaves nothing behind.
import type { KeyRecord, KeysStore } from '../keys/keys.store.ts'
import { REFERRAL_LIMITS, type Limits } from '../keys/limits.policy.ts'
import { faultOfNewKey, type NewKeyFault } from '../keys/new-key.policy.ts'
import type { EntryContent } from '../ledger/entry.ts'
import type { LedgerStore } from '../ledger/ledger.store.ts'
import type { KeyId, PersonId } from '../platform/ids.ts'
import {
  decideSettingsChange,
  type ChangeDecision,
  type OrganisationSettings,
  type SettingsChange,
  type VersionedSettings,
} from '../policies/organisation-settings.ts'
import { planOf } from '../policies/tier.policy.ts'
import type { SettingsStore } from './settings.store.ts'

/** Who acts: never by a name or an address. */
export type Actor = 'operator' | PersonId | KeyId

/** Who did what: every use of the operator's routes is in the ledger, and every change that a member or a key makes. */
export type Act = { actor: Actor; act: string; requestId: string; content?: EntryContent }

export type SettingsChanged =
  | { outcome: 'changed'; settings: VersionedSettings }
  | Exclude<ChangeDecision, { outcome: 'changed' }>

export type KeyCreated = { outcome: 'created' } | { outcome: 'refused'; reason: NewKeyFault }

type Stores = { keys: KeysStore; settings: SettingsStore; ledger: LedgerStore }

/** @param knownVersion what the organisation's row in D1 has; 0 for none */
export function changeSettings(
  { settings, ledger }: Stores,
  { change, knownVersion }: { change: SettingsChange; knownVersion: number },
  act: Act,
  now: number,
): SettingsChanged {
  const decision = decideSettingsChange(settings.read(), change)
  if (decision.outcome !== 'changed') return decision
  appendAct(ledger, { ...act, content: describeSettings(decision.settings) }, now)
  return { outcome: 'changed', settings: settings.write(decision.settings, knownVersion) }
}

export function createKey({ keys, settings, ledger }: Stores, key: KeyRecord, act: Act, now: number): KeyCreated {
  const reason = faultOfNewKey(key, planOfKey(key, settings.read()), now)
  if (reason !== null) return { outcome: 'refused', reason }
  keys.insertKey(key)
  appendAct(ledger, act, now)
  return { outcome: 'created' }
}

export function appendAct(ledger: LedgerStore, { actor, act, requestId, content }: Act, now: number): void {
  const entry = { act, request_id: requestId, ...content }
  if (actor === 'operator') ledger.appendEntry('operator_act', entry, now)
  else ledger.appendEntry('member_act', { ...entry, actor }, now)
}

/** A gateway key's day is bounded by its organisation's month. */
export function planOfKey({ prefix }: Pick<KeyRecord, 'prefix'>, settings: OrganisationSettings): Limits {
  if (prefix === 'vk_test_' || prefix === 'vk_live_') return REFERRAL_LIMITS[prefix]
  const { requestsPerMinute: perMinute, requestsPerMonth: perDay } = planOf(settings)
  return { perMinute, perDay }
}

const describeSettings = (settings: OrganisationSettings): EntryContent => ({
  tier: settings.tier,
  enabled_providers: settings.enabledProviders,
  requests_per_minute: settings.requestsPerMinute,
  requests_per_month: settings.requestsPerMonth,
  monthly_budget_microeur: settings.monthlyBudgetMicroeur,
  default_max_tokens: settings.defaultMaxTokens,
  cache_instructions: settings.cacheInstructions,
})
