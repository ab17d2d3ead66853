// The step by which an object of a row per leaf goes on with batches: the few leaves that are not in served tiles, or not in the
// index, become batches, and all others stay in their rows.
import { TILE_WIDTH } from '../evidence/tree/tiles.ts'
import { subtreesOf } from '../evidence/tree/merkle.ts'
import { OlderTree } from '../tiles/older-tree.store.ts'
import { BatchesStore, MOST_IN_A_BATCH } from './batches.store.ts'
import { INDEX_SHARDS } from './index.store.ts'

/** Nobody's: where each of these leaves came from was not kept. */
const NO_SOURCE = ''

type Leaf = { position: number; hash: ArrayBuffer; attestation_id: ArrayBuffer }

export function moveIntoBatches(sql: SqlStorage): void {
  const tree = new OlderTree(sql)
  const size = tree.size()
  const { served } = sql.exec<{ served: number }>('SELECT tree_size AS served FROM served WHERE id = 1').one()
  const indexed = readIndexed(sql)
  // At least one leaf, which brings the frontier.
  const kept = Math.min(served, ...indexed, size - 1)
  const tiled = Math.max(0, Math.floor(kept / TILE_WIDTH) * TILE_WIDTH)
  tree.writeTileLevels(tiled)
  moveLeaves(sql, tree, { from: tiled, size })
  insertHead(sql)
  sql.exec(
    'INSERT INTO progress (id, served, indexed, indexed_to) VALUES (1, ?, ?, ?)',
    served,
    JSON.stringify(indexed),
    Math.min(...indexed),
  )
}

function readIndexed(sql: SqlStorage): number[] {
  const sizes = Array.from({ length: INDEX_SHARDS }, () => 0)
  const rows = sql.exec<{ shard: number; tree_size: number }>('SELECT shard, tree_size FROM indexed')
  for (const { shard, tree_size: size } of rows) sizes[shard] = size
  return sizes
}

function moveLeaves(sql: SqlStorage, tree: OlderTree, { from, size }: { from: number; size: number }): void {
  const batches = new BatchesStore(sql)
  for (let first = from; first < size; first += MOST_IN_A_BATCH) {
    const leaves = sql
      .exec<Leaf>(
        `SELECT leaves.position AS position, hash, attestation_id FROM leaves
           JOIN attestations ON attestations.position = leaves.position
         WHERE leaves.position >= ? ORDER BY leaves.position LIMIT ?`,
        first,
        MOST_IN_A_BATCH,
      )
      .toArray()
    const end = first + leaves.length
    const receipts = leaves.map(({ hash, attestation_id: id }) => ({
      leafHash: new Uint8Array(hash),
      attestationId: new Uint8Array(id),
      origin: null,
    }))
    const hashes = subtreesOf({ start: 0, end }).map((subtree) => tree.hashesFrom(subtree, 1))
    batches.insert({ first, source: NO_SOURCE, receipts, frontier: { size: end, hashes } })
  }
  sql.exec('DELETE FROM attestations WHERE position >= ?', from)
  sql.exec('DELETE FROM leaves WHERE position >= ?', from)
}

/** As it was signed last. */
function insertHead(sql: SqlStorage): void {
  sql.exec(`
    INSERT INTO heads (id, tree_size, root, timestamp, signature, public_key)
      SELECT 1, earlier_heads.tree_size, root,
        COALESCE(renewed_head.timestamp, earlier_heads.timestamp),
        COALESCE(renewed_head.signature, earlier_heads.signature),
        COALESCE(renewed_head.public_key, earlier_heads.public_key)
      FROM earlier_heads LEFT JOIN renewed_head ON renewed_head.tree_size = earlier_heads.tree_size
      ORDER BY earlier_heads.tree_size DESC LIMIT 1`)
}
