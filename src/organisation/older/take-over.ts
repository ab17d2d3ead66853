// The step of the migrations that takes an organisation's first tables over: counts become the state, and the newest entries
// rows of the log. What is older stays where it is, and leaves from there (older-log.ts).
import { attestationIdIn } from '../../evidence/records/receipt-entry.ts'
import { EntriesStore, KEPT_ENTRIES_SCHEMA, type LoggedKind } from '../journal/entries.store.ts'
import { contentOf } from '../../evidence/entry.ts'
import { frontierToBytes } from '../../evidence/tree/frontier.ts'
import { TILE_WIDTH } from '../../evidence/tree/tiles.ts'
import { subtreesOf } from '../../evidence/tree/merkle.ts'
import { OlderTree } from '../../tiles/older-tree.store.ts'
import { SnapshotsStore } from '../journal/snapshots.store.ts'
import { takeFullSnapshot } from '../journal/state/snapshot.ts'
import { readOlderState } from './older-state.ts'

/** Tables whose rows are in the state now, or are read by nothing. */
const COUNTS = [
  'calls',
  'call_counts',
  'costs',
  'day_costs',
  'reservations',
  'month_usage',
  'chat_reservations',
  'seen_requests',
  'seen_hashes',
  'settings',
  'publication',
  'upkeep',
  'detail_runs',
]

/** The log as it was kept, those that refer to others first. */
export const LOG_TABLES = ['details', 'receipts', 'settlements', 'tree_nodes', 'leaves'] as const
export type LogTable = (typeof LOG_TABLES)[number]

/** A Worker from before these tables must not go on with a log that another has gone on with. */
const OLDER_LOG_SCHEMA = `
  CREATE TABLE older_log (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    -- Entries before this position are in the older tables alone.
    size INTEGER NOT NULL,
    tiles_stored INTEGER NOT NULL,
    -- Receipts up to this position were handed to the public log without their position.
    published_to INTEGER NOT NULL,
    receipts_indexed BLOB NOT NULL
  ) STRICT;
  CREATE TRIGGER leaves_are_appended_elsewhere BEFORE INSERT ON leaves
    BEGIN SELECT RAISE(ABORT, 'a newer version keeps this log'); END;
  CREATE VIEW kept_entries AS
    SELECT position, kind, at, expires_at, entry, facts FROM details
    UNION ALL
    SELECT position, kind, at, expires_at, entry, facts FROM entries;
  CREATE TRIGGER kept_entries_leave INSTEAD OF DELETE ON kept_entries BEGIN
    DELETE FROM details WHERE position = OLD.position;
    DELETE FROM entries WHERE position = OLD.position;
  END;
`

export function takeOver(sql: SqlStorage): void {
  const tree = new OlderTree(sql)
  const size = tree.size()
  const first = firstOfNewer(sql, size)
  // As if they were stored: until they are, they are read from the older tables.
  tree.writeTileLevels(first)
  copyEntries(sql, first)
  writeState(sql, tree, size)
  writeProgress(sql, first)
  sql.exec('DROP TRIGGER details_begin_a_run')
  for (const table of COUNTS) sql.exec(`DROP TABLE "${table}"`)
  if (size === 0) {
    for (const table of LOG_TABLES) sql.exec(`DROP TABLE "${table}"`)
    sql.exec(KEPT_ENTRIES_SCHEMA)
  } else {
    sql.exec('DELETE FROM details WHERE position >= ?', first)
    sql.exec(OLDER_LOG_SCHEMA)
    sql.exec(
      `INSERT INTO older_log (id, size, tiles_stored, published_to, receipts_indexed)
       SELECT 1, ?, 0, published_to, x'' FROM progress`,
      first,
    )
  }
}

/** The newest tile's first leaf, or one before it from which all receipts wait for the public log. */
function firstOfNewer(sql: SqlStorage, size: number): number {
  const { waiting } = sql
    .exec<{ waiting: number | null }>(
      `SELECT MIN(position) AS waiting FROM details
       WHERE kind = 'chat_decision' AND position > (SELECT published_to FROM publication)`,
    )
    .one()
  const first = Math.min(waiting ?? size, size)
  return first - (first % TILE_WIDTH)
}

type OlderRow = {
  position: number
  hash: ArrayBuffer
  kind: LoggedKind | null
  at: number | null
  expires_at: number | null
  entry: ArrayBuffer | null
  facts: string | null
}

/** Of an entry whose details are gone the leaf alone. What it did is in the state. */
function copyEntries(sql: SqlStorage, first: number): void {
  const entries = new EntriesStore(sql)
  const rows = sql.exec<OlderRow>(
    `SELECT leaves.position AS position, hash, kind, at, expires_at, entry, facts
     FROM leaves LEFT JOIN details ON details.position = leaves.position
     WHERE leaves.position >= ? ORDER BY leaves.position`,
    first,
  )
  const nothing = { keyId: null, outcome: null, loop: null, microeur: null }
  for (const { hash, kind, entry, ...row } of rows) {
    const bytes = new Uint8Array(entry ?? new ArrayBuffer())
    entries.insert({
      ...nothing,
      position: row.position,
      hash: new Uint8Array(hash),
      kind: kind ?? 'operator_act',
      at: row.at ?? 0,
      expiresAt: row.expires_at ?? 0,
      id: kind === 'chat_decision' ? attestationIdIn(bytes) : null,
      settles: kind === 'settlement' ? settledBy(bytes) : null,
      entry: bytes,
      facts: row.facts,
    })
  }
}

function settledBy(entry: Uint8Array): number | null {
  const { settles } = contentOf(entry)
  return typeof settles === 'number' ? settles : null
}

function writeState(sql: SqlStorage, tree: OlderTree, size: number): void {
  const hashes = subtreesOf({ start: 0, end: size }).map(({ level, index }) => tree.hashesFrom({ level, index }, 1))
  const state = takeFullSnapshot(readOlderState(sql, size), frontierToBytes({ size, hashes }).toHex())
  new SnapshotsStore(sql).write('oldest', { before: size, n: 0, state })
}

function writeProgress(sql: SqlStorage, first: number): void {
  sql.exec(
    `INSERT INTO progress (id, published_to, last_receipt, left_to, leaving_to, cleaned_at)
     SELECT 1, published_to, last_receipt, oldest, oldest, ?2 FROM publication,
       (SELECT COALESCE(MIN(position), ?1) AS oldest FROM details WHERE position < ?1)`,
    first,
    Date.now(),
  )
  sql.exec('UPDATE progress SET cleaned_at = (SELECT cleaned_at FROM upkeep) WHERE EXISTS (SELECT 1 FROM upkeep)')
}
