// Links people in D1 to their identities at identity providers, and creates the person of a new identity. An identity is an issuer
// and a subject, never an address.
import type { PersonId } from '../../platform/ids.ts'
import { sql, type Sql } from '../../platform/sql.ts'
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
  async findPerson(identity: Key): Promise<PersonId | null> {
    const row = await this.findCurrent<{ id: PersonId }>(sql`SELECT person_id AS id FROM ${linksOf(identity)}`)
    return row?.id ?? null
  }

  /**
   * Links the identity to a person with the same, proven address, and stores the acts for the logs. Deletes pending
   * sign-ups for that address.
   * @returns false, and changes nothing, if the identity is linked already, the address changed, or an act's organisation
   * is erased
   */
  async join(identity: Identity, personId: PersonId, acts: readonly PendingAct[], now: number): Promise<boolean> {
    const told = JSON.stringify(acts.map(({ organisation }) => organisation.id))
    const isLinked = sql`FROM ${linksOf(identity)} AND person_id = ${personId} AND linked_at = ${now}`
    const [linked] = await this.db.batch([
      this.prepare(sql`${link(identity, personId, now)}
        AND email_key = ${emailKeyOf(identity.email)} AND email_proven_at IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM json_each(${told}) WHERE value NOT IN (SELECT id FROM organisations))
        ON CONFLICT (issuer, subject) DO NOTHING`),
      ...acts.map((act) => insertPendingAct(this.db, act, isLinked)),
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
      this.prepare(sql`INSERT INTO people (id, email, email_key, email_proven_at, name, created_at)
        SELECT ${id}, ${identity.email}, ${emailKeyOf(identity.email)}, ${now}, ${name}, ${now}
        WHERE NOT EXISTS (SELECT 1 FROM ${linksOf(identity)}) ON CONFLICT (email_key) DO NOTHING`),
      this.prepare(link(identity, id, now)),
      this.#deleteSignUps(identity, id),
    ])
    return created !== undefined && created.meta.changes > 0
  }

  #deleteSignUps(identity: Identity, personId: PersonId): D1PreparedStatement {
    const emailKey = emailKeyOf(identity.email)
    return this.prepare(sql`DELETE FROM mail_links WHERE email_key = ${emailKey} AND purpose = 'signup'
      AND EXISTS (SELECT 1 FROM ${linksOf(identity)} AND person_id = ${personId})`)
  }
}

type Key = Pick<Identity, 'issuer' | 'subject'>

const linksOf = ({ issuer, subject }: Key): Sql => sql`identities WHERE issuer = ${issuer} AND subject = ${subject}`

/** SQL that links the identity to the person. More conditions may follow. */
const link = ({ issuer, subject, provider, email }: Identity, person: PersonId, now: number): Sql =>
  sql`INSERT INTO identities (issuer, subject, person_id, provider, email, linked_at)
    SELECT ${issuer}, ${subject}, id, ${provider}, ${email}, ${now} FROM people WHERE id = ${person}`
