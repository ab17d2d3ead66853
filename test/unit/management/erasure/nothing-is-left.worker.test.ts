// Everything that an erasure deletes, and in which order: content as well as the ledger's details.
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { RETAINED_TABLES } from '../../../../src/organisation/erasure/erase-tables.ts'
import { DataKeysStore } from '../../../../src/organisation/journal/data-keys.store.ts'
import { Organisation } from '../../../../src/organisation/organisation.do.ts'
import { bucketWith } from '../../../support/unit/bucket-with.ts'
import { noon } from '../../organisation/chat-organisation.ts'
import { foundErasable, MARK, type Erasable } from './erasable.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

/** The tables that may have rows afterwards: hashes, positions, and what became of the organisation. */
const MAY_STAY = ['entries', 'erased', 'erasure', 'progress', 'schema_steps', 'snapshots', 'tile_levels']

const liveKeys = (organisation: Erasable) =>
  organisation.query('SELECT purpose FROM data_keys WHERE key IS NOT NULL ORDER BY purpose')

async function withBothKeys(): Promise<Erasable> {
  const organisation = await foundErasable()
  await organisation.inStorage(({ sql }) => {
    for (const purpose of ['ledger', 'content'] as const) new DataKeysStore(sql, purpose).current()
  })
  expect(await liveKeys(organisation)).toEqual([{ purpose: 'content' }, { purpose: 'ledger' }])
  return organisation
}

const objectOf = ({ id }: Erasable) => env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(id))

/** One alarm of an instance that has this bucket. */
const runWith = (organisation: Erasable, bucket: R2Bucket) =>
  runInDurableObject(objectOf(organisation), (_, state) => new Organisation(state, { ...env, FILES: bucket }).alarm())

it('no data key is left while the bucket fails, neither of the ledger nor of content', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const organisation = await withBothKeys()
  await env.FILES.put(`content/${await organisation.objectId()}/20000/1`, MARK)
  await organisation.request({ immediately: true })
  const failing = vi.fn<() => Promise<never>>(() => Promise.reject(new Error('no bucket')))
  await runWith(organisation, bucketWith({ list: failing, delete: failing }))
  expect(failing).toHaveBeenCalled()
  expect(await liveKeys(organisation)).toEqual([])
  await organisation.evict()
  await organisation.wakeUntilDone()
})

it('content that arrives while it runs is found by the last look, and goes', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const organisation = await withBothKeys()
  const prefix = `content/${await organisation.objectId()}/`
  await organisation.request({ immediately: true })
  let isLate = true
  const late = bucketWith({
    list: async (options) => {
      const found = await env.FILES.list(options)
      // After the deletions have found nothing, and before the last look.
      if (isLate && options?.prefix === prefix) await env.FILES.put(`${prefix}20000/1`, MARK)
      isLate &&= options?.prefix !== prefix
      return found
    },
  })
  await runWith(organisation, late)
  expect(isLate).toBe(false)
  expect((await organisation.query('SELECT state FROM erasure'))[0]).toEqual({ state: 'running' })
  await organisation.evict()
  await organisation.wakeUntilDone()
  expect((await env.FILES.list({ prefix })).objects).toEqual([])
  expect((await organisation.query('SELECT state FROM erasure'))[0]).toEqual({ state: 'completed' })
})

it('every table that does not stay is empty', async () => {
  const organisation = await withBothKeys()
  await organisation.issueKey()
  await organisation.query(
    `INSERT INTO cache_entries VALUES (randomblob(32), '${MARK}', ${noon + 1000}, '${MARK}', '${MARK}', '${MARK}')`,
  )
  await organisation.query(`INSERT INTO member_rights VALUES ('usr_1', 0, NULL, ${noon})`)
  await organisation.request({ immediately: true })
  await organisation.wakeUntilDone()
  const filled = await organisation.inStorage(({ sql }) => {
    const tables = sql.exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'").toArray()
    const own = tables.map(({ name }) => name).filter((name) => /^[a-z]/.test(name) && !name.startsWith('sqlite_'))
    return own.filter((name) => sql.exec(`SELECT 1 FROM "${name}" LIMIT 1`).toArray().length > 0)
  })
  expect(filled.filter((name) => !MAY_STAY.includes(name))).toEqual([])
  // Tables that this organisation never filled, too.
  expect([...RETAINED_TABLES].toSorted()).toEqual(MAY_STAY)
})
