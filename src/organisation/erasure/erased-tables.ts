// Empties an organisation's own database but for what others need to check what they hold: hashes and positions, which
// mean nothing by themselves. All else goes, by whatever feature it was written.

/** Tables whose rows stay: of `entries` and `snapshots` what says no more than that. */
export const STAYING: ReadonlySet<string> = new Set([
  'entries',
  'snapshots',
  'tile_levels',
  'progress',
  'erasure',
  'erased',
  'schema_steps',
])

/** Rows changed in one transaction: a million entries are not to hold the object up. */
const ENTRIES_AT_ONCE = 5000

const SOME_WITH_CONTENT = `
  SELECT position FROM entries WHERE length(entry) > 0 ORDER BY position LIMIT ${ENTRIES_AT_ONCE}
`

/** Keeps the hash alone, for entries whose tile is not stored yet. The others are deleted. */
const EMPTY_ENTRIES = `
  UPDATE entries SET entry = x'', facts = NULL, at = 0, expires_at = 0, key_id = NULL, outcome = NULL, loop = NULL,
    microeur = NULL, settles = NULL
  WHERE position IN (SELECT value FROM json_each(?))
`

type Found = { name: string }

/** False when there are none left. */
export function eraseEntries(sql: SqlStorage, tiledLeaves: number): boolean {
  const found = sql.exec<{ position: number }>(SOME_WITH_CONTENT).toArray()
  const [first, last] = [found[0]?.position, found.at(-1)?.position]
  if (first === undefined || last === undefined) return false
  sql.exec('DELETE FROM entries WHERE position >= ? AND position <= ? AND position < ?', first, last, tiledLeaves)
  sql.exec(EMPTY_ENTRIES, JSON.stringify(found.map(({ position }) => position)))
  return true
}

/** Belongs inside a transaction. */
export function eraseTables(sql: SqlStorage): void {
  for (const name of listGoing(sql)) sql.exec(`DELETE FROM "${name}"`)
}

/** Counts the entries that still have their content. */
export const countEntries = (sql: SqlStorage): number =>
  sql.exec<{ n: number }>('SELECT COUNT(*) AS n FROM entries WHERE length(entry) > 0').one().n

export const countRows = (sql: SqlStorage, name: 'sealed_details' | 'keys'): number =>
  sql.exec<{ n: number }>(`SELECT COUNT(*) AS n FROM ${name}`).one().n

/** The platform's own tables are not ours to touch. */
const listGoing = (sql: SqlStorage): string[] =>
  sql
    .exec<Found>(`SELECT name FROM sqlite_master WHERE type = 'table'`)
    .toArray()
    .map(({ name }) => name)
    .filter((name) => /^[a-z]\w*$/.test(name) && !name.startsWith('sqlite_') && !STAYING.has(name))
