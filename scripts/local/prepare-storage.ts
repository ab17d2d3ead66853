// Prepares the local storage for npm start: the database tables, the invented sample if no figures are published, and the pages.
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createWaitingListStore } from '../../src/referral/waiting-lists/waiting-lists.store.ts'
import { type Migration, OTHER_VERSION, readMigrations } from '../migrations.ts'
import type { StorageBindings } from '../storage-bindings.ts'

/** Prepares the databases in a folder, unless an earlier start did. @param onPrepare called before anything is done */
export async function prepareStorage(state: string, onPrepare: () => void): Promise<void> {
  const stamp = join(state, 'v3', 'prepared.json')
  const migrations = JSON.stringify(readMigrations().map(({ name, sha256 }) => `${name} ${sha256}`))
  const isWhole = ['d1', 'kv', 'r2', 'prepared.json'].every((name) => existsSync(join(state, 'v3', name)))
  if (isWhole && readFileSync(stamp, 'utf8') === migrations) return
  onPrepare()
  // wrangler takes most of a second to load.
  const [{ withBindings }, { publishSampleIfEmpty }] = await Promise.all([
    import('../storage-bindings.ts'),
    import('../sample-dataset.ts'),
  ])
  await withBindings({ persistTo: state }, async ({ DATASETS, FILES, DB }) => {
    await applyMigrations(DB)
    await publishSampleIfEmpty(createWaitingListStore({ kv: DATASETS, r2: FILES, now: Date.now }))
  })
  writeFileSync(stamp, migrations)
}

/** Applies missing migrations. Writes wrangler's own table of them, so that wrangler's command agrees afterwards. */
export async function applyMigrations(db: StorageBindings['DB']): Promise<void> {
  await db
    .prepare(
      'CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)',
    )
    .run()
  const names = await db.prepare('SELECT name FROM d1_migrations').all<{ name: string }>()
  const applied = new Set(names.results.map(({ name }) => name))
  const migrations = readMigrations()
  if (applied.size > 0) await refuseOtherVersion(db, applied, migrations)
  for (const { name, statements } of migrations) {
    if (applied.has(name)) continue
    await db.batch([
      ...statements.map((statement) => db.prepare(statement)),
      db.prepare('INSERT INTO d1_migrations (name) VALUES (?)').bind(name),
    ])
  }
}

/** Throws if a migration that was applied is unknown here, or has another text. */
async function refuseOtherVersion(
  db: StorageBindings['DB'],
  applied: ReadonlySet<string>,
  migrations: readonly Migration[],
): Promise<void> {
  const hashes = await db
    .prepare('SELECT name, sha256 FROM migration_hashes')
    .all<{ name: string; sha256: string }>()
    // A database from before the hashes cannot be compared.
    .catch(() => ({ results: [] }))
  const textOf = new Map(hashes.results.map(({ name, sha256 }) => [name, sha256]))
  const known = new Map(migrations.map(({ name, sha256 }) => [name, sha256]))
  if ([...applied].some((name) => known.get(name) !== textOf.get(name) || !known.has(name)))
    throw new Error(`${OTHER_VERSION} Delete the folder, then start again.`)
}

const BUILT_PAGES = 'dist/pages'

/** Copies the pages to a folder for this start, so that a later build removes none. Throws if they were never built. */
export function copyPages(state: string): string {
  const copied = join(state, 'pages')
  rmSync(copied, { recursive: true, force: true })
  cpSync(BUILT_PAGES, copied, { recursive: true })
  return copied
}
