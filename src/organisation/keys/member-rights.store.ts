// Stores the rights of members after their latest change, because a request may have been admitted just before that change.
import type { KeysReach } from '../../keys/key-permission.policy.ts'
import type { PersonId } from '../../platform/ids.ts'
import { sql } from '../../platform/sql.ts'
import { ObjectStore } from '../../platform/stores.ts'

export const MEMBER_RIGHTS_SCHEMA = `
  CREATE TABLE member_rights (
    person_id TEXT PRIMARY KEY,
    may_decide INTEGER NOT NULL,
    -- 'all', 'own', or NULL for no keys.
    keys_reach TEXT,
    -- When the member was changed in D1, possibly long before the object is told.
    changed_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`

/** `changedAt` in milliseconds: the later of two changes counts, in whichever order they are reported. */
export type RightsChange = { personId: PersonId; mayDecide: boolean; keysReach: KeysReach; changedAt: number }

type Row = { may_decide: number; keys_reach: KeysReach; changed_at: number }

export class MemberRightsStore extends ObjectStore {
  write({ personId, mayDecide, keysReach, changedAt }: RightsChange): void {
    this.run(sql`INSERT INTO member_rights (person_id, may_decide, keys_reach, changed_at)
      VALUES (${personId}, ${mayDecide ? 1 : 0}, ${keysReach}, ${changedAt})
      ON CONFLICT (person_id) DO UPDATE
      SET may_decide = excluded.may_decide, keys_reach = excluded.keys_reach, changed_at = excluded.changed_at
      WHERE excluded.changed_at > changed_at OR (excluded.changed_at = changed_at AND excluded.may_decide = 0)`)
  }

  /** Returns false only if the person lost the right to decide about approvals. Their role decides whether they have it at all. */
  mayStillDecide(person: PersonId): boolean {
    return this.#find(person)?.may_decide !== 0
  }

  /** Returns the reach that the person's role gave on admission, or less if they lost some since. */
  keysReachOf(person: PersonId, admitted: NonNullable<KeysReach>): KeysReach {
    const row = this.#find(person)
    return row === undefined || row.keys_reach === 'all' ? admitted : row.keys_reach
  }

  /** Returns true if a later change than one at this time, in milliseconds, was reported already. */
  isChangedAfter(person: PersonId, time: number): boolean {
    return (this.#find(person)?.changed_at ?? -Infinity) > time
  }

  #find(person: PersonId): Row | undefined {
    return this.rows<Row>(sql`SELECT may_decide, keys_reach, changed_at FROM member_rights
      WHERE person_id = ${person}`)[0]
  }
}
