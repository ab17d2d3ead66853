// Stores calls that leave no log entry and still count, such as invalid requests and refusals by rate. Each row is between two
// entries, so that the state applies calls and entries in the order in which they came.
import type { CallOutcome } from './state/state-event.ts'
import { sql } from '../../platform/sql.ts'
import { ObjectStore } from '../../platform/stores.ts'

export const CALLS_SCHEMA = `
  CREATE TABLE calls (
    -- The position of the next entry.
    before INTEGER NOT NULL,
    -- Counts the calls before that entry.
    n INTEGER NOT NULL,
    at INTEGER NOT NULL,
    key_id TEXT NOT NULL,
    -- 1 for a key of the gateway, whose calls are the organisation's too.
    of_gateway INTEGER NOT NULL CHECK (of_gateway IN (0, 1)),
    outcome TEXT NOT NULL,
    PRIMARY KEY (before, n)
  ) STRICT, WITHOUT ROWID;
`

/** A place between two entries: before the entry at `before`, and after `n` other calls there. */
export type BetweenEntries = { readonly before: number; readonly n: number }

export type CallWithoutEntry = BetweenEntries & {
  readonly at: number
  readonly keyId: string
  readonly ofGateway: boolean
  readonly outcome: CallOutcome
}

type Row = Omit<CallWithoutEntry, 'ofGateway'> & { ofGateway: 0 | 1 }

export class CallsWithoutEntryStore extends ObjectStore {
  insert({ before, n, at, keyId, ofGateway, outcome }: CallWithoutEntry): void {
    this.run(sql`INSERT INTO calls (before, n, at, key_id, of_gateway, outcome)
      VALUES (${before}, ${n}, ${at}, ${keyId}, ${ofGateway ? 1 : 0}, ${outcome})`)
  }

  /** Lists calls in the order in which they came, from one place up to another, exclusive. */
  *list(from: BetweenEntries, until: BetweenEntries): Generator<CallWithoutEntry> {
    const rows = this.run<Row>(sql`SELECT before, n, at, key_id AS keyId, of_gateway AS ofGateway, outcome FROM calls
      WHERE (before, n) >= (${from.before}, ${from.n}) AND (before, n) < (${until.before}, ${until.n})
      ORDER BY before, n`)
    for (const row of rows) yield { ...row, ofGateway: row.ofGateway === 1 }
  }

  /** Returns the place after the last call before `until` that counts for a time up to `at`; null if there is none. */
  lastAt(until: BetweenEntries, at: number): BetweenEntries | null {
    const [row] = this.rows<{ before: number; n: number }>(sql`SELECT before, n FROM calls
      WHERE (before, n) < (${until.before}, ${until.n}) AND at <= ${at} ORDER BY before DESC, n DESC LIMIT 1`)
    return row === undefined ? null : { before: row.before, n: row.n + 1 }
  }

  deleteBefore(position: number): void {
    this.run(sql`DELETE FROM calls WHERE before < ${position}`)
  }
}
