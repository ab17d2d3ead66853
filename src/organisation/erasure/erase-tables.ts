// Empties an organisation's own database for its erasure. Only hashes and positions stay: they reveal nothing, and other people
// need them to check proofs that they have.

/** Tables whose rows stay. Rows of `entries` and `snapshots` keep only hashes and positions. */
export const RETAINED_TABLES: ReadonlySet<string> = new Set([
  'entries',
  'snapshots',
  'tile_levels',
  'progress',
  'erasure',
  'erased',
  'schema_steps',
])

/** The most rows changed in one transaction, so that a million entries do not block the object. */
const ENTRIES_AT_ONCE = 5000

const SOME_WITH_CONTENT = `
  SELECT position FROM entries WHERE length(entry) > 0 ORDER BY position LIMIT ${ENTRIES_AT_ONCE}
`

/** Empties entries whose tile is not stored yet, all but their hashes. Entries with a stored tile are deleted instead. */
const EMPTY_ENTRIES = `
  UPDATE entries SET entry = x'', facts = NULL, at = 0, expires_at = 0, key_id = NULL, outcome = NULL, loop = NULL,
    microeur = NULL, settles = NULL
  WHERE position IN (SELECT value FROM json_each(?))
`

type TableName = { name: string }

/** Erases the next entries. Returns false if there are none left. */
export function eraseEntries(sql: SqlStorage, tiledLeaves: number): boolean {
  const found = sql.exec<{ position: number }>(SOME_WITH_CONTENT).toArray()
  const [first, last] = [found[0]?.position, found.at(-1)?.position]
  if (first === undefined || last === undefined) return false
  sql.exec('DELETE FROM entries WHERE position >= ? AND position <= ? AND position < ?', first, last, tiledLeaves)
  sql.exec(EMPTY_ENTRIES, JSON.stringify(found.map(({ position }) => position)))
  return true
}

/** Deletes all rows of the tables that do not stay. Call it inside a transaction. */
export function eraseTables(sql: SqlStorage): void {
  for (const name of listErasableTables(sql)) sql.exec(`DELETE FROM "${name}"`)
}

/** Counts the entries that still have their content. */
export const countEntries = (sql: SqlStorage): number =>
  sql.exec<{ n: number }>('SELECT COUNT(*) AS n FROM entries WHERE length(entry) > 0').one().n

export const countRows = (sql: SqlStorage, name: 'sealed_details' | 'keys'): number =>
  sql.exec<{ n: number }>(`SELECT COUNT(*) AS n FROM ${name}`).one().n

/** Lists the tables to empty, without the platform's own tables. */
const listErasableTables = (sql: SqlStorage): string[] =>
  sql
    .exec<TableName>(`SELECT name FROM sqlite_master WHERE type = 'table'`)
    .toArray()
    .map(({ name }) => name)
    .filter((name) => /^[a-z]\w*$/.test(name) && !name.startsWith('sqlite_') && !RETAINED_TABLES.has(name))
