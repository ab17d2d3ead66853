// Reads an organisation's members in D1, with their roles and second factors, and counts erasures, as facts for the compliance
// checklist.
import type { MemberFacts } from '../../reports/controls/control.ts'
import { memberFactorSql } from '../../accounts/second-factor/factor-counts.ts'
import { LATE_ERASURE_DAYS } from '../../reports/controls/data-controls.ts'
import type { OrganisationId } from '../../platform/ids.ts'
import { DAY_MS } from '../../platform/time.ts'
import { sql, type Sql } from '../../platform/sql.ts'
import { D1Store } from '../../platform/stores.ts'

export type ErasureCounts = { asked: number; done: number; overdue: number }

/** An id, and what a report calls it. */
export type Named = { id: string; name: string }

export class MemberFactsStore extends D1Store {
  readonly #factor: Sql

  /** @param vouching the identity providers that the operator trusts with a second factor */
  constructor(db: D1Database, vouching: readonly string[]) {
    super(db)
    this.#factor = memberFactorSql(sql`members.person_id`, vouching)
  }

  /** Lists the members whose access is not over, with their strongest second factor. */
  listFactors(organisation: OrganisationId, now: number): Promise<MemberFacts> {
    return this.listCurrent(
      sql`SELECT person_id AS id, ${this.#factor} AS factor ${current(organisation, now)} ORDER BY person_id`,
    )
  }

  /** Returns the role of each member whose access is not over, by the person's id. */
  listRoles(organisation: OrganisationId, now: number): Promise<Named[]> {
    return this.listCurrent(sql`SELECT person_id AS id, role AS name ${current(organisation, now)}`)
  }

  /** Counts the erasures of the organisation and of its current members. `overdue`: older than LATE_ERASURE_DAYS and not done. */
  async countErasures(organisation: OrganisationId, now: number): Promise<ErasureCounts> {
    const row = await this.findCurrent<ErasureCounts>(
      sql`SELECT count(*) AS asked, coalesce(sum(state = 'completed'), 0) AS done,
          coalesce(sum(state <> 'completed' AND requested_at < ${now - LATE_ERASURE_DAYS * DAY_MS}), 0) AS overdue
        FROM erasures
        WHERE state <> 'cancelled' AND (subject = ${organisation}
          OR subject IN (SELECT person_id FROM members WHERE members.organisation_id = ${organisation}))`,
    )
    if (row === null) throw new Error('a count has one row')
    return row
  }
}

const current = (organisation: OrganisationId, now: number): Sql =>
  sql`FROM members WHERE organisation_id = ${organisation} AND (ends_at IS NULL OR ends_at > ${now})`
