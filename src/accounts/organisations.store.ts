// Organisations in D1. What an organisation may do is decided by its object, which has the same settings.
import type { Jurisdiction } from '../keys/key-format.ts'
import type { OrganisationId } from '../platform/ids.ts'
import { PROVIDERS, type OrganisationSettings } from '../policies/organisation-settings.ts'
import type { Tier } from '../policies/tier.policy.ts'

export type OrganisationRecord = OrganisationSettings & {
  id: OrganisationId
  name: string
  jurisdiction: Jurisdiction
  createdAt: number
}

type Row = {
  id: OrganisationId
  name: string
  tier: Tier
  jurisdiction: Jurisdiction
  created_at: number
  enabled_providers: string
  requests_per_minute: number | null
  requests_per_month: number | null
  monthly_budget_microeur: number | null
}

export class OrganisationsStore {
  readonly #db: D1Database

  constructor(db: D1Database) {
    this.#db = db
  }

  async insertOrganisation(record: OrganisationRecord): Promise<void> {
    await this.#db
      .prepare(
        `INSERT INTO organisations (id, jurisdiction, created_at, name, tier, enabled_providers, requests_per_minute,
           requests_per_month, monthly_budget_microeur)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .bind(record.id, record.jurisdiction, record.createdAt, ...changeable(record))
      .run()
  }

  async findOrganisation(id: string): Promise<OrganisationRecord | null> {
    const row = await this.#db.prepare('SELECT * FROM organisations WHERE id = ?').bind(id).first<Row>()
    return row === null ? null : fromRow(row)
  }

  /** Newest first, after `cursor` (an id). */
  async listOrganisations(limit: number, cursor: string | undefined): Promise<OrganisationRecord[]> {
    const { results } = await this.#db
      .prepare('SELECT * FROM organisations WHERE ?1 IS NULL OR id < ?1 ORDER BY id DESC LIMIT ?2')
      .bind(cursor ?? null, limit)
      .all<Row>()
    return results.map(fromRow)
  }

  async updateOrganisation(record: OrganisationRecord): Promise<void> {
    await this.#db
      .prepare(
        `UPDATE organisations SET name = ?, tier = ?, enabled_providers = ?, requests_per_minute = ?,
           requests_per_month = ?, monthly_budget_microeur = ? WHERE id = ?`,
      )
      .bind(...changeable(record), record.id)
      .run()
  }
}

const changeable = (record: OrganisationRecord) => [
  record.name,
  record.tier,
  record.enabledProviders.join(' '),
  record.requestsPerMinute,
  record.requestsPerMonth,
  record.monthlyBudgetMicroeur,
]

function fromRow(row: Row): OrganisationRecord {
  const enabled = row.enabled_providers.split(' ')
  return {
    id: row.id,
    name: row.name,
    tier: row.tier,
    jurisdiction: row.jurisdiction,
    createdAt: row.created_at,
    enabledProviders: PROVIDERS.filter((provider) => enabled.includes(provider)),
    requestsPerMinute: row.requests_per_minute,
    requestsPerMonth: row.requests_per_month,
    monthlyBudgetMicroeur: row.monthly_budget_microeur,
  }
}
