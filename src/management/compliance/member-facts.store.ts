// Counts an organisation's members and erasures in D1, as facts for the compliance checklist, and reads the members' roles.
import type { MemberFacts } from '../../reports/controls/control.ts'
import { LATE_ERASURE_DAYS } from '../../reports/controls/data-controls.ts'
import type { OrganisationId } from '../../platform/ids.ts'
import { DAY_MS } from '../../platform/time.ts'
import { D1Store } from '../../platform/stores.ts'

export type ErasureCounts = { asked: number; done: number; overdue: number }

const MEMBERS = `
  SELECT count(*) AS members, coalesce(sum(has_identity), 0) AS withIdentity,
    coalesce(sum(has_identity AND has_password), 0) AS withPasswordToo
  FROM (
    SELECT EXISTS (SELECT 1 FROM identities WHERE identities.person_id = members.person_id) AS has_identity,
      people.password IS NOT NULL AS has_password
    FROM members JOIN people ON people.id = members.person_id WHERE members.organisation_id = ?1
      AND (members.ends_at IS NULL OR members.ends_at > ?2)
  )`

const ROLES = `
  SELECT person_id AS id, role AS name FROM members
  WHERE organisation_id = ?1 AND (ends_at IS NULL OR ends_at > ?2)`

const ERASURES = `
  SELECT count(*) AS asked, coalesce(sum(state = 'completed'), 0) AS done,
    coalesce(sum(state <> 'completed' AND requested_at < ?2), 0) AS overdue
  FROM erasures
  WHERE state <> 'cancelled' AND (subject = ?1
    OR subject IN (SELECT person_id FROM members WHERE members.organisation_id = ?1))`

/** An id, and what a report calls it. */
export type Named = { id: string; name: string }

export class MemberFactsStore extends D1Store {
  /** Counts the members whose access is not over. */
  countMembers(organisation: OrganisationId, now: number): Promise<MemberFacts> {
    return this.#one(MEMBERS, organisation, now)
  }

  /** Returns the role of each member whose access is not over, by the person's id. */
  listRoles(organisation: OrganisationId, now: number): Promise<Named[]> {
    return this.listCurrent(ROLES, organisation, now)
  }

  /** Counts the erasures of the organisation and of its current members. `overdue`: older than LATE_ERASURE_DAYS and not done. */
  countErasures(organisation: OrganisationId, now: number): Promise<ErasureCounts> {
    return this.#one(ERASURES, organisation, now - LATE_ERASURE_DAYS * DAY_MS)
  }

  async #one<T>(statement: string, ...values: (string | number)[]): Promise<T> {
    const row = await this.db
      .withSession('first-primary')
      .prepare(statement)
      .bind(...values)
      .first<T>()
    if (row === null) throw new Error('a count has one row')
    return row
  }
}
