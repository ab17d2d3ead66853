// Erasures in D1: of organisations an index of what their objects have decided, of people the decision itself. A row
// outlives what it tells of: ids and times, and no name.
import type { Jurisdiction } from '../../keys/key-format.ts'
import type { ErasureId, OrganisationId, PersonId } from '../../platform/ids.ts'
import type { ErasureRequest, ErasureState } from './erasure-state.store.ts'

/** Times in milliseconds. Either of an organisation or of a person. */
export type IndexedErasure = {
  readonly id: ErasureId
  readonly organisationId: OrganisationId | null
  readonly personId: PersonId | null
  /** Of the organisation. */
  readonly jurisdiction: Jurisdiction | null
  readonly requestedBy: string
  readonly requestedAt: number
  readonly dueAt: number
  readonly state: ErasureState | 'cancelled'
  /** The signed record as JSON, of an organisation whose erasure is completed, or was and is being done again. */
  readonly record: string | null
}

export type PersonErasureRequest = {
  readonly id: ErasureId
  readonly personId: PersonId
  readonly requestedAt: number
  readonly dueAt: number
}

const COLUMNS = 'id, organisation_id, person_id, jurisdiction, requested_by, requested_at, due_at, state, record'

const SELECT = `
  SELECT id, organisation_id AS organisationId, person_id AS personId, jurisdiction, requested_by AS requestedBy,
    requested_at AS requestedAt, due_at AS dueAt, state, record
  FROM erasures`

/** Organisations of which a person is the only owner that stays, and which are not to be erased themselves. */
const onlyOwnerOf = (person: string): string => `
  SELECT 1 FROM members AS own WHERE own.person_id = ${person} AND own.role = 'owner'
    AND NOT EXISTS (
      SELECT 1 FROM members AS others WHERE others.organisation_id = own.organisation_id
        AND others.role = 'owner' AND others.person_id <> own.person_id
        AND NOT EXISTS (SELECT 1 FROM erasures AS going WHERE going.person_id = others.person_id AND going.state = 'running')
    )
    AND NOT EXISTS (
      SELECT 1 FROM erasures AS closing
      WHERE closing.organisation_id = own.organisation_id AND closing.state IN ('scheduled', 'running')
    )`

export class ErasuresStore {
  readonly #db: D1Database

  constructor(db: D1Database) {
    this.#db = db
  }

  async find(id: string): Promise<IndexedErasure | null> {
    return this.#first('id = ?', id)
  }

  /** The one that is scheduled here, whatever its object says. */
  async findScheduled(organisationId: OrganisationId): Promise<IndexedErasure | null> {
    return this.#first(`organisation_id = ? AND state = 'scheduled'`, organisationId)
  }

  /** The one that is scheduled or runs. */
  async findOfPerson(personId: PersonId): Promise<IndexedErasure | null> {
    return this.#first(`person_id = ? AND state IN ('scheduled', 'running')`, personId)
  }

  /** Newest first, after `cursor` (an id). */
  async list(limit: number, cursor: string | undefined): Promise<IndexedErasure[]> {
    const { results } = await this.#db
      .prepare(`${SELECT} WHERE ?1 IS NULL OR id < ?1 ORDER BY id DESC LIMIT ?2`)
      .bind(cursor ?? null, limit)
      .all<IndexedErasure>()
    return results
  }

  /** Oldest first: those of people whose time has come, and those that were cut off. */
  async listDuePeople(now: number, after: string, limit: number): Promise<IndexedErasure[]> {
    const { results } = await this.#db
      .prepare(
        `${SELECT}
         WHERE person_id IS NOT NULL AND state IN ('scheduled', 'running') AND due_at <= ? AND id > ? ORDER BY id LIMIT ?`,
      )
      .bind(now, after, limit)
      .all<IndexedErasure>()
    return results
  }

  /** One that was just asked for. Its object may have begun with it meanwhile, or have a later one: what was said of those stands. */
  async indexScheduled(erasure: ErasureRequest): Promise<void> {
    const unless = `WHERE erasures.state = 'scheduled' ON CONFLICT DO NOTHING`
    await this.#db.batch(this.#indexing(erasure, { state: 'scheduled', record: null, others: '<', unless }))
  }

