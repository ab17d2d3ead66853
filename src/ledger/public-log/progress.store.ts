// How far the public log's leaves have come on their way to readers: up to which size they are served, and how many of
// them each shard of the index has. All of it only says what need not be done again.

export const PROGRESS_SCHEMA = `
  CREATE TABLE served (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    tree_size INTEGER NOT NULL
  ) STRICT;
  INSERT INTO served (id, tree_size) VALUES (1, -1);
  CREATE TABLE indexed (
    shard INTEGER PRIMARY KEY,
    tree_size INTEGER NOT NULL
  ) STRICT;
`

export class ProgressStore {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** The size whose tiles and head are all served; -1 when no head is. */
  servedSize(): number {
    return this.#sql.exec<{ tree_size: number }>('SELECT tree_size FROM served').one().tree_size
  }

  setServedSize(treeSize: number): void {
    this.#sql.exec('UPDATE served SET tree_size = ?', treeSize)
  }

  /** Of each shard, up to which size of the tree it has everything that belongs to it. */
  indexedSizes(shards: number): number[] {
    const sizes = Array.from({ length: shards }, () => 0)
    const rows = this.#sql.exec<{ shard: number; tree_size: number }>('SELECT shard, tree_size FROM indexed')
    for (const { shard, tree_size: size } of rows) sizes[shard] = size
    return sizes
  }

  setIndexedSize(shard: number, treeSize: number): void {
    this.#sql.exec('INSERT OR REPLACE INTO indexed (shard, tree_size) VALUES (?, ?)', shard, treeSize)
  }
}
