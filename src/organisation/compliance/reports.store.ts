// The compliance reports that were made: each whole, as it was hashed, for as long as details are kept.

export const REPORTS_SCHEMA = `
  CREATE TABLE reports (
    id TEXT PRIMARY KEY,
    made_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    -- usr_… or key_…
    made_by TEXT NOT NULL,
    -- UTC days, both included.
    first_day TEXT NOT NULL,
    last_day TEXT NOT NULL,
    -- Of the document, 64 hexadecimal digits.
    sha256 TEXT NOT NULL,
    -- Of the entry that tells of it.
    position INTEGER NOT NULL,
    -- Its canonical JSON, compressed by gzip.
    document BLOB NOT NULL
  ) STRICT, WITHOUT ROWID;
`

/** Times in milliseconds since the epoch; `start` and `end` are UTC days. */
export type KeptReport = {
  id: string
  madeAt: number
  expiresAt: number
  madeBy: string
  start: string
  end: string
  sha256: string
  position: number
}

/** `document`: compressed. */
export type FoundReport = { report: KeptReport; document: Uint8Array<ArrayBuffer> }

const SELECT = `
  SELECT id, made_at AS madeAt, expires_at AS expiresAt, made_by AS madeBy, first_day AS start, last_day AS end, sha256,
    position`

type Row = KeptReport & { document: ArrayBuffer }

export class ReportsStore {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  insert({ id, madeAt, expiresAt, madeBy, start, end, sha256, position }: KeptReport, document: Uint8Array): void {
    this.#sql.exec(
      `INSERT INTO reports (id, made_at, expires_at, made_by, first_day, last_day, sha256, position, document)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      id,
      madeAt,
      expiresAt,
      madeBy,
      start,
      end,
      sha256,
      position,
      document,
    )
  }

  /** Newest first, after `cursor` (an id). */
  list(limit: number, cursor: string | null, now: number): KeptReport[] {
    return this.#sql
      .exec<KeptReport>(
        `${SELECT} FROM reports WHERE (?1 IS NULL OR id < ?1) AND expires_at > ?2 ORDER BY id DESC LIMIT ?3`,
        cursor,
        now,
        limit,
      )
      .toArray()
  }

  find(id: string, now: number): FoundReport | null {
    return this.#first('id = ?1 AND expires_at > ?2', id, now)
  }

  /** The latest that was made at a time or before. */
  findMadeBy(at: number, now: number): FoundReport | null {
    return this.#first('made_at <= ?1 AND expires_at > ?2 ORDER BY id DESC LIMIT 1', at, now)
  }

  /** Counts the reports made after a time and returns when the first was. A time ahead of the clock counts as `now`. */
  countSince(since: number, now: number): { made: number; first: number | null } {
    return this.#sql
      .exec<{ made: number; first: number | null }>(
        'SELECT COUNT(*) AS made, MIN(MIN(made_at, ?2)) AS first FROM reports WHERE made_at > ?1',
        since,
        now,
      )
      .one()
  }

  deleteOld(now: number): void {
    this.#sql.exec('DELETE FROM reports WHERE expires_at <= ?', now)
  }

  #first(where: string, ...values: (string | number)[]): FoundReport | null {
    const [row] = this.#sql.exec<Row>(`${SELECT}, document FROM reports WHERE ${where}`, ...values).toArray()
    if (row === undefined) return null
    const { document, ...report } = row
    return { report, document: new Uint8Array(document) }
  }
}
