// Stores erasures in D1: decisions about people, and an index of what organisations' objects decided. Also deletes the rows of an
// organisation or a person from D1, all in one transaction.
import { columnsOf } from '../../platform/sql-columns.ts'
import type { ErasureId, OrganisationId, PersonId } from '../../platform/ids.ts'
import { D1Store } from '../../platform/stores.ts'
import {
  ERASURE_COLUMNS,
  FROM,
  OPEN_ERASURE_STATES,
  type Erasure,
  type PersonErasure,
  type PersonErasureRequest,
} from './erasure.ts'

const COLUMNS = columnsOf<Erasure>({
  id: 'id',
  ...ERASURE_COLUMNS,
  state: 'state',
  record: 'record',
})

const inStates = (states: readonly string[]): string => `IN (${states.map((state) => `'${state}'`).join(', ')})`
const IS_OPEN = inStates(OPEN_ERASURE_STATES)

const SELECT = `SELECT ${COLUMNS.selected} FROM erasures`

/** Selects organisations in which a person is the only remaining owner, and which are not to be erased themselves. */
const onlyOwnerOf = (person: string): string => `
  SELECT 1 FROM members AS own WHERE own.person_id = ${person} AND own.role = 'owner'
    AND NOT EXISTS (
      SELECT 1 FROM members AS others WHERE others.organisation_id = own.organisation_id
        AND others.role = 'owner' AND others.person_id <> own.person_id
        AND NOT EXISTS (SELECT 1 FROM erasures AS going WHERE going.subject = others.person_id AND going.state = 'running')
    )
    AND NOT EXISTS (
      SELECT 1 FROM erasures AS closing
      WHERE closing.subject = own.organisation_id AND closing.state ${IS_OPEN}
    )`

export class ErasuresStore extends D1Store {
  async find(id: string): Promise<Erasure | null> {
    return this.#first('id = ?', id)
  }

  /** Returns the organisation's erasure that is scheduled in D1, whatever its object says; null if there is none. */
  async findScheduled(organisationId: OrganisationId): Promise<Erasure | null> {
    return this.#first(`subject = ? AND state = 'scheduled'`, organisationId)
  }

  /** Returns the erasure that is scheduled or running; null if there is none. */
  async findOfPerson(personId: PersonId): Promise<PersonErasure | null> {
    return this.#first<PersonErasure>(`subject = ? AND state ${IS_OPEN}`, personId)
  }

  /** Returns erasures, newest first, that are older than `cursor` (an id). */
  async list(limit: number, cursor: string | undefined): Promise<Erasure[]> {
    const { results } = await this.db
      .prepare(`${SELECT} WHERE ?1 IS NULL OR id < ?1 ORDER BY id DESC LIMIT ?2`)
      .bind(cursor ?? null, limit)
      .all<Erasure>()
    return results
  }

  /** Returns people's erasures that are due, and any that were cut off, oldest first. */
  async listDuePeople(now: number, after: string, limit: number): Promise<PersonErasure[]> {
    const { results } = await this.db
      .prepare(
        `${SELECT}
         WHERE jurisdiction IS NULL AND state ${IS_OPEN} AND due_at <= ? AND id > ? ORDER BY id LIMIT ?`,
      )
      .bind(now, after, limit)
      .all<PersonErasure>()
    return results
  }

  /** Indexes an erasure that was just requested. Keeps its row if it has begun, and adds none if a later erasure is open. */
  async indexScheduled(erasure: Erasure): Promise<void> {
    const unless = `WHERE erasures.state = 'scheduled' ON CONFLICT DO NOTHING`
    await this.#write({ ...erasure, state: 'scheduled', record: null }, { others: '<', unless })
  }

  /** Indexes an erasure as its object has it, overwriting the row. A stored record stays until there is another. */
  async index(erasure: Erasure): Promise<void> {
    await this.#write(erasure, { others: '<>', unless: '' })
  }

  async cancel(id: ErasureId): Promise<void> {
    await this.db
      .prepare(`UPDATE erasures SET state = 'cancelled' WHERE id = ? AND state ${inStates(FROM.cancel)}`)
      .bind(id)
      .run()
  }

