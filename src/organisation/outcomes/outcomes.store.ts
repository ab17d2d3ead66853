// Stores which readings have an outcome, and counts outcomes by month and chosen specialty. SECURITY: a row of a reading has hashes
// only. The choice's hash has the reading's id as its key, which is stored nowhere, or each specialty could be tried.
import type { ChoiceReason, ChooserRole, OutcomeDecision } from '../../evidence/records/reading-words.ts'
import { DAY_MS } from '../../platform/time.ts'
import { sql } from '../../platform/sql.ts'
import { ObjectStore } from '../../platform/stores.ts'

export const OUTCOMES_SCHEMA = `
  CREATE TABLE outcomes (
    -- The first 16 bytes of SHA-256 of the reading's id.
    reading BLOB PRIMARY KEY CHECK (length(reading) = 16),
    position INTEGER NOT NULL,
    recorded_at INTEGER NOT NULL,
    -- The key that signed the outcome, so that a repeat gets the same bytes.
    public_key TEXT NOT NULL,
    role TEXT NOT NULL,
    reason TEXT NOT NULL,
    choice_hash BLOB NOT NULL CHECK (length(choice_hash) = 32)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE concordance_counts (
    month INTEGER NOT NULL,
    -- The chosen one; empty for none.
    specialty TEXT NOT NULL,
    -- What \`cellOf\` returns.
    cell TEXT NOT NULL,
    n INTEGER NOT NULL,
    PRIMARY KEY (month, specialty, cell)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE concordance_months (
    month INTEGER PRIMARY KEY,
    -- How many readings began.
    readings INTEGER NOT NULL DEFAULT 0,
    salt BLOB NOT NULL CHECK (length(salt) = 32),
    -- The position of the entry that closed it.
    closed_at INTEGER
  ) STRICT;
`

/** How long a row says that a reading has an outcome: twice as long as a record is taken. */
const KEPT_MS = 60 * DAY_MS

/** An outcome, as it must be known to sign it again. */
export type KnownOutcome = {
  position: number
  recordedAt: number
  publicKey: string
  role: ChooserRole
  reason: ChoiceReason
  choiceHash: Uint8Array
}

/** For each reader, A then B: true if it named the chosen specialty. */
export type ReadersSame = readonly [boolean, boolean]

/** `specialty`: the chosen one; empty for none. */
export type CountedChoice = { specialty: string; decision: OutcomeDecision; readersSame: ReadersSame }

export type CountRow = { specialty: string; cell: string; n: number }

/** `closedAt`: null while the month is open. */
export type CountedMonth = { month: number; readings: number; closedAt: number | null; rows: CountRow[] }

export const cellOf = ({ decision, readersSame: [a, b] }: Omit<CountedChoice, 'specialty'>): string =>
  `${decision} ${Number(a)}${Number(b)}`

export class OutcomesStore extends ObjectStore {
  find(reading: Uint8Array): KnownOutcome | null {
    const [row] = this.rows<Omit<KnownOutcome, 'choiceHash'> & { choiceHash: ArrayBuffer }>(
      sql`SELECT position, recorded_at AS recordedAt, public_key AS publicKey, role, reason, choice_hash AS choiceHash
        FROM outcomes WHERE reading = ${reading}`,
    )
    return row === undefined ? null : { ...row, choiceHash: new Uint8Array(row.choiceHash) }
  }

  insert(reading: Uint8Array, { position, recordedAt, publicKey, role, reason, choiceHash }: KnownOutcome): void {
    this.run(sql`INSERT INTO outcomes (reading, position, recorded_at, public_key, role, reason, choice_hash)
      VALUES (${reading}, ${position}, ${recordedAt}, ${publicKey}, ${role}, ${reason}, ${choiceHash})`)
  }

  deleteOld(now: number): void {
    this.run(sql`DELETE FROM outcomes WHERE recorded_at <= ${now - KEPT_MS}`)
  }

  /** Counts a choice in a month, or in the first open one if that is closed. */
  count(choice: CountedChoice, month: number): void {
    this.run(sql`INSERT INTO concordance_counts (month, specialty, cell, n)
      VALUES (${this.#openMonth(month)}, ${choice.specialty}, ${cellOf(choice)}, 1)
      ON CONFLICT (month, specialty, cell) DO UPDATE SET n = n + 1`)
  }

  countReadings(readings: number, month: number): void {
    this.run(sql`UPDATE concordance_months SET readings = readings + ${readings}
      WHERE month = ${this.#openMonth(month)}`)
  }

  /** Lists all months, the oldest first. */
  list(): CountedMonth[] {
    return this.rows<Omit<CountedMonth, 'rows'>>(
      sql`SELECT month, readings, closed_at AS closedAt FROM concordance_months ORDER BY month`,
    ).map(({ month, readings, closedAt }) => ({ month, readings, closedAt, rows: this.rowsOf(month) }))
  }

  rowsOf(month: number): CountRow[] {
    return this.rows<CountRow>(sql`SELECT specialty, cell, n FROM concordance_counts
      WHERE month = ${month} ORDER BY specialty, cell`)
  }

  /** Returns the oldest open month with its salt; null without one. */
  firstOpen(): { month: number; readings: number; salt: Uint8Array } | null {
    const [row] = this.rows<{ month: number; readings: number; salt: ArrayBuffer }>(sql`SELECT month, readings, salt
      FROM concordance_months WHERE closed_at IS NULL ORDER BY month LIMIT 1`)
    return row === undefined ? null : { ...row, salt: new Uint8Array(row.salt) }
  }

  close(month: number, position: number): void {
    this.run(sql`UPDATE concordance_months SET closed_at = ${position} WHERE month = ${month}`)
  }

  /** Returns a month that is open, and creates its row: the given one, unless it or a later one is closed. */
  #openMonth(wanted: number): number {
    const { last } = this.row<{ last: number | null }>(sql`SELECT max(month) AS last FROM concordance_months
      WHERE closed_at IS NOT NULL`)
    const month = last === null ? wanted : Math.max(wanted, last + 1)
    const salt = crypto.getRandomValues(new Uint8Array(32))
    this.run(sql`INSERT OR IGNORE INTO concordance_months (month, salt) VALUES (${month}, ${salt})`)
    return month
  }
}
