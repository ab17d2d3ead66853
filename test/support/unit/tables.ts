// The tables of D1, for the tests that need them: making them costs more than most tests do.
import { env } from 'cloudflare:workers'

let made: Promise<unknown> | null = null

/** Once a test. */
export async function makeTables(): Promise<void> {
  const statements = env.TEST_MIGRATIONS.flatMap(({ queries }) => queries)
  made ??= env.DB.batch(statements.map((statement) => env.DB.prepare(statement)))
  await made
}

/** Once the storage is empty again. */
export function forgetTables(): void {
  made = null
}
