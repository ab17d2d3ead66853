// Who may decide about approvals, as changes of members say: a decision may have been let in before its person lost the right.
import type { PersonId } from '../../platform/ids.ts'

export const REVIEWERS_SCHEMA = `
  CREATE TABLE reviewers (
    person_id TEXT PRIMARY KEY,
    may_decide INTEGER NOT NULL,
    -- When the member was changed, which may be long before the ledger is told.
    changed_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`

/** `changedAt` in milliseconds: of two changes the later one holds, whichever is told last. */
export type ReviewerChange = { personId: PersonId; mayDecide: boolean; changedAt: number }

export class ReviewersStore {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  write({ personId, mayDecide, changedAt }: ReviewerChange): void {
    this.#sql.exec(
      `INSERT INTO reviewers (person_id, may_decide, changed_at) VALUES (?, ?, ?)
       ON CONFLICT (person_id) DO UPDATE SET may_decide = excluded.may_decide, changed_at = excluded.changed_at
       WHERE excluded.changed_at > changed_at OR (excluded.changed_at = changed_at AND excluded.may_decide = 0)`,
      personId,
      mayDecide ? 1 : 0,
      changedAt,
    )
  }

  /** False only for somebody who lost the right: whether a person has it at all, their role says. */
  mayStillDecide(person: PersonId): boolean {
    const [row] = this.#sql
      .exec<{ may_decide: number }>('SELECT may_decide FROM reviewers WHERE person_id = ?', person)
      .toArray()
    return row?.may_decide !== 0
  }
}
