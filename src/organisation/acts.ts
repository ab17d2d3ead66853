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
  type VersionedSettings,
  type WantedSettings,
} from '../policies/organisation-settings.ts'
import { planOf } from '../policies/tier.policy.ts'
import { describeKey } from './describe-key.ts'
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

/** The entry tells the settings as they are then, which of them are others than before, and what those were. */
export function changeSettings(
  { settings, ledger }: Stores,
  wanted: WantedSettings,
  act: Act,
  now: number,
): SettingsChanged {
  const before = settings.read()
  const decision = decideSettingsChange(before, wanted)
  if (decision.outcome !== 'changed') return decision
  const written = settings.write(decision.settings, wanted.knownVersion)
  const content = describeChange(before, written, wanted.isRenamed === true)
  appendAct(ledger, { ...act, content }, now)
  return { outcome: 'changed', settings: written }
}

export function createKey({ keys, settings, ledger }: Stores, key: KeyRecord, act: Act, now: number): KeyCreated {
  const reason = faultOfNewKey(key, planOfKey(key, settings.read()), now)
  if (reason !== null) return { outcome: 'refused', reason }
  keys.insertKey(key)
  appendAct(ledger, { ...act, content: describeKey(key) }, now)
  return { outcome: 'created' }
}

/** Says at which position. */
export function appendAct(ledger: LedgerStore, { actor, act, requestId, content }: Act, now: number): number {
  const entry = { act, request_id: requestId, ...content }
  return actor === 'operator'
    ? ledger.appendEntry('operator_act', entry, now)
    : ledger.appendEntry('member_act', { ...entry, actor }, now)
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
  retention_days: settings.retentionDays,
  loop_repeats: settings.loopRepeats,
  loop_window_seconds: settings.loopWindowSeconds,
  loop_cycle_rounds: settings.loopCycleRounds,
  loop_cycle_window_seconds: settings.loopCycleWindowSeconds,
})

/** Of a name only that it is another. */
function describeChange(before: OrganisationSettings, after: VersionedSettings, isRenamed: boolean): EntryContent {
  const [was, is] = [describeSettings(before), describeSettings(after)]
  const others = Object.keys(is).filter((member) => JSON.stringify(was[member]) !== JSON.stringify(is[member]))
  return {
    ...is,
    version: after.version,
    changed: isRenamed ? ['name', ...others] : others,
    before: Object.fromEntries(others.flatMap((member) => (was[member] === undefined ? [] : [[member, was[member]]]))),
  }
}
