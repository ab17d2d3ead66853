// Stores erasures in D1: decisions about people, and an index of what organisations' objects decided. Also deletes the rows of an
// organisation or a person from D1, all in one transaction.
import type { ErasureId, OrganisationId, PersonId } from '../../platform/ids.ts'
import { isAfter, sql, trusted, type Sql } from '../../platform/sql.ts'
import { sqlColumnsOf } from '../../platform/sql-columns.ts'
import { D1Store } from '../../platform/stores.ts'
import {
  ERASURE_COLUMNS,
  FROM,
  OPEN_ERASURE_STATES,
  type Erasure,
  type PersonErasure,
  type PersonErasureRequest,
} from './erasure.ts'

const COLUMNS = sqlColumnsOf<Erasure>({
  id: 'id',
  ...ERASURE_COLUMNS,
  state: 'state',
  record: 'record',
})

const inStates = (states: readonly string[]): Sql => trusted(`IN (${states.map((state) => `'${state}'`).join(', ')})`)
const IS_OPEN = inStates(OPEN_ERASURE_STATES)

const SELECT = sql`SELECT ${COLUMNS.selected} FROM erasures`

/** Selects organisations in which a person is the only remaining owner, and which are not to be erased themselves. */
const onlyOwnerOf = (person: Sql): Sql => sql`
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
    return this.#first(sql`id = ${id}`)
  }

  /** Returns the organisation's erasure that is scheduled in D1, whatever its object says; null if there is none. */
  async findScheduled(organisationId: OrganisationId): Promise<Erasure | null> {
    return this.#first(sql`subject = ${organisationId} AND state = 'scheduled'`)
  }

  /** Returns the erasure that is scheduled or running; null if there is none. */
  async findOfPerson(personId: PersonId): Promise<PersonErasure | null> {
    return this.#first<PersonErasure>(sql`subject = ${personId} AND state ${IS_OPEN}`)
  }

  /** Returns erasures, newest first, that are older than `cursor` (an id). */
  async list(limit: number, cursor: string | undefined): Promise<Erasure[]> {
    const query = sql`${SELECT} WHERE ${isAfter(cursor)} ORDER BY id DESC LIMIT ${limit}`
    return (await this.prepare(query).all<Erasure>()).results
  }

  /** Returns people's erasures that are due, and any that were cut off, oldest first. */
  async listDuePeople(now: number, after: string, limit: number): Promise<PersonErasure[]> {
    const query = sql`${SELECT} WHERE jurisdiction IS NULL AND state ${IS_OPEN} AND due_at <= ${now} AND id > ${after}
      ORDER BY id LIMIT ${limit}`
    return (await this.prepare(query).all<PersonErasure>()).results
  }

  /** Indexes an erasure that was just requested. Keeps its row if it has begun, and adds none if a later erasure is open. */
  async indexScheduled(erasure: Erasure): Promise<void> {
    const unless = sql`WHERE erasures.state = 'scheduled' ON CONFLICT DO NOTHING`
    await this.#write({ ...erasure, state: 'scheduled', record: null }, { others: sql`<`, unless })
  }

  /** Indexes an erasure as its object has it, overwriting the row. A stored record stays until there is another. */
  async index(erasure: Erasure): Promise<void> {
    await this.#write(erasure, { others: sql`<>`, unless: sql`` })
  }

  async cancel(id: ErasureId): Promise<void> {
    const cancelling = sql`UPDATE erasures SET state = 'cancelled' WHERE id = ${id} AND state ${inStates(FROM.cancel)}`
    await this.prepare(cancelling).run()
  }

  /** @param as.others open erasures with such ids become cancelled: a restored database may have another one open */
  async #write(erasure: Erasure, as: { others: Sql; unless: Sql }): Promise<void> {
    const others = sql`UPDATE erasures SET state = 'cancelled'
      WHERE subject = ${erasure.subject} AND id ${as.others} ${erasure.id} AND state ${IS_OPEN}`
    const own = sql`INSERT INTO erasures (${COLUMNS.names}) VALUES (${COLUMNS.valuesOf(erasure)})
      ON CONFLICT (id) DO UPDATE SET (jurisdiction, due_at, state, record) =
        (excluded.jurisdiction, excluded.due_at, excluded.state, coalesce(excluded.record, record)) ${as.unless}`
    await this.db.batch([this.prepare(others), this.prepare(own)])
  }

  /**
   * Records that a person asks to be erased and ends their sessions, in one transaction. Does nothing if the person has asked
   * before, or alone owns an organisation that is not to be erased itself.
   */
  async schedulePerson(erasure: Omit<PersonErasureRequest, 'jurisdiction' | 'requestedBy'>): Promise<void> {
    const { id, subject, requestedAt, dueAt } = erasure
    await this.db.batch([
      this.prepare(sql`INSERT INTO erasures (${COLUMNS.names})
        SELECT ${id}, ${subject}, NULL, ${subject}, ${requestedAt}, ${dueAt}, 'scheduled', NULL
        WHERE NOT EXISTS (${onlyOwnerOf(sql`${subject}`)}) ON CONFLICT DO NOTHING`),
      this.prepare(sql`DELETE FROM sessions WHERE person_id = ${subject}
        AND EXISTS (SELECT 1 FROM erasures WHERE subject = ${subject} AND state ${IS_OPEN})`),
    ])
  }

  /** Begins a person's erasure: from then on nobody can cancel it. Returns false if an organisation that they alone own remains. */
  async beginPerson(id: ErasureId): Promise<boolean> {
    const beginning = sql`UPDATE erasures SET state = 'running' WHERE id = ${id} AND state ${inStates(FROM.begin)}
      AND NOT EXISTS (${onlyOwnerOf(sql`erasures.subject`)}) RETURNING id`
    return (await this.prepare(beginning).first()) !== null
  }

  async completePerson(id: ErasureId): Promise<void> {
    const completing = sql`UPDATE erasures SET state = 'completed' WHERE id = ${id} AND state ${inStates(FROM.complete)}`
    await this.prepare(completing).run()
  }

  async #first<Found extends Erasure = Erasure>(where: Sql): Promise<Found | null> {
    return this.findCurrent<Found>(sql`${SELECT} WHERE ${where}`)
  }
}

/** Selects people who are only in this organisation. People who asked for their own erasure are erased at that time. */
const peopleOnlyIn = (organisationId: OrganisationId): Sql => sql`
  SELECT here.person_id FROM members AS here WHERE here.organisation_id = ${organisationId}
    AND NOT EXISTS (
      SELECT 1 FROM members AS there
      WHERE there.person_id = here.person_id AND there.organisation_id <> ${organisationId}
    )
    AND NOT EXISTS (
      SELECT 1 FROM erasures WHERE erasures.subject = here.person_id AND erasures.state IN ('scheduled', 'running')
    )`

const personOf = (erasureId: ErasureId): Sql =>
  sql`SELECT subject FROM erasures WHERE id = ${erasureId} AND state = 'running' AND jurisdiction IS NULL`

export class AccountRowsStore extends D1Store {
  /** Returns the e-mail addresses of an organisation's owners. */
  async listOwners(organisationId: OrganisationId): Promise<string[]> {
    const owners = sql`SELECT people.email AS email FROM members JOIN people ON people.id = members.person_id
      WHERE members.organisation_id = ${organisationId} AND members.role = 'owner' ORDER BY people.id`
    const { results } = await this.prepare(owners).all<{ email: string }>()
    return results.map(({ email }) => email)
  }

  /** Deletes the organisation, its members and invitations, and people in no other. Others keep their data. Safe to repeat. */
  async eraseOrganisation(organisationId: OrganisationId): Promise<void> {
    const statements = [
      ...peopleDeletions(peopleOnlyIn(organisationId)),
      sql`DELETE FROM invitations WHERE organisation_id = ${organisationId}`,
      sql`DELETE FROM pending_acts WHERE organisation_id = ${organisationId}`,
      sql`DELETE FROM members WHERE organisation_id = ${organisationId}`,
      sql`DELETE FROM organisations WHERE id = ${organisationId}`,
    ]
    await this.db.batch(statements.map((statement) => this.prepare(statement)))
  }

  /** Deletes the person of a running erasure, and all rows with their e-mail address or id. Safe to repeat. */
  async erasePerson(erasureId: ErasureId): Promise<void> {
    const person = personOf(erasureId)
    const statements = [
      sql`DELETE FROM invitations WHERE invited_by IN (${person})`,
      sql`DELETE FROM invitations WHERE email_key IN (SELECT email_key FROM people WHERE id IN (${person}))`,
      sql`UPDATE members SET invited_by = NULL WHERE invited_by IN (${person})`,
      sql`UPDATE organisations SET tier_asked_by = NULL WHERE tier_asked_by IN (${person})`,
      ...peopleDeletions(person),
    ]
    await this.db.batch(statements.map((statement) => this.prepare(statement)))
  }

  /** Counts the organisation's members and invitations, and its own row. */
  async countRemaining(organisationId: OrganisationId): Promise<number> {
    const row = await this.findCurrent<{ n: number }>(
      sql`SELECT (SELECT COUNT(*) FROM members WHERE organisation_id = ${organisationId})
        + (SELECT COUNT(*) FROM invitations WHERE organisation_id = ${organisationId})
        + (SELECT COUNT(*) FROM organisations WHERE id = ${organisationId}) AS n`,
    )
    return row?.n ?? 0
  }
}

/** Deleting a person also deletes their sessions, their identities and the links to another address of theirs. */
const peopleDeletions = (people: Sql): Sql[] => [
  sql`DELETE FROM mail_links WHERE email_key IN (SELECT email_key FROM people WHERE id IN (${people}))`,
  sql`DELETE FROM people WHERE id IN (${people})`,
]
