// Reads the migrations of data/migrations. Each has a hash in data/migrations.json, which the Worker and the database have too, so
// that nobody edits one that was applied.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import hashes from '../data/migrations.json' with { type: 'json' }

/** What is said of a database whose applied migrations are others, or have another text. */
export const OTHER_VERSION = 'another version of this project made its database.'

const FOLDER = join(import.meta.dirname, '../data/migrations')

/** `sha256`: of the text, without the line by which a migration writes its own hash. */
export type Migration = { name: string; sha256: string; statements: string[] }

/** Returns the migrations in the order in which they are applied. */
export const readMigrations = (): Migration[] =>
  readdirSync(FOLDER)
    .toSorted()
    .map((name) => {
      const text = readFileSync(join(FOLDER, name), 'utf8')
      const own = text.lastIndexOf(`INSERT INTO migration_hashes VALUES ('${name}'`)
      return {
        name,
        sha256: createHash('sha256')
          .update(own === -1 ? text : text.slice(0, own))
          .digest('hex'),
        statements: text.split(/;\s*\n/).filter((statement) => statement.trim() !== ''),
      }
    })

/** Returns the names of migrations whose text is not the one that data/migrations.json has the hash of. */
export function findEditedMigrations(): string[] {
  const known = new Map(Object.entries(hashes))
  return readMigrations().flatMap(({ name, sha256 }) => (known.get(name) === sha256 ? [] : [name]))
}