  /** As its object has it, whatever the rows said before. A record that is there stays until there is another. */
  async index(erasure: ErasureRequest, state: ErasureState, record: string | null = null): Promise<void> {
    await this.#db.batch(this.#indexing(erasure, { state, record, others: '<>', unless: '' }))
  }

  async cancel(id: ErasureId): Promise<void> {
    await this.#db
      .prepare(`UPDATE erasures SET state = 'cancelled' WHERE id = ? AND state = 'scheduled'`)
      .bind(id)
      .run()
  }

  /**
   * @param as.others whose ids are so are not open any more: a database that was taken back may have another one open
   */
  #indexing(
    { id, organisationId, jurisdiction, requestedBy, requestedAt, dueAt }: ErasureRequest,
    as: { state: ErasureState; record: string | null; others: '<' | '<>'; unless: string },
  ): D1PreparedStatement[] {
    const others = `UPDATE erasures SET state = 'cancelled'
      WHERE organisation_id = ? AND id ${as.others} ? AND state IN ('scheduled', 'running')`
    const own = `INSERT INTO erasures (${COLUMNS}) VALUES (?, ?, NULL, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET (jurisdiction, due_at, state, record) =
        (excluded.jurisdiction, excluded.due_at, excluded.state, coalesce(excluded.record, record)) ${as.unless}`
    return [
      this.#db.prepare(others).bind(organisationId, id),
      this.#db
        .prepare(own)
        .bind(id, organisationId, jurisdiction, requestedBy, requestedAt, dueAt, as.state, as.record),
    ]
  }

  /**
   * Takes down that a person asks to be erased and ends their sessions, in one transaction. Nothing happens where the person
   * is the only owner of an organisation that is not to be erased itself, or has asked before.
   */
  async schedulePerson(erasure: PersonErasureRequest): Promise<void> {
    const { id, personId, requestedAt, dueAt } = erasure
    await this.#db.batch([
      this.#db
        .prepare(
          `INSERT INTO erasures (${COLUMNS})
           SELECT ?1, NULL, ?2, NULL, ?2, ?3, ?4, 'scheduled', NULL WHERE NOT EXISTS (${onlyOwnerOf('?2')})
           ON CONFLICT DO NOTHING`,
        )
        .bind(id, personId, requestedAt, dueAt),
      this.#db
        .prepare(
          `DELETE FROM sessions WHERE person_id = ?1
             AND EXISTS (SELECT 1 FROM erasures WHERE person_id = ?1 AND state IN ('scheduled', 'running'))`,
        )
        .bind(personId),
    ])
  }

  /** From here on it cannot be cancelled. False for whoever is the only owner of an organisation by then: that comes first. */
  async beginPerson(id: ErasureId): Promise<boolean> {
    const begun = await this.#db
      .prepare(
        `UPDATE erasures SET state = 'running' WHERE id = ? AND state IN ('scheduled', 'running')
           AND NOT EXISTS (${onlyOwnerOf('erasures.person_id')}) RETURNING id`,
      )
      .bind(id)
      .first()
    return begun !== null
  }

  async completePerson(id: ErasureId): Promise<void> {
    await this.#db.prepare(`UPDATE erasures SET state = 'completed' WHERE id = ? AND state = 'running'`).bind(id).run()
  }

  /** One that was completed, as the operator's ledger has it: again from its beginning. */
  async repeatPerson({ id, personId, requestedAt, dueAt }: PersonErasureRequest): Promise<void> {
    await this.#db.batch([
      this.#db
        .prepare(
          `UPDATE erasures SET state = 'cancelled'
           WHERE person_id = ? AND id <> ? AND state IN ('scheduled', 'running')`,
        )
        .bind(personId, id),
      this.#db
        .prepare(
          `INSERT INTO erasures (${COLUMNS}) VALUES (?1, NULL, ?2, NULL, ?2, ?3, ?4, 'running', NULL)
           ON CONFLICT (id) DO UPDATE SET state = 'running'`,
        )
        .bind(id, personId, requestedAt, dueAt),
    ])
  }

  async #first(where: string, value: string): Promise<IndexedErasure | null> {
    return this.#db.withSession('first-primary').prepare(`${SELECT} WHERE ${where}`).bind(value).first<IndexedErasure>()
  }
}
