// The tables of D1, for the tests that need them: making them costs more than most tests do.
import { env } from 'cloudflare:workers'

let made: Promise<unknown> | null = null

/** Makes the tables once per test. */
export async function makeTables(): Promise<void> {
  made ??= remakeTables()
  await made
}

/**
 * Makes the tables in the place of all there are. A database that lay idle during a long test has left memory, and is not wiped
 * with the rest of the storage. A table goes before those that it refers to.
 */
async function remakeTables(): Promise<void> {
  const left = await env.DB.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '_cf_%' ORDER BY rowid DESC",
  ).all<{ name: string }>()
  const dropping = left.results.map(({ name }) => `DROP TABLE "${name}"`)
  const making = env.TEST_MIGRATIONS.flatMap(({ queries }) => queries)
  const statements = ['PRAGMA defer_foreign_keys = ON', ...dropping, ...making]
  await env.DB.batch(statements.map((statement) => env.DB.prepare(statement)))
}

/** Call it when the storage is empty again. */
export function forgetTables(): void {
  made = null
}
