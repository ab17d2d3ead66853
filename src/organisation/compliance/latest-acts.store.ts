// Stores when each act was done the last times, and the log positions. The entries of acts expire, and these rows stay.
import { LATEST_ACTS_KEPT } from '../../policies/organisation-limits.policy.ts'
import { sql } from '../../platform/sql.ts'
import { ObjectStore } from '../../platform/stores.ts'

export const LATEST_ACTS_SCHEMA = `
  CREATE TABLE latest_acts (
    act TEXT NOT NULL,
    position INTEGER NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (act, position)
  ) STRICT, WITHOUT ROWID;
`

export type LatestAct = { act: string; at: number; position: number }

export class LatestActsStore extends ObjectStore {
  /** Call it in the turn that wrote the entry. */
  write({ act, at, position }: LatestAct): void {
    this.run(sql`INSERT INTO latest_acts (act, at, position) VALUES (${act}, ${at}, ${position})`)
    this.run(sql`DELETE FROM latest_acts WHERE act = ${act} AND position <= (SELECT position FROM latest_acts
      WHERE act = ${act} ORDER BY position DESC LIMIT 1 OFFSET ${LATEST_ACTS_KEPT})`)
  }

  /** Returns the latest of these acts; null if none was done yet. */
  find(acts: readonly string[]): LatestAct | null {
    return this.list(acts, 1)[0] ?? null
  }

  /** Returns these acts, the latest first. */
  list(acts: readonly string[], limit: number): LatestAct[] {
    return this.rows<LatestAct>(sql`SELECT act, at, position FROM latest_acts
      WHERE act IN (SELECT value FROM json_each(${JSON.stringify(acts)})) ORDER BY position DESC LIMIT ${limit}`)
  }
}
