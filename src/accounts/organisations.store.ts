// Stores organisations in D1: their names, and a copy of their settings for lists. The organisation's object decides what it may
// do, so a late or lost write here changes nothing there.
import type { Jurisdiction } from '../keys/key-format.ts'
import type { OrganisationId, PersonId } from '../platform/ids.ts'
import type { Region } from '../platform/config.ts'
import { D1Store } from '../platform/stores.ts'
import {
  fromNamedSettings,
  NamedSettingsSchema,
  toNamedSettings,
  type VersionedSettings,
} from '../policies/organisation-settings.ts'
import type { Requirement } from '../policies/second-factor.policy.ts'
import { REQUIREMENT_SQL } from './people/sessions.store.ts'
import { readTier, type Tier } from '../policies/tier.policy.ts'

/** `requestedBy`: the id of a person or a key; null if the person is erased. */
export type TierRequest = { tier: Tier; requestedAt: number; requestedBy: string | null }

export type OrganisationRecord = VersionedSettings & {
  id: OrganisationId
  name: string
  jurisdiction: Jurisdiction
  /** The region requested when its object was created; null if none was. */
  region: Region | null
  createdAt: number
  /** The last request for another tier; null once the operator has set one. */
  tierRequest: TierRequest | null
}

/** The request for a tier as columns, which are null together. */
export type TierRequestRow = { asked_tier: string | null; tier_asked_at: number; tier_asked_by: string | null }

/** The settings are one column of JSON, because nothing selects by them. The name has a version of its own. */
type Row = Pick<OrganisationRecord, 'id' | 'name' | 'jurisdiction' | 'region'> & {
  created_at: number
  settings: string
  settings_version: number
} & TierRequestRow

const COLUMNS = 'id, name, jurisdiction, region, created_at, settings, settings_version'
const PLACEHOLDERS = '?, ?, ?, ?, ?, ?, ?'
const SELECTED = `${COLUMNS}, asked_tier, tier_asked_at, tier_asked_by`

const IS_NOT_BEING_ERASED = "NOT EXISTS (SELECT 1 FROM erasures WHERE subject = organisations.id AND state = 'running')"

const SELECT_ONE = `SELECT ${SELECTED} FROM organisations WHERE id = ? AND ${IS_NOT_BEING_ERASED}`

export class OrganisationsStore extends D1Store {
  async insertOrganisation(record: OrganisationRecord): Promise<void> {
    await this.db
      .prepare(`INSERT INTO organisations (${COLUMNS}) VALUES (${PLACEHOLDERS})`)
      .bind(...valuesOf(record))
      .run()
  }

  /** Stores the organisation and its owner in one transaction. Returns false and stores nothing if the owner has `most` already. */
  async insertOwned(record: OrganisationRecord, owner: PersonId, most: number): Promise<boolean> {
    const insertion = this.db
      .prepare(
        `INSERT INTO organisations (${COLUMNS}) SELECT ${PLACEHOLDERS}
         WHERE (SELECT count(*) FROM members WHERE person_id = ? AND role = 'owner') < ?`,
      )
      .bind(...valuesOf(record), owner, most)
    const ownership = this.db
      .prepare(
        `INSERT INTO members (organisation_id, person_id, role, joined_at, invited_by)
         SELECT id, ?, 'owner', created_at, NULL FROM organisations WHERE id = ?`,
      )
      .bind(owner, record.id)
    const [, owned] = await this.db.batch([insertion, ownership])
    return (owned?.meta.changes ?? 0) > 0
  }

  async countOwned(person: PersonId): Promise<number> {
    const row = await this.db
      .prepare("SELECT count(*) AS owned FROM members WHERE person_id = ? AND role = 'owner'")
      .bind(person)
      .first<{ owned: number }>()
    return row?.owned ?? 0
  }

