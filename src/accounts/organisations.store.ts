// Organisations in D1.
import type { Jurisdiction } from '../keys/key-format.ts'
import type { OrganisationId } from '../platform/ids.ts'
import type { Tier } from './organisation.schema.ts'

export type OrganisationRecord = {
  id: OrganisationId
  name: string
  tier: Tier
  jurisdiction: Jurisdiction
  createdAt: number
}

type Row = { id: OrganisationId; name: string; tier: Tier; jurisdiction: Jurisdiction; created_at: number }

const fromRow = ({ created_at: createdAt, ...rest }: Row): OrganisationRecord => ({ ...rest, createdAt })

export class OrganisationsStore {
  readonly #db: D1Database

  constructor(db: D1Database) {
    this.#db = db
  }

  async insertOrganisation({ id, name, tier, jurisdiction, createdAt }: OrganisationRecord): Promise<void> {
    await this.#db
      .prepare('INSERT INTO organisations (id, name, tier, jurisdiction, created_at) VALUES (?, ?, ?, ?, ?)')
      .bind(id, name, tier, jurisdiction, createdAt)
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

  async updateOrganisation(id: string, change: { name?: string | undefined; tier?: Tier | undefined }): Promise<void> {
    await this.#db
      .prepare('UPDATE organisations SET name = COALESCE(?, name), tier = COALESCE(?, tier) WHERE id = ?')
      .bind(change.name ?? null, change.tier ?? null, id)
      .run()
  }
}
