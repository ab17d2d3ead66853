// Stores by which ids and names the calls in each stretch of the log can be found, so that a search reads only stretches that may
// have a match. The counter of calls writes it, in the turn that counts them. A row has fingerprints, so readers confirm a match
// against the entry.
import type { EntriesRange } from '../journal/archive.ts'
import { utcDay } from '../../platform/time.ts'
import { sha256 } from '../../platform/sha256.ts'
import { readJson, type JsonObject } from '../../platform/json.ts'
import * as z from 'zod'
import { once } from '../../platform/once.ts'
import { sql } from '../../platform/sql.ts'
import { ObjectStore } from '../../platform/stores.ts'

export const SEARCH_BLOCKS_SCHEMA = `
  CREATE TABLE search_blocks (
    first INTEGER PRIMARY KEY,
    -- The position after the last one.
    until INTEGER NOT NULL CHECK (until > first),
    -- When its last call expires; null if it has none.
    expires_at INTEGER,
    -- Four bytes of SHA-256 of each id.
    ids BLOB NOT NULL,
    -- JSON: the names, and the ids of keys.
    names TEXT NOT NULL
  ) STRICT;
`

/** What a decision about a call is found by. `names`: its model, use case, cohort and reason. */
export type SearchableCall = { position: number; expiresAt: number; ids: string[]; names: string[]; keyId: string }

/** What is known of the calls in a stretch of the log. `ids`: fingerprints. */
export type SearchBlock = EntriesRange & { ids: Uint32Array; names: readonly string[]; keyIds: readonly string[] }

type BlockRow = { first: number; until: number; expiresAt: number | null; ids: ArrayBuffer; names: string }

const COLUMNS = sql`first, until, expires_at AS expiresAt, ids, names`

/** A block grows up to so many positions. Reading them takes some milliseconds. */
const BLOCK_POSITIONS = 500

/** Rows are read this many at a time, and calls run in between. */
const READ_AT_ONCE = 256

/** A request hash is found by this many of its first digits. */
export const HASH_DIGITS = 12

/** Reads what a decision can be found by, from its record and its facts. */
export function readSearchable(
  { position, expiresAt }: Pick<SearchableCall, 'position' | 'expiresAt'>,
  record: JsonObject,
  facts: JsonObject,
): SearchableCall {
  const hash = record['request_hash']
  const ids = [record['attestation_id'], record['trace_id'], facts['request_id'], facts['approval_id']]
  return {
    position,
    expiresAt,
    ids: [...ids, typeof hash === 'string' ? hash.slice(0, HASH_DIGITS) : null].filter(isText),
    names: [record['model'], facts['use_case'], facts['cohort'], facts['reason']].filter(isText),
    keyId: isText(facts['key_id']) ? facts['key_id'] : '',
  }
}

const isText = (value: unknown): value is string => typeof value === 'string'

export class SearchBlocksStore extends ObjectStore {
  /** Adds the calls of the next positions. The calls of one block expire on one day, so that they are deleted together. */
  append({ from, before }: EntriesRange, calls: readonly SearchableCall[]): void {
    let first = from
    for (const [at, call] of calls.entries()) {
      const next = calls[at + 1]
      if (next === undefined || utcDay(next.expiresAt) === utcDay(call.expiresAt)) continue
      this.#put({ from: first, before: next.position }, ofPositions(calls, first, next.position))
      first = next.position
    }
    this.#put({ from: first, before }, ofPositions(calls, first, before))
  }

  /**
   * Lists the ranges of positions that may have calls of wanted blocks, the latest first. Positions without a block are in them: an
   * older version counted their calls.
   */
  async listRanges({ from, before }: EntriesRange, isWanted: (block: SearchBlock) => boolean): Promise<EntriesRange[]> {
    const ranges: EntriesRange[] = []
    let readTo = before
    const add = (range: EntriesRange): void => {
      const newer = ranges.at(-1)
      if (newer?.from === range.before) newer.from = range.from
      else if (range.from < range.before) ranges.push(range)
    }
    for (let isLast = false; !isLast; await scheduler.wait(0)) {
      const rows = this.rows<BlockRow>(sql`SELECT ${COLUMNS} FROM search_blocks
        WHERE first < ${readTo} AND until > ${from} ORDER BY first DESC LIMIT ${READ_AT_ONCE}`)
      for (const row of rows) {
        const block = fromRow(row)
        const until = Math.min(block.before, readTo)
        add({ from: until, before: readTo })
        readTo = Math.max(block.from, from)
        if (isWanted(block)) add({ from: readTo, before: until })
      }
      isLast = rows.length < READ_AT_ONCE
    }
    add({ from, before: readTo })
    return ranges
  }

  /** Empties blocks whose calls have expired. Their rows stay: they say that nothing is to be found there. */
  emptyExpired(now: number): void {
    this.run(sql`UPDATE search_blocks SET ids = x'', names = ${NO_NAMES}, expires_at = NULL WHERE expires_at <= ${now}`)
  }

  /** Adds calls to the last block, or begins another. */
  #put({ from, before }: EntriesRange, calls: readonly SearchableCall[]): void {
    const [last] = this.rows<BlockRow>(sql`SELECT ${COLUMNS} FROM search_blocks ORDER BY first DESC LIMIT 1`)
    const expiresAt = calls.length === 0 ? null : Math.max(...calls.map((call) => call.expiresAt))
    const grown = last !== undefined && last.until === from && before - last.first <= BLOCK_POSITIONS ? last : undefined
    const known = grown !== undefined && isOneDay(grown.expiresAt, expiresAt) ? grown : undefined
    const { names, keyIds } = known === undefined ? { names: [], keyIds: [] } : fromRow(known)
    const ids = calls.flatMap((call) => call.ids.map(fingerprintOf))
    const ends = known?.expiresAt == null ? expiresAt : Math.max(known.expiresAt, expiresAt ?? 0)
    const allIds = new Uint32Array(new Set([...new Uint32Array(known?.ids ?? NO_IDS), ...ids]))
    const allNames = JSON.stringify([
      [...new Set([...names, ...calls.flatMap((call) => call.names)])],
      [...new Set([...keyIds, ...calls.map((call) => call.keyId)])],
    ])
    this.run(sql`INSERT OR REPLACE INTO search_blocks (first, until, expires_at, ids, names)
      VALUES (${known?.first ?? from}, ${before}, ${ends}, ${allIds.buffer}, ${allNames})`)
  }
}

const NO_IDS = new ArrayBuffer(0)
const NO_NAMES = '[[],[]]'

const NamesSchema = once(() => z.tuple([z.array(z.string()), z.array(z.string())]))

const isOneDay = (one: number | null, other: number | null): boolean =>
  one === null || other === null || utcDay(one) === utcDay(other)

const ofPositions = (calls: readonly SearchableCall[], from: number, before: number): SearchableCall[] =>
  calls.filter(({ position }) => position >= from && position < before)

function fromRow({ first, until, ids, names: text }: BlockRow): SearchBlock {
  const [names, keyIds] = NamesSchema().parse(readJson(text))
  return { from: first, before: until, ids: new Uint32Array(ids), names, keyIds }
}

/** A record's id and its trace id have the same digits, and so one fingerprint. */
export const fingerprintOf = (id: string): number => {
  const { buffer, byteOffset } = sha256(id.replace(/^tr_/, '').replaceAll('-', ''))
  return new DataView(buffer, byteOffset).getUint32(0)
}
