// The Merkle tree over the leaves of a log, an organisation's or the public one: the hash of each complete subtree is a row,
// written once, in the turn that completes it. The leaves are the tree's level 0. The database refuses to change, remove or
// misplace a node.
import { appendLeaf, consistencyProof, inclusionProof, rootAt, type Coordinate, type NodeReader } from './merkle.ts'
import { sha256 } from '../platform/sha256.ts'

export const TREE_SCHEMA = `
  CREATE TABLE tree_nodes (
    level INTEGER NOT NULL CHECK (level BETWEEN 1 AND 52),
    position INTEGER NOT NULL,
    hash BLOB NOT NULL CHECK (length(hash) = 32),
    PRIMARY KEY (level, position)
  ) STRICT, WITHOUT ROWID;
  CREATE TRIGGER tree_nodes_are_appended_in_order BEFORE INSERT ON tree_nodes
    WHEN NEW.position IS NOT (SELECT COALESCE(MAX(position) + 1, 0) FROM tree_nodes WHERE level = NEW.level)
    BEGIN SELECT RAISE(ABORT, 'a node is appended at the end of its level'); END;
  CREATE TRIGGER tree_nodes_are_complete BEFORE INSERT ON tree_nodes
    WHEN ((NEW.position + 1) << NEW.level) > (SELECT COALESCE(MAX(position) + 1, 0) FROM leaves)
    BEGIN SELECT RAISE(ABORT, 'a node is stored once its leaves are'); END;
  CREATE TRIGGER tree_nodes_never_change BEFORE UPDATE ON tree_nodes
    BEGIN SELECT RAISE(ABORT, 'a node never changes'); END;
  CREATE TRIGGER tree_nodes_never_go BEFORE DELETE ON tree_nodes
    BEGIN SELECT RAISE(ABORT, 'a node is never removed'); END;
`

/** How many leaves are held in memory at once while the tree is made for leaves that are older than it. */
const LEAVES_AT_ONCE = 1000

const HASH_BYTES = 32

/** A step of the migrations: makes the tree over the leaves that are there. */
export function growTree(sql: SqlStorage): void {
  const tree = new TreeStore(sql)
  for (let from = 0; ; from += LEAVES_AT_ONCE) {
    const rows = sql.exec<LeafRow>(
      'SELECT position, hash FROM leaves WHERE position >= ? ORDER BY position LIMIT ?',
      from,
      LEAVES_AT_ONCE,
    )
    const leaves = rows.toArray()
    for (const { position, hash } of leaves) tree.append(position, new Uint8Array(hash))
    if (leaves.length < LEAVES_AT_ONCE) return
  }
}

type HashRow = { hash: ArrayBuffer }
type LeafRow = HashRow & { position: number }

export class TreeStore {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Stores the subtrees that the leaf at `position` completes. Belongs in the transaction that stores the leaf, after it. */
  append(position: number, leafHash: Uint8Array): void {
    for (const { level, index, hash } of appendLeaf(position, leafHash, this.#read, sha256)) {
      if (level === 0) continue
      this.#sql.exec('INSERT INTO tree_nodes (level, position, hash) VALUES (?, ?, ?)', level, index, hash)
    }
  }

  size(): number {
    return this.#sql.exec<{ size: number }>('SELECT COALESCE(MAX(position) + 1, 0) AS size FROM leaves').one().size
  }

  /** At any size the tree has had. */
  rootAt(size: number): Uint8Array {
    return rootAt(size, this.#read, sha256)
  }

  leafHash(position: number): Uint8Array {
    return this.#read(0, position)
  }

  /** The hashes of `count` complete subtrees of one level from `first` on, one after the other. */
  hashesFrom({ level, index: first }: Coordinate, count: number): Uint8Array {
    const rows =
      level === 0
        ? this.#sql.exec<HashRow>('SELECT hash FROM leaves WHERE position >= ? ORDER BY position LIMIT ?', first, count)
        : this.#sql.exec<HashRow>(
            'SELECT hash FROM tree_nodes WHERE level = ? AND position >= ? ORDER BY position LIMIT ?',
            level,
            first,
            count,
          )
    const hashes = rows.toArray()
    if (hashes.length < count) throw new RangeError('the tree is smaller')
    const bytes = new Uint8Array(count * HASH_BYTES)
    for (const [at, { hash }] of hashes.entries()) bytes.set(new Uint8Array(hash), at * HASH_BYTES)
    return bytes
  }

  /** Throws RangeError where there is no such leaf in a tree of that size. */
  inclusionProof(position: number, size: number): Uint8Array[] {
    return inclusionProof(position, size, this.#read, sha256)
  }

  /** Throws RangeError unless `oldSize` is from 1 to `newSize`. */
  consistencyProof(oldSize: number, newSize: number): Uint8Array[] {
    return consistencyProof(oldSize, newSize, this.#read, sha256)
  }

  readonly #read: NodeReader = (level, index) => {
    const rows =
      level === 0
        ? this.#sql.exec<HashRow>('SELECT hash FROM leaves WHERE position = ?', index)
        : this.#sql.exec<HashRow>('SELECT hash FROM tree_nodes WHERE level = ? AND position = ?', level, index)
    return new Uint8Array(rows.one().hash)
  }
}
