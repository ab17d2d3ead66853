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
export const readMigrations = (folder = FOLDER): Migration[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .toSorted()
    .map((name) => {
      const text = readFileSync(join(folder, name), 'utf8')
      return {
        name,
        sha256: hashOf(name, text),
        statements: text.split(/;\s*\n/).filter((statement) => statement.trim() !== ''),
      }
    })

function hashOf(name: string, text: string): string {
  const own = text.lastIndexOf(`INSERT INTO migration_hashes VALUES ('${name}'`)
  const before = own === -1 ? text : text.slice(0, own)
  const sha256 = createHash('sha256').update(before).digest('hex')
  // Anything but the migration's own line counts as an edit.
  const isOwnLine = own === -1 || text.slice(own) === `INSERT INTO migration_hashes VALUES ('${name}', '${sha256}');\n`
  return isOwnLine ? sha256 : createHash('sha256').update(text).digest('hex')
}

/** Returns the names of migrations that are gone, or whose text is not the one that data/migrations.json has the hash of. */
export function findEditedMigrations(folder = FOLDER): string[] {
  const found = new Map(readMigrations(folder).map(({ name, sha256 }) => [name, sha256]))
  const known = new Map(Object.entries(hashes))
  return [...new Set([...known.keys(), ...found.keys()])].filter((name) => known.get(name) !== found.get(name))
}
