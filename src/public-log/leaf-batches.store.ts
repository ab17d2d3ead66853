// Stores the newest leaves of the public log. A row is a batch of leaves, with the tree's frontier after them. The database refuses
// to change a row. It deletes a row only after its leaves are in stored tiles and in the index.
import { concatBytes } from '@noble/hashes/utils.js'
import {
  appendLeaf,
  EMPTY_FRONTIER,
  frontierFromBytes,
  frontierToBytes,
  type Frontier,
} from '../evidence/tree/frontier.ts'
import { MissingLeavesError, type LeafHashes } from '../tiles/tiled-log.ts'
import { HASH_BYTES, TILE_WIDTH } from '../evidence/tree/tiles.ts'
import type { IndexEntry } from './public-log.client.ts'
import { sql, type Sql } from '../platform/sql.ts'
import { ObjectStore } from '../platform/stores.ts'

/** A row of this many leaves is 57 KiB. */
export const MOST_LEAVES_A_BATCH = 1024

/** `origins`: the positions in the source's log, eight bytes each. */
export const LEAF_BATCHES_SCHEMA = `
  CREATE TABLE batches (
    first INTEGER PRIMARY KEY,
    count INTEGER NOT NULL CHECK (count > 0),
    source TEXT NOT NULL,
    hashes BLOB NOT NULL CHECK (length(hashes) = 32 * count),
    ids BLOB NOT NULL CHECK (length(ids) = 16 * count),
    origins BLOB NOT NULL CHECK (length(origins) = 8 * count),
    frontier BLOB NOT NULL
  ) STRICT;
  CREATE TRIGGER batches_are_appended_in_order BEFORE INSERT ON batches
    WHEN NEW.first IS NOT COALESCE((SELECT first + count FROM batches ORDER BY first DESC LIMIT 1), 0)
    BEGIN SELECT RAISE(ABORT, 'a batch is appended at the end'); END;
  CREATE TRIGGER batches_never_change BEFORE UPDATE ON batches
    BEGIN SELECT RAISE(ABORT, 'a batch never changes'); END;
  CREATE TRIGGER batches_go_once_they_are_kept_elsewhere BEFORE DELETE ON batches
    WHEN OLD.first + OLD.count > COALESCE((SELECT stored * ${TILE_WIDTH} FROM tile_levels WHERE level = 0), 0)
      OR OLD.first + OLD.count > (SELECT indexed_to FROM progress)
    BEGIN SELECT RAISE(ABORT, 'a batch goes once its leaves are in tiles and in the index'); END;
  CREATE TRIGGER the_newest_batch_stays BEFORE DELETE ON batches
    WHEN OLD.first = (SELECT MAX(first) FROM batches)
    BEGIN SELECT RAISE(ABORT, 'the newest batch stays'); END;
`

export type TakenReceipt = {
  attestationId: Uint8Array
  leafHash: Uint8Array
  /** The position in the source's log. */
  origin: number
}

type Row = { first: number; count: number; ids: ArrayBuffer; origins: ArrayBuffer }

const ID_BYTES = 16
const ORIGIN_BYTES = 8

/** Selects rows with a leaf between two positions, without the end. */
const within = (first: number, end: number): Sql =>
  sql`first >= COALESCE((SELECT MAX(first) FROM batches WHERE first <= ${first}), 0) AND first < ${end}`

export class LeafBatchesStore extends ObjectStore implements LeafHashes {
  frontier(): Frontier {
    return this.#frontierIn(sql`TRUE`) ?? EMPTY_FRONTIER
  }

  size(): number {
    return this.frontier().size
  }

  /** Returns the frontier after the last batch that ends after `size` and not after `most`; null if there is none. */
  nextFrontier(size: number, most: number): Frontier | null {
    // The bounds on `first` avoid reading the whole backlog.
    return this.#frontierIn(sql`first > ${size - MOST_LEAVES_A_BATCH}
      AND first < ${most} AND first + count > ${size} AND first + count <= ${most}`)
  }

  append(source: string, receipts: readonly TakenReceipt[]): void {
    const before = this.frontier()
    const after = receipts.reduce((frontier, { leafHash }) => appendLeaf(frontier, leafHash), before)
    this.run(sql`INSERT INTO batches (first, count, source, hashes, ids, origins, frontier)
      VALUES (${before.size}, ${receipts.length}, ${source},
        ${concatBytes(...receipts.map(({ leafHash }) => leafHash))},
        ${concatBytes(...receipts.map(({ attestationId }) => attestationId))},
        ${originBytes(receipts)}, ${frontierToBytes(after)})`)
  }

  read(first: number, count: number): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(count * HASH_BYTES)
    let end = first
    const rows = this.run<{ first: number; hashes: ArrayBuffer }>(sql`SELECT first, hashes FROM batches
      WHERE ${within(first, first + count)} ORDER BY first`)
    for (const { first: at, hashes } of rows) {
      const skipped = Math.max(0, end - at)
      const part = new Uint8Array(hashes).subarray(skipped * HASH_BYTES, (first + count - at) * HASH_BYTES)
      if (at + skipped !== end) break
      bytes.set(part, (end - first) * HASH_BYTES)
      end += part.length / HASH_BYTES
    }
    if (end !== first + count) throw new MissingLeavesError('these leaves are in no row')
    return bytes
  }

  /** Returns the index entries of the leaves from `from` to before `end`, in order. */
  listEntries(from: number, end: number): IndexEntry[] {
    return this.rows<Row>(sql`SELECT first, count, ids, origins FROM batches WHERE ${within(from, end)} ORDER BY first`)
      .flatMap(entriesOf)
      .filter(({ position }) => position >= from && position < end)
  }

  /** Deletes rows whose leaves are all before `end`, but not the newest. Returns how many it deleted. */
  deleteBefore(end: number): number {
    return this.rows(sql`DELETE FROM batches WHERE first < ${end}
      AND first + count <= ${end} AND first < (SELECT MAX(first) FROM batches) RETURNING first`).length
  }

  #frontierIn(where: Sql): Frontier | null {
    const [row] = this.rows<{ frontier: ArrayBuffer }>(sql`SELECT frontier FROM batches
      WHERE ${where} ORDER BY first DESC LIMIT 1`)
    return row === undefined ? null : frontierFromBytes(new Uint8Array(row.frontier))
  }
}

function entriesOf({ first, count, ids, origins }: Row): IndexEntry[] {
  const view = new DataView(origins)
  return Array.from({ length: count }, (_, at) => ({
    attestationId: new Uint8Array(ids).slice(at * ID_BYTES, (at + 1) * ID_BYTES),
    position: first + at,
    origin: Number(view.getBigUint64(at * ORIGIN_BYTES)),
  }))
}

function originBytes(receipts: readonly TakenReceipt[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(receipts.length * ORIGIN_BYTES))
  for (const [at, { origin }] of receipts.entries()) view.setBigUint64(at * ORIGIN_BYTES, BigInt(origin))
  return new Uint8Array(view.buffer)
}
