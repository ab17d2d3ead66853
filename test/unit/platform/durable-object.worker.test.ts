// An object's database takes each step of its migrations once, also a step that a later release adds.
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it, vi } from 'vitest'
import type { Organisation } from '../../../src/organisation/organisation.do.ts'
import type { PublicLogIndex } from '../../../src/public-log/public-log-index.do.ts'
import type { PublicLog } from '../../../src/public-log/public-log.do.ts'
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

const LATER = 'INSERT INTO schema_steps (step) VALUES (99)'
const RELEASE_NAMED = /^A newer release wrote this object: it has taken \d+ steps, and this release knows \d+\.$/

it('refuses every call where a newer release has taken steps, changes nothing, and keeps the alarm for that release', async () => {
  const act = { actor: 'operator', act: 'key.list', requestId: 'req_1', content: {} } as const
  await object().log.recordAct(act)
  const count = () => inStorage(({ sql }) => sql.exec<{ n: number }>('SELECT COUNT(*) AS n FROM entries').one().n)
  const before = await count()
  await inStorage(({ sql }) => void sql.exec(LATER))
  await inStorage((storage) => storage.setAlarm(Date.now() + 60_000))
  await evictDurableObject(object())
  await runInDurableObject(object(), (organisation: Organisation) => {
    expect(() => organisation.log).toThrow(RELEASE_NAMED)
    expect(() => organisation.noteChatCost(0, 1)).toThrow(RELEASE_NAMED)
  })
  const logged = vi.spyOn(console, 'error').mockReturnValue()
  expect(await runDurableObjectAlarm(object())).toBe(true)
  expect(JSON.parse(String(logged.mock.lastCall?.[0]))).toMatchObject({
    outcome: 'object_is_newer',
    remedy: expect.stringContaining('Deploy that release again') as string,
  })
  expect(await inStorage((storage) => storage.getAlarm())).toBeGreaterThan(Date.now())
  await inStorage(({ sql }) => void sql.exec('DELETE FROM schema_steps WHERE step = 99'))
  await evictDurableObject(object())
  await object().log.recordAct(act)
  expect(await count()).toBe(before + 1)
})

it('refuses calls of the public log and of its index too', async () => {
  const log = env.PUBLIC_LOG.getByName('of-a-newer-release')
  const shard = env.PUBLIC_LOG_INDEX.getByName('of-a-newer-release')
  const makeNewer = (_: unknown, { storage }: DurableObjectState) => void storage.sql.exec(LATER)
  await runInDurableObject(log, makeNewer)
  await runInDurableObject(shard, makeNewer)
  await evictDurableObject(log)
  await evictDurableObject(shard)
  await runInDurableObject(log, (writer: PublicLog) => {
    expect(() => writer.appendReceipts({ source: 'a', after: -1, receipts: [] })).toThrow(RELEASE_NAMED)
    expect(() => writer.checkTiles({ from: null, act: 'compare' })).toThrow(RELEASE_NAMED)
  })
  await runInDurableObject(shard, (index: PublicLogIndex) => {
    expect(() => index.findPosition(new Uint8Array(16))).toThrow(RELEASE_NAMED)
  })
})
