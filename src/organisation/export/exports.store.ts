// Stores recent exports of the organisation's data, with their time and actor, to limit how many there are: exports are costly.
import { MOST_EXPORTS_AN_HOUR } from '../../policies/organisation-limits.policy.ts'
import type { Actor } from '../append-act.ts'
import { sql, type Sql } from '../../platform/sql.ts'
import { ObjectStore } from '../../platform/stores.ts'

/** `actor`: a person or a key. */
export const EXPORTS_SCHEMA = 'CREATE TABLE exports (at INTEGER NOT NULL, actor TEXT NOT NULL) STRICT'

/** Older exports are not counted. */
export const EXPORT_KEPT_MS = 3_600_000

type ExportCount = { made: number; oldest: number | null }

export class ExportsStore extends ObjectStore {
  /** Counts an export and returns null, or returns when one is allowed again. Times ahead of the clock count as now. */
  count(actor: Actor, now: number): { retryAt: number } | null {
    this.deleteOld(now)
    this.run(sql`UPDATE exports SET at = ${now} WHERE at > ${now}`)
    const ends = [
      freeAgainAt(this.#read(sql`actor = ${actor}`), MOST_EXPORTS_AN_HOUR.ofActor),
      freeAgainAt(this.#read(sql`TRUE`), MOST_EXPORTS_AN_HOUR.ofAll),
    ]
    const retryAt = Math.max(...ends)
    if (retryAt > now) return { retryAt }
    this.run(sql`INSERT INTO exports (at, actor) VALUES (${now}, ${actor})`)
    return null
  }

  deleteOld(now: number): void {
    this.run(sql`DELETE FROM exports WHERE at <= ${now - EXPORT_KEPT_MS}`)
  }

  #read(which: Sql): ExportCount {
    return this.row<ExportCount>(sql`SELECT COUNT(at) AS made, MIN(at) AS oldest FROM exports WHERE ${which}`)
  }
}

/** Returns when the oldest counted export is an hour old; 0 if there are fewer than `most`. */
const freeAgainAt = ({ made, oldest }: ExportCount, most: number): number =>
  made < most || oldest === null ? 0 : oldest + EXPORT_KEPT_MS
