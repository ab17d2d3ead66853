// When the organisation's data was exported lately, and by whom: exports are costly, and few of them are needed.
import type { Actor } from '../acts.ts'

/** `actor`: a person or a key. */
export const EXPORTS_SCHEMA = 'CREATE TABLE exports (at INTEGER NOT NULL, actor TEXT NOT NULL) STRICT'

/** One that is so old is not counted any more. */
export const EXPORT_KEPT_MS = 3_600_000

/** Fewer than all of them may make: nobody keeps the others from theirs. */
const MOST_OF_ONE = 5
const MOST_OF_ALL = 10

type Counted = { made: number; oldest: number | null }

export class ExportsStore {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Null, and the export is counted; or when there may be another. What was counted by a clock that was ahead counts for now. */
  count(actor: Actor, now: number): { retryAt: number } | null {
    this.deleteOld(now)
    this.#sql.exec('UPDATE exports SET at = ? WHERE at > ?', now, now)
    const ends = [
      freeAgainAt(this.#read('actor = ?', actor), MOST_OF_ONE),
      freeAgainAt(this.#read('true'), MOST_OF_ALL),
    ]
    const retryAt = Math.max(...ends)
    if (retryAt > now) return { retryAt }
    this.#sql.exec('INSERT INTO exports (at, actor) VALUES (?, ?)', now, actor)
    return null
  }

  deleteOld(now: number): void {
    this.#sql.exec('DELETE FROM exports WHERE at <= ?', now - EXPORT_KEPT_MS)
  }

  #read(which: string, ...values: string[]): Counted {
    return this.#sql
      .exec<Counted>(`SELECT COUNT(at) AS made, MIN(at) AS oldest FROM exports WHERE ${which}`, ...values)
      .one()
  }
}

/** When the first of as many as there may be is an hour ago; 0 where there are fewer. */
const freeAgainAt = ({ made, oldest }: Counted, most: number): number =>
  made < most || oldest === null ? 0 : oldest + EXPORT_KEPT_MS
