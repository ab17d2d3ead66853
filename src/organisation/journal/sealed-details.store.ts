// Stores which sealed R2 object has the details (content and facts) of which archived entries. A row is inserted before its
// object is written, so that every object has a row. The row is marked sealed when the object is stored, in the transaction that
// deletes the entries.
import { sql, type Sql } from '../../platform/sql.ts'
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

const COLUMNS = sql`first, last, expires_day AS expiresDay, rows, data_key AS dataKey,
  key_fingerprint AS keyFingerprint`

/** Only these are read: the database still has the entries of one that is planned. */
const IS_SEALED = sql`data_key IS NOT NULL`

/** Finds objects that begin within a range and hold a position from `last` on. */
const reaching = (first: number, before: number, last: number): Sql =>
  sql`first >= ${first} AND first < ${before} AND last >= ${last} AND ${IS_SEALED}`

export class SealedDetailsStore extends ObjectStore {
  insertPlanned({ first, last, expiresDay, rows, keyFingerprint }: Omit<SealedDetails, 'dataKey'>): void {
    this.run(sql`INSERT INTO sealed_details (first, last, expires_day, rows, key_fingerprint)
      VALUES (${first}, ${last}, ${expiresDay}, ${rows}, ${keyFingerprint})`)
  }

  /** Lists the objects that are planned, from a position on: entries before it have been archived. */
  listPlanned(from: number): SealedDetails[] {
    return this.#list(sql`first >= ${from} AND data_key IS NULL ORDER BY first`)
  }

  /** Marks an object as sealed, once it is stored. */
  markSealed({ first }: SealedDetails, dataKey: number): void {
    this.run(sql`UPDATE sealed_details SET data_key = ${dataKey} WHERE first = ${first}`)
  }

  /** Lists the sealed objects that may hold the details of a position. */
  listAround(position: number): SealedDetails[] {
    return this.#list(sql`first BETWEEN ${position - BATCH_SPAN} AND ${position}
      AND last >= ${position} AND ${IS_SEALED} ORDER BY first DESC`)
  }

  listReaching({ from, before }: { from: number; before: number }): SealedDetails[] {
    return this.#list(sql`${reaching(from - BATCH_SPAN, before, from)} ORDER BY first`)
  }

  /** Lists the objects that may hold positions after this one, in order. */
  listAfter(position: number, limit: number): SealedDetails[] {
    return this.#list(sql`first > ${position - BATCH_SPAN} AND last > ${position} AND ${IS_SEALED}
      ORDER BY first LIMIT ${limit}`)
  }

  /**
   * Lists the first objects in a range whose positions overlap, ordered by `first`. They are of one batch at most, because
   * batches follow one another.
   */
  listCluster({ from, before }: { from: number; before: number }): SealedDetails[] {
    const [earliest] = this.#list(sql`${reaching(from - BATCH_SPAN, before, from)} ORDER BY first LIMIT 1`)
    if (earliest === undefined) return []
    const until = Math.min(before, earliest.first + BATCH_SPAN)
    const inReach = this.#list(sql`${reaching(earliest.first, until, from)} ORDER BY first`)
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
    const [latest] = this.#list(sql`first < ${before} AND last >= ${from} AND ${IS_SEALED} ORDER BY first DESC LIMIT 1`)
    if (latest === undefined) return []
    const inReach = this.#list(sql`${reaching(latest.first - BATCH_SPAN, before, from)} ORDER BY last DESC`)
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
    return this.#list(sql`expires_day < ${day} ORDER BY expires_day LIMIT ${limit}`)
  }

  remove({ first }: SealedDetails): void {
    this.run(sql`DELETE FROM sealed_details WHERE first = ${first}`)
  }

  #list(where: Sql): SealedDetails[] {
    return this.rows<SealedDetails>(sql`SELECT ${COLUMNS} FROM sealed_details WHERE ${where}`)
  }
}
