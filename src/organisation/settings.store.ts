// What is settled about the organisation: one row in its own database, which decides. Read once and kept,
// since every change comes through here.
import {
  DEFAULT_SETTINGS,
  type OrganisationSettings,
  type VersionedSettings,
} from '../policies/organisation-settings.ts'
import type { Tier } from '../policies/tier.policy.ts'
import { PROVIDER_IDS } from '../providers/registry.ts'

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

export const SETTINGS_VERSION_SCHEMA = `
  ALTER TABLE settings ADD COLUMN version INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE settings ADD COLUMN default_max_tokens INTEGER NOT NULL DEFAULT 16384 CHECK (default_max_tokens > 0);
`

export const CACHE_INSTRUCTIONS_SCHEMA = `
  ALTER TABLE settings ADD COLUMN cache_instructions INTEGER NOT NULL DEFAULT 0 CHECK (cache_instructions IN (0, 1));
`

export const RETENTION_AND_LOOPS_SCHEMA = `
  ALTER TABLE settings ADD COLUMN retention_days INTEGER CHECK (retention_days > 0);
  ALTER TABLE settings ADD COLUMN loop_repeats INTEGER NOT NULL DEFAULT 5 CHECK (loop_repeats > 1);
  ALTER TABLE settings ADD COLUMN loop_window_seconds INTEGER NOT NULL DEFAULT 60 CHECK (loop_window_seconds > 0);
  ALTER TABLE settings ADD COLUMN loop_cycle_rounds INTEGER NOT NULL DEFAULT 5 CHECK (loop_cycle_rounds > 1);
  ALTER TABLE settings
    ADD COLUMN loop_cycle_window_seconds INTEGER NOT NULL DEFAULT 300 CHECK (loop_cycle_window_seconds > 0);
`

const VALUES =
  'tier, enabled_providers, requests_per_minute, requests_per_month, monthly_budget_microeur, default_max_tokens, ' +
  'cache_instructions, retention_days, loop_repeats, loop_window_seconds, loop_cycle_rounds, loop_cycle_window_seconds, ' +
  'version'

// An update and not a replacement: a column that this Worker does not know of keeps what is in it.
const WRITE = `
  INSERT INTO settings (id, ${VALUES}) VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET (${VALUES}) = (${VALUES.replaceAll(/\w+/g, 'excluded.$&')})
`

type SettingsRow = {
  tier: Tier
  enabled_providers: string
  requests_per_minute: number | null
  requests_per_month: number | null
  monthly_budget_microeur: number | null
  default_max_tokens: number
  cache_instructions: 0 | 1
  retention_days: number | null
  loop_repeats: number
  loop_window_seconds: number
  loop_cycle_rounds: number
  loop_cycle_window_seconds: number
  version: number
}

export class SettingsStore {
  readonly #sql: SqlStorage
  #kept: VersionedSettings | null = null

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  read(): VersionedSettings {
    this.#kept ??= this.#select()
    return this.#kept
  }

  /**
   * Counts the change. `knownVersion` is what the organisation's row in D1 has: a database that was taken back to an
   * earlier day goes on above it, so that D1 takes what it says.
   */
  write(settings: OrganisationSettings, knownVersion: number): VersionedSettings {
    const version = Math.max(this.read().version, knownVersion) + 1
    this.#kept = null
    this.#sql.exec(
      WRITE,
      settings.tier,
      settings.enabledProviders.join(' '),
      settings.requestsPerMinute,
      settings.requestsPerMonth,
      settings.monthlyBudgetMicroeur,
      settings.defaultMaxTokens,
      settings.cacheInstructions ? 1 : 0,
      settings.retentionDays,
      settings.loopRepeats,
      settings.loopWindowSeconds,
      settings.loopCycleRounds,
      settings.loopCycleWindowSeconds,
      version,
    )
    return this.read()
  }

  /** For a turn that was rolled back: what is kept may never have been stored. */
  forget(): void {
    this.#kept = null
  }

  #select(): VersionedSettings {
    const [row] = this.#sql.exec<SettingsRow>(`SELECT ${VALUES} FROM settings`).toArray()
    if (row === undefined) return { ...DEFAULT_SETTINGS, version: 0 }
    const enabled = row.enabled_providers.split(' ')
    return {
      tier: row.tier,
      enabledProviders: PROVIDER_IDS.filter((provider) => enabled.includes(provider)),
      requestsPerMinute: row.requests_per_minute,
      requestsPerMonth: row.requests_per_month,
      monthlyBudgetMicroeur: row.monthly_budget_microeur,
      defaultMaxTokens: row.default_max_tokens,
      cacheInstructions: row.cache_instructions === 1,
      retentionDays: row.retention_days,
      loopRepeats: row.loop_repeats,
      loopWindowSeconds: row.loop_window_seconds,
      loopCycleRounds: row.loop_cycle_rounds,
      loopCycleWindowSeconds: row.loop_cycle_window_seconds,
      version: row.version,
    }
  }
}