  async findOrganisation(id: string): Promise<OrganisationRecord | null> {
    const row = await this.db.prepare(SELECT_ONE).bind(id).first<Row>()
    return row === null ? null : fromRow(row)
  }

  /** Lists organisations, newest first, after `cursor` (an id). */
  async listOrganisations(limit: number, cursor: string | undefined): Promise<OrganisationRecord[]> {
    const { results } = await this.db
      .prepare(`SELECT ${SELECTED} FROM organisations WHERE ?1 IS NULL OR id < ?1 ORDER BY id DESC LIMIT ?2`)
      .bind(cursor ?? null, limit)
      .all<Row>()
    return results.map(fromRow)
  }

  /** Writes the settings, and the name if it is given. A stored version that is the same or later stays. */
  async writeSettings(id: string, settings: VersionedSettings, name?: string): Promise<void> {
    const writing = this.#settingsWrite(id, settings)
    if (name === undefined) await writing.run()
    else await this.db.batch([this.#nameWrite(id, name, settings.version), writing])
  }

  /** Stores the request for a tier in place of an earlier one. Null: none is open any more. */
  async writeTierRequest(id: string, request: TierRequest | null): Promise<void> {
    await this.db
      .prepare('UPDATE organisations SET (asked_tier, tier_asked_at, tier_asked_by) = (?, ?, ?) WHERE id = ?')
      .bind(request?.tier ?? null, request?.requestedAt ?? null, request?.requestedBy ?? null, id)
      .run()
  }

  /** Lists the organisations that will require a second factor. */
  async listRequiring(now: number): Promise<(Requirement & Pick<OrganisationRecord, 'id'>)[]> {
    return this.listCurrent(
      `SELECT id, ${REQUIREMENT_SQL} FROM organisations
       WHERE settings ->> 'second_factor_from' > ? AND ${IS_NOT_BEING_ERASED}`,
      new Date(now).toISOString(),
    )
  }

  /** Notes that members are mailed about the requirement. Returns false if they were since `due`, so that it happens once. */
  async noteReminder(id: OrganisationId, due: number, now: number): Promise<boolean> {
    const { meta } = await this.db
      .prepare('UPDATE organisations SET factor_reminded_at = ? WHERE id = ? AND coalesce(factor_reminded_at, 0) < ?')
      .bind(now, id, due)
      .run()
    return meta.changes > 0
  }

  #nameWrite(id: string, name: string, version: number): D1PreparedStatement {
    return this.db
      .prepare('UPDATE organisations SET name = ?1, name_version = ?2 WHERE id = ?3 AND name_version < ?2')
      .bind(name, version, id)
  }

  #settingsWrite(id: string, settings: VersionedSettings): D1PreparedStatement {
    return this.db
      .prepare('UPDATE organisations SET settings = ?1, settings_version = ?2 WHERE id = ?3 AND settings_version < ?2')
      .bind(settingsText(settings), settings.version, id)
  }
}

const settingsText = (settings: VersionedSettings): string => JSON.stringify(toNamedSettings(settings))

const valuesOf = (record: OrganisationRecord) => {
  const { id, name, jurisdiction, region, createdAt, version } = record
  return [id, name, jurisdiction, region, createdAt, settingsText(record), version]
}

function fromRow({ settings, settings_version: version, created_at: createdAt, ...row }: Row): OrganisationRecord {
  const { id, name, jurisdiction, region } = row
  const stored: unknown = JSON.parse(settings)
  const named = NamedSettingsSchema().parse(Object.assign({ version }, stored))
  return {
    ...fromNamedSettings(named),
    id,
    name,
    jurisdiction,
    region,
    createdAt,
    tierRequest: tierRequestFromRow(row),
  }
}

export const tierRequestFromRow = (row: TierRequestRow): TierRequest | null =>
  row.asked_tier === null
    ? null
    : { tier: readTier(row.asked_tier), requestedAt: row.tier_asked_at, requestedBy: row.tier_asked_by }
