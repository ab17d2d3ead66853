// Deletes what D1 has of an organisation and of people: all of it in one transaction, and nothing of anybody else.
import type { ErasureId, OrganisationId } from '../../platform/ids.ts'

/** People who are in this organisation alone. Those who have asked to be erased themselves go when they asked to. */
const PEOPLE_OF_THIS_ALONE = `
  SELECT here.person_id FROM members AS here WHERE here.organisation_id = ?1
    AND NOT EXISTS (
      SELECT 1 FROM members AS there WHERE there.person_id = here.person_id AND there.organisation_id <> ?1
    )
    AND NOT EXISTS (
      SELECT 1 FROM erasures WHERE erasures.subject = here.person_id AND erasures.state IN ('scheduled', 'running')
    )`

const PERSON_OF_ERASURE = `SELECT subject FROM erasures WHERE id = ?1 AND state = 'running' AND jurisdiction IS NULL`

export class RegisteredStore {
  readonly #db: D1Database

  constructor(db: D1Database) {
    this.#db = db
  }

  /** The addresses of an organisation's owners. */
  async listOwners(organisationId: OrganisationId): Promise<string[]> {
    const { results } = await this.#db
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
      ...removalOf(PEOPLE_OF_THIS_ALONE),
      'DELETE FROM invitations WHERE organisation_id = ?1',
      'DELETE FROM pending_acts WHERE organisation_id = ?1',
      'DELETE FROM members WHERE organisation_id = ?1',
      'DELETE FROM organisations WHERE id = ?1',
    ]
    await this.#db.batch(statements.map((statement) => this.#db.prepare(statement).bind(organisationId)))
  }

  /** The person of an erasure that runs, and wherever else their address or id is. Harmless twice. */
  async erasePerson(erasureId: ErasureId): Promise<void> {
    const statements = [
      `DELETE FROM invitations WHERE invited_by IN (${PERSON_OF_ERASURE})`,
      `DELETE FROM invitations WHERE email_key IN (SELECT email_key FROM people WHERE id IN (${PERSON_OF_ERASURE}))`,
      `UPDATE members SET invited_by = NULL WHERE invited_by IN (${PERSON_OF_ERASURE})`,
      ...removalOf(PERSON_OF_ERASURE),
    ]
    await this.#db.batch(statements.map((statement) => this.#db.prepare(statement).bind(erasureId)))
  }

  /** Members and invitations of the organisation, and its own row. */
  async countLeft(organisationId: OrganisationId): Promise<number> {
    const row = await this.#db
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

/** Sessions and identities go with their person. */
const removalOf = (people: string): string[] => [
  `DELETE FROM mail_links WHERE email_key IN (SELECT email_key FROM people WHERE id IN (${people}))`,
  `DELETE FROM people WHERE id IN (${people})`,
]
