// Stores what running chats cost so far, as the Worker reports it now and then. Also computes how much of their reservations chats
// spend. Both serve to estimate the cost of a chat whose end nobody reports. Stores the costs that people have corrected since.
import { sql } from '../../platform/sql.ts'
import { ObjectStore } from '../../platform/stores.ts'
export const CHAT_COSTS_SCHEMA = `
  CREATE TABLE chat_costs (
    -- The position of the decision.
    position INTEGER PRIMARY KEY,
    microeur INTEGER NOT NULL CHECK (microeur >= 0)
  ) STRICT;
  CREATE TABLE cost_corrections (
    -- The position of the decision, and that of the latest correction's entry.
    position INTEGER PRIMARY KEY,
    microeur INTEGER NOT NULL CHECK (microeur >= 0),
    entry INTEGER NOT NULL
  ) STRICT;
`

/** The latest correction of a cost. `position`: of its entry. */
export type CorrectedCost = { microeur: number; position: number }

/** The settlements that `spentShare` looks at, and the most entries that it searches for them. */
const MOST_SETTLEMENTS = 200
const MOST_ENTRIES = 20_000

export class ChatCostsStore extends ObjectStore {
  write(position: number, microeur: number): void {
    this.run(sql`INSERT OR REPLACE INTO chat_costs (position, microeur) VALUES (${position}, ${microeur})`)
  }

  /** Returns the latest reported cost; 0 if none was reported. */
  find(position: number): number {
    const [row] = this.rows<{ microeur: number }>(sql`SELECT microeur FROM chat_costs WHERE position = ${position}`)
    return row?.microeur ?? 0
  }

  writeCorrection(call: number, { microeur, position }: CorrectedCost): void {
    this.run(sql`INSERT OR REPLACE INTO cost_corrections (position, microeur, entry)
      VALUES (${call}, ${microeur}, ${position})`)
  }

  /** Returns null if the cost was never corrected. */
  findCorrection(call: number): CorrectedCost | null {
    const [row] = this.rows<CorrectedCost>(sql`SELECT microeur, entry AS position FROM cost_corrections
      WHERE position = ${call}`)
    return row ?? null
  }

  /** Deletes corrections of calls that are not in the index any more. */
  deleteUnindexedCorrections(): void {
    this.run(sql`DELETE FROM cost_corrections WHERE position NOT IN (SELECT position FROM call_index)`)
  }

  deleteBefore(position: number): void {
    this.run(sql`DELETE FROM chat_costs WHERE position < ${position}`)
  }

  /**
   * Returns the share of their reservations, from 0 to 1, that the latest completed chats before `next` cost. Returns 1 if none has
   * completed.
   */
  spentShare(next: number): number {
    const { spent, reserved } = this.row<{ spent: number; reserved: number }>(
      sql`SELECT COALESCE(SUM(cost), 0) AS spent, COALESCE(SUM(reserve), 0) AS reserved FROM (
        SELECT settlements.microeur AS cost, decisions.microeur AS reserve
        FROM entries AS settlements JOIN entries AS decisions ON decisions.position = settlements.settles
        WHERE settlements.position >= ${next - MOST_ENTRIES} AND settlements.kind = 'settlement'
          AND settlements.outcome = 'completed' AND decisions.kind = 'chat_decision' AND decisions.microeur IS NOT NULL
        ORDER BY settlements.position DESC LIMIT ${MOST_SETTLEMENTS})`,
    )
    return reserved === 0 ? 1 : Math.min(1, spent / reserved)
  }
}
