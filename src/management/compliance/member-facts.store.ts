// Reads an organisation's members in D1, with their roles and second factors, and counts erasures, as facts for the compliance
// checklist.
import type { MemberFacts } from '../../reports/controls/control.ts'
import { memberFactorSql } from '../../accounts/second-factor/factor-counts.ts'
import { LATE_ERASURE_DAYS } from '../../reports/controls/data-controls.ts'
import type { OrganisationId } from '../../platform/ids.ts'
import { DAY_MS } from '../../platform/time.ts'
import { D1Store } from '../../platform/stores.ts'

export type ErasureCounts = { asked: number; done: number; overdue: number }

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
  readonly #members: string

  /** @param vouching the identity providers that the operator trusts with a second factor */
  constructor(db: D1Database, vouching: readonly string[]) {
    super(db)
    this.#members = `
      SELECT person_id AS id, ${memberFactorSql('members.person_id', vouching)} AS factor FROM members
      WHERE organisation_id = ?1 AND (ends_at IS NULL OR ends_at > ?2) ORDER BY person_id`
  }

  /** Lists the members whose access is not over, with their strongest second factor. */
  listFactors(organisation: OrganisationId, now: number): Promise<MemberFacts> {
    return this.listCurrent(this.#members, organisation, now)
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
