// The most that a member may do since their last change: a request may have been let in before its person lost a right.
import type { PersonId } from '../../platform/ids.ts'

export const MEMBER_RIGHTS_SCHEMA = `
  CREATE TABLE member_rights (
    person_id TEXT PRIMARY KEY,
    may_decide INTEGER NOT NULL,
    -- 'all', 'own', or NULL for no keys.
    keys_reach TEXT,
    -- When the member was changed, which may be long before the ledger is told.
    changed_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`

/** Which keys a member may make and change; null: none. */
export type KeysReach = 'all' | 'own' | null

/** `changedAt` in milliseconds: the later of two changes counts, in whichever order they are reported. */
export type RightsChange = { personId: PersonId; mayDecide: boolean; keysReach: KeysReach; changedAt: number }

type Row = { may_decide: number; keys_reach: KeysReach }

export class MemberRightsStore {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  write({ personId, mayDecide, keysReach, changedAt }: RightsChange): void {
    this.#sql.exec(
      `INSERT INTO member_rights (person_id, may_decide, keys_reach, changed_at) VALUES (?, ?, ?, ?)
       ON CONFLICT (person_id) DO UPDATE
       SET may_decide = excluded.may_decide, keys_reach = excluded.keys_reach, changed_at = excluded.changed_at
       WHERE excluded.changed_at > changed_at OR (excluded.changed_at = changed_at AND excluded.may_decide = 0)`,
      personId,
      mayDecide ? 1 : 0,
      keysReach,
      changedAt,
    )
  }

  /** False only for somebody who lost the right: whether a person has it at all, their role says. */
  mayStillDecide(person: PersonId): boolean {
    return this.#find(person)?.may_decide !== 0
  }

  /** The reach that their role gave when they were let in, or less where they lost some of it since. */
  keysReachOf(person: PersonId, admitted: NonNullable<KeysReach>): KeysReach {
    const row = this.#find(person)
    return row === undefined || row.keys_reach === 'all' ? admitted : row.keys_reach
  }

  #find(person: PersonId): Row | undefined {
    return this.#sql
      .exec<Row>('SELECT may_decide, keys_reach FROM member_rights WHERE person_id = ?', person)
      .toArray()[0]
  }
}
