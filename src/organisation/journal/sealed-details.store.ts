// Stores which sealed R2 object has the details (content and facts) of which archived entries. A row is inserted before its
// object is written, so that every object has a row. The row is marked sealed when the object is stored, in the transaction that
// deletes the entries.
import { ObjectStore } from '../../platform/stores.ts'

/** The most positions that one batch spans. */
export const BATCH_SPAN = 10_000

export const SEALED_DETAILS_SCHEMA = `
  CREATE TABLE sealed_details (
    first INTEGER PRIMARY KEY,
    last INTEGER NOT NULL CHECK (last >= first),
    expires_day INTEGER NOT NULL,
    rows INTEGER NOT NULL CHECK (rows > 0),
    data_key INTEGER,
    key_fingerprint TEXT NOT NULL
  ) STRICT;
  CREATE INDEX sealed_details_by_day ON sealed_details (expires_day);
`

/** Details of entries between `first` and `last` that expire on one UTC day. Other objects may have positions in between. */
export type SealedDetails = {
  readonly first: number
  readonly last: number
  /** Whole UTC days since the epoch. */
  readonly expiresDay: number
  readonly rows: number
  /** The fingerprint of the key in use when the object was planned, as it is in the object's name. */
  readonly keyFingerprint: string
  /** The number of the key it is sealed under; null while it is planned. */
  readonly dataKey: number | null
}

const COLUMNS = `first, last, expires_day AS expiresDay, rows, data_key AS dataKey, key_fingerprint AS keyFingerprint`

/** Only these are read: the database still has the entries of one that is planned. */
const READ = 'data_key IS NOT NULL'

export class SealedDetailsStore extends ObjectStore {
  insertPlanned({ first, last, expiresDay, rows, keyFingerprint }: Omit<SealedDetails, 'dataKey'>): void {
    this.sql.exec(
      'INSERT INTO sealed_details (first, last, expires_day, rows, key_fingerprint) VALUES (?, ?, ?, ?, ?)',
      first,
      last,
      expiresDay,
      rows,
      keyFingerprint,
    )
  }

  /** Lists the objects that are planned, from a position on: entries before it have been archived. */
  listPlanned(from: number): SealedDetails[] {
    return this.#list('first >= ? AND data_key IS NULL ORDER BY first', from)
  }

  /** Marks an object as sealed, once it is stored. */
  markSealed({ first }: SealedDetails, dataKey: number): void {
    this.sql.exec('UPDATE sealed_details SET data_key = ? WHERE first = ?', dataKey, first)
  }

  /** Lists the sealed objects that may hold the details of a position. */
  listAround(position: number): SealedDetails[] {
    return this.#list(
      `first BETWEEN ? AND ? AND last >= ? AND ${READ} ORDER BY first DESC`,
      position - BATCH_SPAN,
      position,
      position,
    )
  }

  listReaching({ from, before }: { from: number; before: number }): SealedDetails[] {
    const condition = `first >= ? AND first < ? AND last >= ? AND ${READ} ORDER BY first`
    return this.#list(condition, from - BATCH_SPAN, before, from)
  }

  /** Lists the objects that may hold positions after this one, in order. */
  listAfter(position: number, limit: number): SealedDetails[] {
    return this.#list(
      `first > ? AND last > ? AND ${READ} ORDER BY first LIMIT ?`,
      position - BATCH_SPAN,
      position,
      limit,
    )
  }

  /**
   * Lists the first objects in a range whose positions overlap, ordered by `first`. They are of one batch at most, because
   * batches follow one another.
   */
  listCluster({ from, before }: { from: number; before: number }): SealedDetails[] {
    const condition = `first >= ? AND first < ? AND last >= ? AND ${READ} ORDER BY first`
    const [earliest] = this.#list(`${condition} LIMIT 1`, from - BATCH_SPAN, before, from)
    if (earliest === undefined) return []
    const inReach = this.#list(condition, earliest.first, Math.min(before, earliest.first + BATCH_SPAN), from)
    let { last } = earliest
    const end = inReach.findIndex((object) => {
      if (object.first > last) return true
      last = Math.max(last, object.last)
      return false
    })
    return end === -1 ? inReach : inReach.slice(0, end)
  }

  /** Lists the last objects in a range whose positions overlap, ordered by `last`, the latest first. */
  listClusterBack({ from, before }: { from: number; before: number }): SealedDetails[] {
    const condition = `first < ? AND last >= ? AND ${READ} ORDER BY`
    const [latest] = this.#list(`${condition} first DESC LIMIT 1`, before, from)
    if (latest === undefined) return []
    const inReach = this.#list(`first >= ? AND ${condition} last DESC`, latest.first - BATCH_SPAN, before, from)
    let first = latest.last
    const end = inReach.findIndex((object) => {
      if (object.last < first) return true
      first = Math.min(first, object.first)
      return false
    })
    return end === -1 ? inReach : inReach.slice(0, end)
  }

  /** Lists objects that expire on a day before `day`, planned ones too. */
  listExpired(day: number, limit: number): SealedDetails[] {
    return this.#list('expires_day < ? ORDER BY expires_day LIMIT ?', day, limit)
  }

  remove({ first }: SealedDetails): void {
    this.sql.exec('DELETE FROM sealed_details WHERE first = ?', first)
  }

  #list(where: string, ...values: number[]): SealedDetails[] {
    return this.rows<SealedDetails>(`SELECT ${COLUMNS} FROM sealed_details WHERE ${where}`, ...values)
  }
}
