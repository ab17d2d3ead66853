// What the operator has settled about the organisation: one row in its own database. Read once and kept, since every
// change comes through here.
import { DEFAULT_SETTINGS, PROVIDERS, type OrganisationSettings } from '../policies/organisation-settings.ts'
import type { Tier } from '../policies/tier.policy.ts'

export const SETTINGS_SCHEMA = `
  CREATE TABLE settings (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    tier TEXT NOT NULL,
    enabled_providers TEXT NOT NULL,
    requests_per_minute INTEGER,
    requests_per_month INTEGER,
    monthly_budget_microeur INTEGER CHECK (monthly_budget_microeur >= 0)
  ) STRICT;
`

type SettingsRow = {
  tier: Tier
  enabled_providers: string
  requests_per_minute: number | null
  requests_per_month: number | null
  monthly_budget_microeur: number | null
}

export class SettingsStore {
  readonly #sql: SqlStorage
  #kept: OrganisationSettings | null = null

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  read(): OrganisationSettings {
    this.#kept ??= this.#select()
    return this.#kept
  }

  write({ tier, enabledProviders, ...limits }: OrganisationSettings): void {
    this.#kept = null
    this.#sql.exec(
      'INSERT OR REPLACE INTO settings VALUES (1, ?, ?, ?, ?, ?)',
      tier,
      enabledProviders.join(' '),
      limits.requestsPerMinute,
      limits.requestsPerMonth,
      limits.monthlyBudgetMicroeur,
    )
  }

  /** For a turn that was rolled back: what is kept may never have been stored. */
  forget(): void {
    this.#kept = null
  }

  #select(): OrganisationSettings {
    const [row] = this.#sql.exec<SettingsRow>('SELECT * FROM settings').toArray()
    if (row === undefined) return DEFAULT_SETTINGS
    const enabled = row.enabled_providers.split(' ')
    return {
      tier: row.tier,
      enabledProviders: PROVIDERS.filter((provider) => enabled.includes(provider)),
      requestsPerMinute: row.requests_per_minute,
      requestsPerMonth: row.requests_per_month,
      monthlyBudgetMicroeur: row.monthly_budget_microeur,
    }
  }
}
