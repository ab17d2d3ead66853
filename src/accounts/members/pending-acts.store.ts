// Stores acts about members and invitations that the organisation's log does not have yet. A row is written in one transaction
// with its change, so that a crash loses no act. It is deleted when the log has the act.
import * as z from 'zod'
import { once } from '../../platform/once.ts'
import type { Jurisdiction } from '../../keys/key-format.ts'
import type { Act } from '../../organisation/append-act.ts'
import { newId, type OrganisationId } from '../../platform/ids.ts'
import { prepare, sql, type Sql } from '../../platform/sql.ts'
import { D1Store } from '../../platform/stores.ts'

export type PendingAct = {
  readonly id: `act_${string}`
  readonly organisation: { readonly id: OrganisationId; readonly jurisdiction: Jurisdiction }
  readonly act: Act
  readonly createdAt: number
}

const ActSchema = once(() =>
  z.strictObject({
    actor: z.union([
      z.literal('operator'),
      z.templateLiteral(['usr_', z.string()]),
      z.templateLiteral(['key_', z.string()]),
    ]),
    act: z.string(),
    requestId: z.string(),
    content: z.record(z.string(), z.json()).default({}),
  }),
)

type Row = {
  id: `act_${string}`
  organisation_id: OrganisationId
  jurisdiction: Jurisdiction
  act: string
  created_at: number
}

const SELECT = sql`SELECT pending_acts.id AS id, pending_acts.organisation_id AS organisation_id,
  organisations.jurisdiction AS jurisdiction, pending_acts.act AS act, pending_acts.created_at AS created_at
  FROM pending_acts JOIN organisations ON organisations.id = pending_acts.organisation_id`

export const newPendingAct = (organisation: PendingAct['organisation'], act: Act, now: number): PendingAct => ({
  id: newId('act_', now),
  organisation,
  act,
  createdAt: now,
})

/**
 * Returns the first statement of a batch, which writes the act only if the guard finds a row. The later statements change
 * something only if the act exists. So there is no change without its act, and no act without its change.
 * @param guard a `FROM … WHERE …` that finds one row if the change may happen
 */
export const insertPendingAct = (db: D1Database, { id, organisation, act, createdAt }: PendingAct, guard: Sql) =>
  prepare(
    db,
    sql`INSERT INTO pending_acts (id, organisation_id, act, created_at)
      SELECT ${id}, ${organisation.id}, ${JSON.stringify(act)}, ${createdAt} ${guard}`,
  )

/** SQL that is true if the act was written. */
export const ifWritten = ({ id }: PendingAct): Sql =>
  sql`EXISTS (SELECT 1 FROM pending_acts WHERE pending_acts.id = ${id})`

/** Returns true if the batch that began with `insertPendingAct` changed something. */
export const isActWritten = ([inserted]: readonly D1Result[]): boolean => (inserted?.meta.changes ?? 0) > 0

export class PendingActsStore extends D1Store {
  /** Lists pending acts of one organisation from before a time (milliseconds), oldest first. */
  async listOf(organisation: OrganisationId, before: number): Promise<PendingAct[]> {
    return this.#list(sql`pending_acts.organisation_id = ${organisation} AND pending_acts.created_at < ${before}`)
  }

  /** Lists pending acts of all organisations from before a time (milliseconds) and after an id, oldest first. */
  async listAll(before: number, after: string, limit: number): Promise<PendingAct[]> {
    return this.#list(sql`pending_acts.created_at < ${before} AND pending_acts.id > ${after}`, limit)
  }

  async delete(id: string): Promise<void> {
    await this.prepare(sql`DELETE FROM pending_acts WHERE id = ${id}`).run()
  }

  async #list(which: Sql, limit = -1): Promise<PendingAct[]> {
    const { results } = await this.prepare(
      sql`${SELECT} WHERE ${which} ORDER BY pending_acts.id LIMIT ${limit}`,
    ).all<Row>()
    return results.map(fromRow)
  }
}

const fromRow = (row: Row): PendingAct => ({
  id: row.id,
  organisation: { id: row.organisation_id, jurisdiction: row.jurisdiction },
  act: ActSchema().parse(JSON.parse(row.act)),
  createdAt: row.created_at,
})
