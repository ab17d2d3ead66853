// An object's database takes each step of its migrations once, also a step that a later release adds.
import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { ORGANISATION_MIGRATIONS } from '../../../src/organisation/organisation-stores.ts'
import { migrateObject, type MigrationStep } from '../../../src/platform/durable-object.ts'

const object = () => env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName('org_of_migrations'))

const inStorage = <T>(work: (storage: DurableObjectStorage) => T): Promise<T> =>
  runInDurableObject(object(), (_, { storage }) => work(storage))

const migrate = (...later: MigrationStep[]): Promise<void> =>
  inStorage((storage) => migrateObject(storage, [...ORGANISATION_MIGRATIONS, ...later]))

const steps = (): Promise<number> =>
  inStorage(({ sql }) => sql.exec<{ n: number }>('SELECT COUNT(*) AS n FROM schema_steps').one().n)

it('runs a later step once, after the schema of the first release, and keeps the rows', async () => {
  const act = { actor: 'operator', act: 'key.list', requestId: 'req_1', content: {} } as const
  await object().log.recordAct(act)
  await migrate("ALTER TABLE entries ADD COLUMN of_a_later_day TEXT NOT NULL DEFAULT 'later'")
  await evictDurableObject(object())
  await object().log.recordAct(act)
  await migrate("ALTER TABLE entries ADD COLUMN of_a_later_day TEXT NOT NULL DEFAULT 'again'")
  expect(await steps()).toBe(ORGANISATION_MIGRATIONS.length + 1)
  const rows = await inStorage(({ sql }) => sql.exec('SELECT position, of_a_later_day FROM entries').toArray())
  expect(rows).toEqual([0, 1].map((position) => ({ position, of_a_later_day: 'later' })))
})

it('keeps nothing of new steps when one of them fails', async () => {
  const tables = () => inStorage(({ sql }) => sql.exec('SELECT name FROM sqlite_master ORDER BY name').toArray())
  const before = await tables()
  await inStorage((storage) => {
    const migrating = () =>
      migrateObject(storage, [
        ...ORGANISATION_MIGRATIONS,
        'CREATE TABLE later (id INTEGER)',
        () => {
          throw new Error('the step fails')
        },
      ])
    expect(migrating).toThrow('the step fails')
  })
  expect([await tables(), await steps()]).toEqual([before, ORGANISATION_MIGRATIONS.length])
})
