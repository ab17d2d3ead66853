// An applied migration is never edited: its hash is in data/migrations.json, in the database and in the Worker, and who compares
// them refuses another text. Local storage is compared in start-faults.release.test.ts, the Worker's in health.routes.worker.test.ts.
import { createServer } from 'node:http'
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

it('every migration from the third on ends with its own name and hash', () => {
  for (const { name, sha256, statements } of migrations.slice(2)) {
    expect(statements.at(-1)?.trim()).toBe(`INSERT INTO migration_hashes VALUES ('${name}', '${sha256}')`)
  }
})

it('the operator’s commands refuse a service whose tables another version made, and no other', async () => {
  let parts: string[] | null = ['log_key', 'tables']
  const server = createServer((_, response) => void response.end(JSON.stringify({ parts })))
  const { url, close } = await listen(server)
  const target = { url, token: 'none' }
  try {
    await expect(refuseOtherTables(target)).rejects.toThrow(OperatorError)
    await expect(refuseOtherTables(target)).rejects.toThrow(/another version of this project made its database/)
    parts = ['log_key']
    await refuseOtherTables(target)
    parts = null
    await refuseOtherTables(target)
  } finally {
    await close()
  }
  // The command itself says that nothing answers.
  await refuseOtherTables(target)
})
