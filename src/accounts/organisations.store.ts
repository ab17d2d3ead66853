// Stores organisations in D1: their names, and a copy of their settings for lists. The organisation's object decides what it may
// do, so a late or lost write here changes nothing there.
import type { Jurisdiction } from '../keys/key-format.ts'
import type { OrganisationId, PersonId } from '../platform/ids.ts'
import type { Region } from '../platform/config.ts'
import { isAfter, sql } from '../platform/sql.ts'
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

const COLUMNS = sql`id, name, jurisdiction, region, created_at, settings, settings_version`
const SELECTED = sql`${COLUMNS}, asked_tier, tier_asked_at, tier_asked_by`

const IS_NOT_BEING_ERASED = sql`NOT EXISTS (SELECT 1 FROM erasures WHERE subject = organisations.id AND state = 'running')`

export class OrganisationsStore extends D1Store {
  async insertOrganisation(record: OrganisationRecord): Promise<void> {
    await this.prepare(sql`INSERT INTO organisations (${COLUMNS}) VALUES (${valuesOf(record)})`).run()
  }

  /** Stores the organisation and its owner in one transaction. Returns false and stores nothing if the owner has `most` already. */
  async insertOwned(record: OrganisationRecord, owner: PersonId, most: number): Promise<boolean> {
    const [, owned] = await this.db.batch([
      this.prepare(sql`INSERT INTO organisations (${COLUMNS}) SELECT ${valuesOf(record)}
        WHERE (SELECT count(*) FROM members WHERE person_id = ${owner} AND role = 'owner') < ${most}`),
      this.prepare(sql`INSERT INTO members (organisation_id, person_id, role, joined_at, invited_by)
        SELECT id, ${owner}, 'owner', created_at, NULL FROM organisations WHERE id = ${record.id}`),
    ])
    return (owned?.meta.changes ?? 0) > 0
  }

  async countOwned(person: PersonId): Promise<number> {
    const counting = sql`SELECT count(*) AS owned FROM members WHERE person_id = ${person} AND role = 'owner'`
    return (await this.prepare(counting).first<number>('owned')) ?? 0
  }

  async findOrganisation(id: string): Promise<OrganisationRecord | null> {
    const row = await this.prepare(
      sql`SELECT ${SELECTED} FROM organisations WHERE id = ${id} AND ${IS_NOT_BEING_ERASED}`,
    ).first<Row>()
    return row === null ? null : fromRow(row)
  }

  /** Lists organisations, newest first, after `cursor` (an id). */
  async listOrganisations(limit: number, cursor: string | undefined): Promise<OrganisationRecord[]> {
    const { results } = await this.prepare(
      sql`SELECT ${SELECTED} FROM organisations WHERE ${isAfter(cursor)} ORDER BY id DESC LIMIT ${limit}`,
    ).all<Row>()
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
    const { tier, requestedAt, requestedBy } = request ?? { tier: null, requestedAt: null, requestedBy: null }
    await this.prepare(sql`UPDATE organisations
      SET (asked_tier, tier_asked_at, tier_asked_by) = (${tier}, ${requestedAt}, ${requestedBy}) WHERE id = ${id}`).run()
  }

  /** Lists the organisations that will require a second factor. */
  async listRequiring(now: number): Promise<(Requirement & Pick<OrganisationRecord, 'id'>)[]> {
    return this.listCurrent(
      sql`SELECT id, ${REQUIREMENT_SQL} FROM organisations
        WHERE settings ->> 'second_factor_from' > ${new Date(now).toISOString()} AND ${IS_NOT_BEING_ERASED}`,
    )
  }

  /** Notes that members are mailed about the requirement. Returns false if they were since `due`, so that it happens once. */
  async noteReminder(id: OrganisationId, due: number, now: number): Promise<boolean> {
    const { meta } = await this.prepare(sql`UPDATE organisations SET factor_reminded_at = ${now}
      WHERE id = ${id} AND coalesce(factor_reminded_at, 0) < ${due}`).run()
    return meta.changes > 0
  }

  #nameWrite(id: string, name: string, version: number): D1PreparedStatement {
    return this.prepare(sql`UPDATE organisations SET name = ${name}, name_version = ${version}
      WHERE id = ${id} AND name_version < ${version}`)
  }

  #settingsWrite(id: string, settings: VersionedSettings): D1PreparedStatement {
    const { version } = settings
    return this.prepare(sql`UPDATE organisations SET settings = ${settingsText(settings)}, settings_version = ${version}
      WHERE id = ${id} AND settings_version < ${version}`)
  }
}

const settingsText = (settings: VersionedSettings): string => JSON.stringify(toNamedSettings(settings))

const valuesOf = (record: OrganisationRecord) => {
  const { id, name, jurisdiction, region, createdAt, version } = record
  return sql`${id}, ${name}, ${jurisdiction}, ${region}, ${createdAt}, ${settingsText(record)}, ${version}`
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
