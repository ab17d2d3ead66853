// Indexes the calls that did not simply complete, by outcome: held, blocked, suppressed and failed ones. A filtered page of the
// trail reads this index instead of the whole log. The follower of the log writes it, and it has one row for each such call. A
// request that waited for a person and then ran has none. A row has copies of the call's entries: those of a page would otherwise be
// opened in as many sealed objects. They are deleted with the details.
import { RECEIPT_KIND } from '../../evidence/entry-tags.ts'
import type { StoredEntry } from '../journal/archive-object.ts'
import type { EntriesRange } from '../journal/archive.ts'
import { COUNTED_GROUPINGS } from '../../platform/groupings.ts'
import { sqlColumnsOf } from '../../platform/sql-columns.ts'
import { sql, trusted, type Sql } from '../../platform/sql.ts'
import { ObjectStore } from '../../platform/stores.ts'
import type { IndexedCall, Refusal } from './join-settlements.ts'
import { endingNumber, endingOf, endingsIn, indexNumberOf, type Ending } from '../../evidence/records/call-endings.ts'
import { numberOfValue, UsageNamesStore } from './usage-names.store.ts'
import type { UsageFilter } from './usage-sums.store.ts'

export const CALL_INDEX_SCHEMA = `
  CREATE TABLE call_index (
    position INTEGER PRIMARY KEY,
    outcome INTEGER NOT NULL,
    ending INTEGER NOT NULL,
    at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    settlement INTEGER,
    rule TEXT,
    reason TEXT,
    policy_version INTEGER,
    key INTEGER NOT NULL,
    model INTEGER NOT NULL,
    use_case INTEGER NOT NULL,
    -- The entry of the decision and its facts, and the entry of the settlement; null if there is no copy.
    entry BLOB,
    facts TEXT,
    settlement_entry BLOB
  ) STRICT;
  CREATE INDEX call_index_by_outcome ON call_index (outcome, position);
`

/** Times in milliseconds, from `from` to before `until`. */
type Period = { readonly from: number; readonly until: number }

/** `endings`: of calls to list. `rule`, `reason`: null for any. */
export type IndexFilter = UsageFilter & {
  readonly endings: readonly Ending[]
  readonly rule: string | null
  readonly reason: string | null
}

/** `before`: list calls before this position; null for the latest. */
export type IndexQuery = { period: Period; filter: IndexFilter; before: number | null; limit: number }

/** The copies of a call's entries; null if an entry was archived before it was indexed, or the database is large. */
export type EntryCopies = { decision: StoredEntry | null; settlement: StoredEntry | null }

const NO_COPIES: EntryCopies = { decision: null, settlement: null }

export type IndexedRow = { position: number; ending: Ending; settlement: number | null; copies: EntryCopies }

/** A call with the names under which it is counted. */
export type FoundCall = Pick<IndexedCall, 'at' | 'ending' | 'settlement' | 'keyId' | 'model' | 'useCase'>

/** Calls that one rule stopped for one reason, under one version of the policy. `keyId`: null if not counted by key. */
export type StopCount = Refusal & { ending: Ending; keyId: string | null; calls: number }

const COLUMNS = sqlColumnsOf<Omit<IndexedCall, 'keyId' | 'model' | 'useCase' | 'ending'>>({
  position: 'position',
  at: 'at',
  expiresAt: 'expires_at',
  settlement: 'settlement',
  rule: 'rule',
  reason: 'reason',
  policyVersion: 'policy_version',
})

/** Returns the list of an `IN`. */
const numbersOf = (endings: readonly Ending[]): Sql => trusted(endings.map(endingNumber).join(', '))

/** A database has at most 10 GB, and calls must not be refused because of copies. */
const COPIES_BELOW_BYTES = 2 * 1024 ** 3

export class CallIndexStore extends ObjectStore {
  /** Adds a call, or changes its ending. Throws RangeError if calls that end so are not indexed. */
  put(call: IndexedCall, copies: EntryCopies, names: UsageNamesStore): void {
    const { keyId, model, useCase, ending, ...columns } = call
    const outcome = indexNumberOf(ending)
    if (outcome === null) throw new RangeError('calls that end so are not indexed')
    const isCopied = this.sql.databaseSize < COPIES_BELOW_BYTES
    const { decision, settlement } = isCopied ? copies : NO_COPIES
    this.run(sql`INSERT INTO call_index (
        ${COLUMNS.names}, outcome, ending, key, model, use_case, entry, facts, settlement_entry
      )
      VALUES (${COLUMNS.valuesOf(columns)}, ${outcome}, ${endingNumber(ending)}, ${names.number('key', keyId)},
        ${names.number('model', model)}, ${names.number('use_case', useCase)},
        ${decision?.entry ?? null}, ${decision?.facts ?? null}, ${settlement?.entry ?? null})
      ON CONFLICT (position) DO UPDATE SET ending = excluded.ending`)
  }

  setEnding(position: number, ending: Ending): void {
    this.run(sql`UPDATE call_index SET ending = ${endingNumber(ending)} WHERE position = ${position}`)
  }

  remove(position: number): void {
    this.run(sql`DELETE FROM call_index WHERE position = ${position}`)
  }

  deleteExpired(now: number): void {
    this.run(sql`DELETE FROM call_index WHERE expires_at <= ${now}`)
  }

