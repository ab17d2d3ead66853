// Stores approvals that have ended, by their id. The organisation's state drops them, but people and keys still look them up.
import type { ApprovalId } from '../../platform/ids.ts'
import { isAfter, sql } from '../../platform/sql.ts'
import { ObjectStore } from '../../platform/stores.ts'
import { EndedApprovalSchema, type EndedApproval, type EndState } from '../journal/state/approval.schema.ts'

export const ENDED_APPROVALS_SCHEMA = `
  CREATE TABLE ended_approvals (
    id TEXT PRIMARY KEY,
    state TEXT NOT NULL,
    -- When the retention ends.
    expires_at INTEGER NOT NULL,
    approval TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  -- By the position of the refusal that asked for the approval, and of the call that used it.
  CREATE INDEX ended_approvals_by_refusal ON ended_approvals (json_extract(approval, '$.subject_position'));
  CREATE INDEX ended_approvals_by_call ON ended_approvals (json_extract(approval, '$.claimedBy'));
`

type Row = { approval: string }

/** `before`: return only approvals older than this id. */
export type EndedApprovalsQuery = { state: EndState | null; before: string | null; limit: number }

export class EndedApprovalsStore extends ObjectStore {
  insert(approval: EndedApproval, expiresAt: number): void {
    this.run(sql`INSERT INTO ended_approvals (id, state, expires_at, approval)
      VALUES (${approval.approval_id}, ${approval.state}, ${expiresAt}, ${JSON.stringify(approval)})`)
  }

  find(id: ApprovalId): EndedApproval | null {
    const [row] = this.rows<Row>(sql`SELECT approval FROM ended_approvals WHERE id = ${id}`)
    return row === undefined ? null : fromRow(row)
  }

  /** Returns the approval that the refusal at a position asked for, or that the call at it used; null if there is none. */
  findOfCall(position: number): EndedApproval | null {
    const [row] = this.rows<Row>(sql`SELECT approval FROM ended_approvals
      WHERE json_extract(approval, '$.subject_position') = ${position}
        OR json_extract(approval, '$.claimedBy') = ${position} LIMIT 1`)
    return row === undefined ? null : fromRow(row)
  }

  /** Returns ended approvals, newest first. */
  list({ state, before, limit }: EndedApprovalsQuery): EndedApproval[] {
    return this.rows<Row>(sql`SELECT approval FROM ended_approvals
      WHERE (${state} IS NULL OR state = ${state}) AND ${isAfter(before)} ORDER BY id DESC LIMIT ${limit}`).map(fromRow)
  }

  deleteOld(now: number): void {
    this.run(sql`DELETE FROM ended_approvals WHERE expires_at <= ${now}`)
  }
}

const fromRow = ({ approval }: Row): EndedApproval => EndedApprovalSchema().parse(JSON.parse(approval))