  /** @param as.others open erasures with such ids become cancelled: a restored database may have another one open */
  async #write(erasure: Erasure, as: { others: '<' | '<>'; unless: string }): Promise<void> {
    const others = `UPDATE erasures SET state = 'cancelled'
      WHERE subject = ? AND id ${as.others} ? AND state ${IS_OPEN}`
    const own = `INSERT INTO erasures (${COLUMNS.names}) VALUES (${COLUMNS.placeholders})
      ON CONFLICT (id) DO UPDATE SET (jurisdiction, due_at, state, record) =
        (excluded.jurisdiction, excluded.due_at, excluded.state, coalesce(excluded.record, record)) ${as.unless}`
    await this.db.batch([
      this.db.prepare(others).bind(erasure.subject, erasure.id),
      this.db.prepare(own).bind(...COLUMNS.valuesOf(erasure)),
    ])
  }

  /**
   * Records that a person asks to be erased and ends their sessions, in one transaction. Does nothing if the person has asked
   * before, or alone owns an organisation that is not to be erased itself.
   */
  async schedulePerson(erasure: Omit<PersonErasureRequest, 'jurisdiction' | 'requestedBy'>): Promise<void> {
    const { id, subject, requestedAt, dueAt } = erasure
    await this.db.batch([
      this.db
        .prepare(
          `INSERT INTO erasures (${COLUMNS.names})
           SELECT ?1, ?2, NULL, ?2, ?3, ?4, 'scheduled', NULL WHERE NOT EXISTS (${onlyOwnerOf('?2')})
           ON CONFLICT DO NOTHING`,
        )
        .bind(id, subject, requestedAt, dueAt),
      this.db
        .prepare(
          `DELETE FROM sessions WHERE person_id = ?1
             AND EXISTS (SELECT 1 FROM erasures WHERE subject = ?1 AND state ${IS_OPEN})`,
        )
        .bind(subject),
    ])
  }

  /** Begins a person's erasure: from then on nobody can cancel it. Returns false if an organisation that they alone own remains. */
  async beginPerson(id: ErasureId): Promise<boolean> {
    const begun = await this.db
      .prepare(
        `UPDATE erasures SET state = 'running' WHERE id = ? AND state ${inStates(FROM.begin)}
           AND NOT EXISTS (${onlyOwnerOf('erasures.subject')}) RETURNING id`,
      )
      .bind(id)
      .first()
    return begun !== null
  }

  async completePerson(id: ErasureId): Promise<void> {
    await this.db
      .prepare(`UPDATE erasures SET state = 'completed' WHERE id = ? AND state ${inStates(FROM.complete)}`)
      .bind(id)
      .run()
  }

  async #first<Found extends Erasure = Erasure>(where: string, value: string): Promise<Found | null> {
    return this.db.withSession('first-primary').prepare(`${SELECT} WHERE ${where}`).bind(value).first<Found>()
  }
}

/** Selects people who are only in this organisation. People who asked for their own erasure are erased at that time. */
const PEOPLE_ONLY_HERE = `
  SELECT here.person_id FROM members AS here WHERE here.organisation_id = ?1
    AND NOT EXISTS (
      SELECT 1 FROM members AS there WHERE there.person_id = here.person_id AND there.organisation_id <> ?1
    )
    AND NOT EXISTS (
      SELECT 1 FROM erasures WHERE erasures.subject = here.person_id AND erasures.state IN ('scheduled', 'running')
    )`

const PERSON_OF_ERASURE = `SELECT subject FROM erasures WHERE id = ?1 AND state = 'running' AND jurisdiction IS NULL`

export class AccountRowsStore extends D1Store {
  /** Returns the e-mail addresses of an organisation's owners. */
  async listOwners(organisationId: OrganisationId): Promise<string[]> {
    const { results } = await this.db
      .prepare(
        `SELECT people.email AS email FROM members JOIN people ON people.id = members.person_id
         WHERE members.organisation_id = ? AND members.role = 'owner' ORDER BY people.id`,
      )
      .bind(organisationId)
      .all<{ email: string }>()
    return results.map(({ email }) => email)
  }

  /** Deletes the organisation, its members and invitations, and people in no other. Others keep their data. Safe to repeat. */
  async eraseOrganisation(organisationId: OrganisationId): Promise<void> {
    const statements = [
      ...peopleDeletions(PEOPLE_ONLY_HERE),
      'DELETE FROM invitations WHERE organisation_id = ?1',
      'DELETE FROM pending_acts WHERE organisation_id = ?1',
      'DELETE FROM members WHERE organisation_id = ?1',
      'DELETE FROM organisations WHERE id = ?1',
    ]
    await this.db.batch(statements.map((statement) => this.db.prepare(statement).bind(organisationId)))
  }

  /** Deletes the person of a running erasure, and all rows with their e-mail address or id. Safe to repeat. */
  async erasePerson(erasureId: ErasureId): Promise<void> {
    const statements = [
      `DELETE FROM invitations WHERE invited_by IN (${PERSON_OF_ERASURE})`,
      `DELETE FROM invitations WHERE email_key IN (SELECT email_key FROM people WHERE id IN (${PERSON_OF_ERASURE}))`,
      `UPDATE members SET invited_by = NULL WHERE invited_by IN (${PERSON_OF_ERASURE})`,
      `UPDATE organisations SET tier_asked_by = NULL WHERE tier_asked_by IN (${PERSON_OF_ERASURE})`,
      ...peopleDeletions(PERSON_OF_ERASURE),
    ]
    await this.db.batch(statements.map((statement) => this.db.prepare(statement).bind(erasureId)))
  }

  /** Counts the organisation's members and invitations, and its own row. */
  async countRemaining(organisationId: OrganisationId): Promise<number> {
    const row = await this.db
      .withSession('first-primary')
      .prepare(
        `SELECT (SELECT COUNT(*) FROM members WHERE organisation_id = ?1)
           + (SELECT COUNT(*) FROM invitations WHERE organisation_id = ?1)
           + (SELECT COUNT(*) FROM organisations WHERE id = ?1) AS n`,
      )
      .bind(organisationId)
      .first<{ n: number }>()
    return row?.n ?? 0
  }
}

/** Deleting a person also deletes their sessions, their identities and the links to another address of theirs. */
const peopleDeletions = (people: string): string[] => [
  `DELETE FROM mail_links WHERE email_key IN (SELECT email_key FROM people WHERE id IN (${people}))`,
  `DELETE FROM people WHERE id IN (${people})`,
]
