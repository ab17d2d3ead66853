// What of an organisation's own database stays when it is erased: what others need to check what they hold, which is hashes
// and positions and nothing that means anything by itself. All else goes, by whatever feature it was written.

/** Tables whose rows stay. */
const STAYING: ReadonlySet<string> = new Set([
  'leaves',
  'tree_nodes',
  'receipts',
  'settlements',
  'publication',
  'erasure',
  'erased',
  'schema_steps',
])

/** Rows deleted in one transaction: a million details are not to hold the object up. */
const DETAILS_AT_ONCE = 5000

const DELETE_DETAILS = `
  DELETE FROM details WHERE position IN (SELECT position FROM details ORDER BY position LIMIT ${DETAILS_AT_ONCE})
  RETURNING position
`

type Found = { name: string }

/** False when there are none left. */
export function eraseDetails(sql: SqlStorage): boolean {
  return sql.exec(DELETE_DETAILS).toArray().length > 0
}

/** Belongs inside a transaction. */
export function eraseTables(sql: SqlStorage): void {
  for (const name of listGoing(sql)) sql.exec(`DELETE FROM "${name}"`)
}

export function countRows(sql: SqlStorage, tables: readonly ('details' | 'sealed_details' | 'keys')[]): number {
  return tables.reduce((sum, name) => sum + sql.exec<{ n: number }>(`SELECT COUNT(*) AS n FROM ${name}`).one().n, 0)
}

/** The platform's own tables are not ours to touch. */
const listGoing = (sql: SqlStorage): string[] =>
  sql
    .exec<Found>(`SELECT name FROM sqlite_master WHERE type = 'table'`)
    .toArray()
    .map(({ name }) => name)
    .filter((name) => /^[a-z]\w*$/.test(name) && !name.startsWith('sqlite_') && !STAYING.has(name))
