// An applied migration is never edited: its hash is in data/migrations.json, in the database and in the Worker, and who compares
// them refuses another text. Local storage is compared in start-faults.release.test.ts, the Worker's in health.routes.worker.test.ts.
import { appendFileSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import hashes from '../../data/migrations.json' with { type: 'json' }
import { listen } from '../../scripts/local-http-server.ts'
import { findEditedMigrations, readMigrations } from '../../scripts/migrations.ts'
import { OperatorError, refuseOtherTables } from '../../scripts/operator/operator-client.ts'

const migrations = readMigrations()

it('every migration has its hash in data/migrations.json, and no hash is of a migration that went', () => {
  expect(findEditedMigrations()).toEqual([])
  expect(Object.keys(hashes)).toEqual(migrations.map(({ name }) => name))
})

it.each([
  ['changed', (folder: string) => appendFileSync(join(folder, '0001_baseline.sql'), '\n')],
  ['changed after its own line', (folder: string) => appendFileSync(join(folder, '0003_health.sql'), 'SELECT 1;\n')],
  ['gone', (folder: string) => rmSync(join(folder, '0002_tier_requests.sql'))],
  ['not known', (folder: string) => writeFileSync(join(folder, '0004_other.sql'), 'SELECT 1;\n')],
])('a migration that is %s is found', (_, change) => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-migrations-'))
  cpSync('data/migrations', folder, { recursive: true })
  writeFileSync(join(folder, 'notes.txt'), 'not a migration')
  expect(findEditedMigrations(folder)).toEqual([])
  change(folder)
  expect(findEditedMigrations(folder)).toHaveLength(1)
  rmSync(folder, { recursive: true })
})

it('every migration from the third on ends with its own name and hash', () => {
  for (const { name, sha256, statements } of migrations.slice(2)) {
    expect(statements.at(-1)?.trim()).toBe(`INSERT INTO migration_hashes VALUES ('${name}', '${sha256}')`)
  }
})

it('the operator’s commands refuse a service whose tables another version made, and no other', async () => {
  let answer = JSON.stringify({ parts: ['log_key', 'tables'] })
  const server = createServer((_, response) => void response.end(answer))
  const { url, close } = await listen(server)
  const target = { url, token: 'none' }
  try {
    await expect(refuseOtherTables(target)).rejects.toThrow(OperatorError)
    await expect(refuseOtherTables(target)).rejects.toThrow(/another version of this project made its database/)
    for (const other of [JSON.stringify({ parts: ['log_key'] }), '{}', '<html>Bad gateway</html>']) {
      answer = other
      await refuseOtherTables(target)
    }
  } finally {
    await close()
  }
  // The command itself says that nothing answers.
  await refuseOtherTables(target)
})
