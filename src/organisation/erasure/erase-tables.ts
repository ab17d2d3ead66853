// Empties an organisation's own database for its erasure. Only hashes and positions stay: they reveal nothing, and other people
// need them to check proofs that they have.

/** Tables whose rows stay. Those of `entries` and `snapshots` keep only hashes and positions. */
export const RETAINED_TABLES: ReadonlySet<string> = new Set([
  'entries',
  'snapshots',
  'tile_levels',
  'progress',
  'erasure',
  'erased',
  'schema_steps',
])

type TableName = { name: string }

/** Deletes all rows of the tables that do not stay. Call it inside a transaction. */
export function eraseTables(sql: SqlStorage): void {
  for (const name of listErasableTables(sql)) sql.exec(`DELETE FROM "${name}"`)
}

export const countRows = (sql: SqlStorage, name: 'sealed_details' | 'keys'): number =>
  sql.exec<{ n: number }>(`SELECT COUNT(*) AS n FROM ${name}`).one().n

/** Lists the tables to empty, without the platform's own tables. */
const listErasableTables = (sql: SqlStorage): string[] =>
  sql
    .exec<TableName>(`SELECT name FROM sqlite_master WHERE type = 'table'`)
    .toArray()
    .map(({ name }) => name)
    .filter((name) => /^[a-z]\w*$/.test(name) && !name.startsWith('sqlite_') && !RETAINED_TABLES.has(name))