  /** Returns null if the call simply completed, or was never counted. */
  find(position: number): FoundCall | null {
    const [row] = this.rows<Omit<FoundCall, 'ending'> & { ending: number }>(
      sql`SELECT ending, at, settlement, keys.name AS keyId, models.name AS model, use_cases.name AS useCase
        FROM call_index
          LEFT JOIN usage_names AS keys ON keys.id = call_index.key
          JOIN usage_names AS models ON models.id = call_index.model
          LEFT JOIN usage_names AS use_cases ON use_cases.id = call_index.use_case
        WHERE position = ${position}`,
    )
    return row === undefined ? null : { ...row, ending: endingOf(row.ending) }
  }

  /** Lists calls, the latest first. */
  list({ period, filter, before, limit }: IndexQuery, now: number): IndexedRow[] {
    const condition = this.#conditionOf(period, filter, now)
    if (condition === null) return []
    return this.rows<CopiedRow>(sql`SELECT position, ending, settlement, at, expires_at AS expiresAt,
        entry, facts, settlement_entry AS settlementEntry
      FROM call_index
      WHERE position < ${before ?? Number.MAX_SAFE_INTEGER} AND ${condition}
      ORDER BY position DESC LIMIT ${limit}`).map(fromRow)
  }

  /** Counts calls by ending, rule, reason and version of the policy, the most first. */
  count(period: Period, filter: IndexFilter, { isByKey, nowMs }: { isByKey: boolean; nowMs: number }): StopCount[] {
    const condition = this.#conditionOf(period, filter, nowMs)
    if (condition === null) return []
    return this.rows<Refusal & { ending: number; keyId: string | null; calls: number }>(
      sql`SELECT ending, rule, reason, policy_version AS policyVersion, ${isByKey ? sql`name` : sql`NULL`} AS keyId,
        COUNT(*) AS calls
        FROM call_index LEFT JOIN usage_names ON usage_names.id = call_index.key
        WHERE ${condition} GROUP BY 1, 2, 3, 4, 5 ORDER BY calls DESC, 1, 2, 3, 4, 5`,
    ).map((row) => Object.assign(row, { ending: endingOf(row.ending) }))
  }

  /** Returns the held calls among some positions, each with its ending. */
  heldAmong(positions: readonly number[]): ReadonlyMap<number, Ending> {
    if (positions.length === 0) return new Map()
    const rows = this.rows<{ position: number; ending: number }>(sql`SELECT position, ending FROM call_index
      WHERE position IN (SELECT value FROM json_each(${JSON.stringify(positions)}))
        AND ending IN (${numbersOf(endingsIn('held'))})`)
    return new Map(rows.map(({ position, ending }) => [position, endingOf(ending)]))
  }

  /** Lists the failed calls of a range whose cause contains a text in lower case. */
  listFailedOf({ from, before }: EntriesRange, part: string): number[] {
    const rows = this.rows<{ position: number }>(sql`SELECT position FROM call_index
      WHERE outcome = ${indexNumberOf('failed')} AND position >= ${from} AND position < ${before}
        AND instr(lower(reason), ${part}) > 0`)
    return rows.map(({ position }) => position)
  }

  /** Lists each row's position and ending, for the check of counts. */
  endings(): Map<number, Ending> {
    const rows = this.rows<{ position: number; ending: number }>(sql`SELECT position, ending FROM call_index`)
    return new Map(rows.map(({ position, ending }) => [position, endingOf(ending)]))
  }

  /** Returns null if no call was ever counted under one of the names. Expired rows are deleted only once a day. */
  #conditionOf({ from, until }: Period, filter: IndexFilter, now: number): Sql | null {
    const names = new UsageNamesStore(this.sql)
    const [only, ...others] = new Set(filter.endings.map(indexNumberOf).filter((outcome) => outcome !== null))
    if (only === undefined) return null
    // One outcome keeps the order of the index.
    const isOutcome = others.length === 0 ? sql`= ${only}` : sql`IN (${trusted([only, ...others].join(', '))})`
    let condition = sql`outcome ${isOutcome} AND ending IN (${numbersOf(filter.endings)})
      AND at >= ${from} AND at < ${until} AND expires_at > ${now}`
    for (const column of ['rule', 'reason'] as const) {
      const value = filter[column]
      if (value !== null) condition = sql`${condition} AND ${trusted(column)} = ${value}`
    }
    for (const dimension of COUNTED_GROUPINGS) {
      const value = filter[dimension]
      if (value === undefined) continue
      const number = numberOfValue(names, dimension, value)
      if (number === null) return null
      condition = sql`${condition} AND ${trusted(dimension)} = ${number}`
    }
    return condition
  }
}

type CopiedRow = {
  position: number
  ending: number
  settlement: number | null
  at: number
  expiresAt: number
  entry: ArrayBuffer | null
  facts: string | null
  settlementEntry: ArrayBuffer | null
}

function fromRow(row: CopiedRow): IndexedRow {
  const { position, ending, settlement, at, expiresAt, entry, facts, settlementEntry } = row
  const times = { at, expiresAt }
  return {
    position,
    ending: endingOf(ending),
    settlement,
    copies: {
      decision: entry && { ...times, position, kind: RECEIPT_KIND, entry: new Uint8Array(entry), facts },
      settlement:
        settlement !== null && settlementEntry !== null
          ? { ...times, position: settlement, kind: 'settlement', entry: new Uint8Array(settlementEntry), facts: null }
          : null,
    },
  }
}
