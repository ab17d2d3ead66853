// Links people in D1 to their identities at identity providers, and creates the person of a new identity. An identity is an issuer
// and a subject, never an address.
import type { PersonId } from '../../platform/ids.ts'
import { D1Store } from '../../platform/stores.ts'
import { insertPendingAct, type PendingAct } from '../members/pending-acts.store.ts'
import { emailKeyOf } from './people.store.ts'

export type Identity = {
  readonly issuer: string
  readonly subject: string
  /** The provider's id in this service's settings. */
  readonly provider: string
  /** The address of the identity when it was linked. */
  readonly email: string
}

type NewPerson = { id: PersonId; name: string }

export class IdentitiesStore extends D1Store {
  async findPerson({ issuer, subject }: Pick<Identity, 'issuer' | 'subject'>): Promise<PersonId | null> {
    return this.db
      .withSession('first-primary')
      .prepare('SELECT person_id FROM identities WHERE issuer = ? AND subject = ?')
      .bind(issuer, subject)
      .first<PersonId>('person_id')
  }

  /**
   * Links the identity to a person with the same, proven address, and stores the acts for the logs. Deletes pending
   * sign-ups for that address.
   * @returns false, and changes nothing, if the identity is linked already, the address changed, or an act's organisation
   * is erased
   */
  async join(identity: Identity, personId: PersonId, acts: readonly PendingAct[], now: number): Promise<boolean> {
    const told = acts.map(({ organisation }) => organisation.id)
    const [linked] = await this.db.batch([
      this.db
        .prepare(
          `INSERT INTO identities (issuer, subject, person_id, provider, email, linked_at)
           SELECT ?1, ?2, id, ?4, ?5, ?6 FROM people
           WHERE id = ?3 AND email_key = ?7 AND email_proven_at IS NOT NULL
             AND NOT EXISTS (SELECT 1 FROM json_each(?8) WHERE value NOT IN (SELECT id FROM organisations))
           ON CONFLICT (issuer, subject) DO NOTHING`,
        )
        .bind(...this.#linkOf(identity, personId, now), emailKeyOf(identity.email), JSON.stringify(told)),
      ...acts.map((act) =>
        insertPendingAct(this.db, act, {
          sql: 'FROM identities WHERE issuer = ? AND subject = ? AND person_id = ? AND linked_at = ?',
          values: [identity.issuer, identity.subject, personId, now],
        }),
      ),
      this.#deleteSignUps(identity, personId),
    ])
    return linked !== undefined && linked.meta.changes > 0
  }

  /**
   * Creates a person with this identity, an address that it proves and no password. SECURITY: deletes pending sign-ups for
   * the address, so that no password that somebody chose for it earlier becomes valid.
   * @returns false, and changes nothing, if the address or the identity belongs to another person
   */
  async create(identity: Identity, { id, name }: NewPerson, now: number): Promise<boolean> {
    const [created] = await this.db.batch([
      this.db
        .prepare(
          `INSERT INTO people (id, email, email_key, email_proven_at, name, created_at)
           SELECT ?1, ?2, ?3, ?4, ?5, ?4
           WHERE NOT EXISTS (SELECT 1 FROM identities WHERE issuer = ?6 AND subject = ?7)
           ON CONFLICT (email_key) DO NOTHING`,
        )
        .bind(id, identity.email, emailKeyOf(identity.email), now, name, identity.issuer, identity.subject),
      this.db
        .prepare(
          `INSERT INTO identities (issuer, subject, person_id, provider, email, linked_at)
           SELECT ?1, ?2, id, ?4, ?5, ?6 FROM people WHERE id = ?3`,
        )
        .bind(...this.#linkOf(identity, id, now)),
      this.#deleteSignUps(identity, id),
    ])
    return created !== undefined && created.meta.changes > 0
  }

  #linkOf({ issuer, subject, provider, email }: Identity, personId: PersonId, now: number) {
    return [issuer, subject, personId, provider, email, now] as const
  }

  #deleteSignUps({ issuer, subject, email }: Identity, personId: PersonId): D1PreparedStatement {
    return this.db
      .prepare(
        `DELETE FROM mail_links WHERE email_key = ? AND purpose = 'signup' AND EXISTS
           (SELECT 1 FROM identities WHERE issuer = ? AND subject = ? AND person_id = ?)`,
      )
      .bind(emailKeyOf(email), issuer, subject, personId)
  }
}
