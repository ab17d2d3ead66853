// Export rows of an organisation, its keys, its settings, its policies and its usage.
import { presentIdentity } from '../../accounts/organisation-wire.ts'
import { toEur } from '../../accounts/settings-wire.ts'
import type { OrganisationRecord } from '../../accounts/organisations.store.ts'
import type { KeyRecord } from '../../keys/keys.store.ts'
import { presentKey } from '../../keys/present-key.ts'
import type { Usage } from '../../organisation/usage/usage.target.ts'
import { DAY_MS } from '../../platform/time.ts'
import { loopThresholds } from '../../policies/loops.policy.ts'
import { planOf } from '../../policies/tier.policy.ts'
import { presentOwnSettings } from '../settings/settings-wire.ts'
import type { PolicyVersion } from '../../organisation/policy/policy-versions.store.ts'
import { RawJson, type Row } from './row.ts'
import { COUNTED_COLUMNS } from './usage-rows.ts'

export const ORGANISATION_COLUMNS = ['id', 'object', 'created_at', 'name', 'tier', 'jurisdiction', 'region', 'demo']

export const describeOrganisation = (record: OrganisationRecord): Row => presentIdentity(record, 'organisation')

export const describeSettings = (record: OrganisationRecord): Row => presentOwnSettings(record)

export const describeKey = (key: KeyRecord, now: number): Row => presentKey(key, now)

export const POLICY_COLUMNS = ['id', 'object', 'settings_version', 'parameters', 'created_at', 'created_by', 'document']

/** The parameters of settings and tier that decide a chat request, named as records of decisions name them. */
export function describePolicies(record: OrganisationRecord): Row[] {
  const { requestsPerMinute, requestsPerMonth, models } = planOf(record)
  const thresholds = loopThresholds(record)
  const policies: [id: string, parameters: Row['parameters']][] = [
    ['rate_limit', { requests_per_minute: requestsPerMinute, requests_per_month: requestsPerMonth }],
    ['model_allowlist', { models, enabled_providers: record.enabledProviders }],
    [
      'loop_guard',
      {
        repeats: thresholds.repeats,
        window_seconds: thresholds.repeatWindowMs / 1000,
        cycle_rounds: thresholds.cycleRepeats,
        longest_cycle: thresholds.longestCycle,
        cycle_window_seconds: thresholds.cycleWindowMs / 1000,
        quiet_seconds: thresholds.quietMs / 1000,
      },
    ],
  ]
  const budget = toEur(record.monthlyBudgetMicroeur)
  if (budget !== null) policies.push(['budget_guard', { monthly_budget_eur: budget }])
  return policies.map(([id, parameters]) => ({
    id,
    object: 'policy',
    settings_version: record.version,
    parameters: parameters ?? null,
  }))
}

export const describePolicyVersion = ({ version, madeAt, actor, document }: PolicyVersion): Row => ({
  id: version,
  object: 'policy_version',
  created_at: new Date(madeAt).toISOString(),
  created_by: actor,
  document: new RawJson(JSON.stringify(document)),
})

export const USAGE_COLUMNS = ['id', 'object', 'requests', 'spent_eur', 'reserved_eur', 'key_id', ...COUNTED_COLUMNS]

/** The rows of usage. A month of chats has its month as id, a day of readings its date and key. */
export const describeUsage = ({ months, days }: Usage): Row[] => [
  ...months.map(({ month, requests, spentMicroeur, reservedMicroeur }) => ({
    id: new Date(Date.UTC(1970, month)).toISOString().slice(0, 7),
    object: 'month',
    requests,
    spent_eur: toEur(spentMicroeur),
    reserved_eur: toEur(reservedMicroeur),
  })),
  ...days.map(({ keyId, day, microeur }) => {
    const date = new Date(day * DAY_MS).toISOString().slice(0, 10)
    return { id: `${date}/${keyId}`, object: 'reading_day', spent_eur: toEur(microeur), key_id: keyId }
  }),
]
