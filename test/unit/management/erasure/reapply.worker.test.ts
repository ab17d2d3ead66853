// After a database was taken back to before an erasure, the operator does it again: whichever it was, once or twice.
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createOperatorErasuresService } from '../../../../src/management/erasure/operator-erasures.service.ts'
import { ErasuresStore } from '../../../../src/organisation/erasure/erasures.store.ts'
import { organisationOpener, type OpenOrganisation } from '../../../../src/organisation/organisation-client.ts'
import { newId } from '../../../../src/platform/ids.ts'
import { noon } from '../../organisation/chat-organisation.ts'
import {
  askFor,
  asPerson,
  dailyJob,
  DAY_MS,
  dumpD1,
  everythingStored,
  foundErasable,
  join,
  MARK,
  signedIn,
  writeMarked,
  type Erasable,
} from './erasable.ts'
import { makeTables } from '../../../support/unit/tables.ts'
import { startService } from '../../../support/unit/service.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

type Shown = { id: string; subject: string; status: string; error?: { code: string } }

const operate = <T = Shown>(method: string, path: string) => startService().operate<T>(method, `/erasures${path}`)
const reapply = (id: unknown) => operate('POST', `/${String(id)}/reapply`)

const TABLES = ['organisations', 'people', 'members', 'erasures']
type Rows = Record<string, SqlStorageValue>[]

/** The rows of D1 as they are, to be put back over what comes to be there. */
async function copyD1(): Promise<() => Promise<void>> {
  const kept: [string, Rows][] = []
  for (const table of TABLES) {
    kept.push([table, (await env.DB.prepare(`SELECT * FROM ${table}`).all<Rows[number]>()).results])
  }
  return async () => {
    for (const table of TABLES.toReversed()) await env.DB.prepare(`DELETE FROM ${table}`).run()
    for (const [table, rows] of kept) {
      for (const row of rows) {
        const columns = Object.keys(row)
        await env.DB.prepare(`INSERT INTO ${table} (${columns.join()}) VALUES (${columns.map(() => '?').join()})`)
          .bind(...Object.values(row))
          .run()
      }
    }
  }
}

/** The object as it was before: the erasure unknown, its rows back. */
async function takeObjectBack(organisation: Erasable): Promise<void> {
  await runInDurableObject(
    env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(organisation.id)),
    async (_, { storage }) => {
      storage.sql.exec('DELETE FROM erasure')
      storage.sql.exec("INSERT INTO data_keys (key, purpose) VALUES (randomblob(32), 'ledger')")
    },
  )
  await organisation.evict()
  await writeMarked(organisation, 5, noon)
}

async function erased(): Promise<{ organisation: Erasable; id: string; putBack: () => Promise<void>; record: string }> {
  const organisation = await foundErasable()
  const putBack = await copyD1()
  const { body } = await organisation.request({ immediately: true })
  await organisation.wakeUntilDone()
  const id = String(body['id'])
  return { organisation, id, putBack, record: await recordOf(id) }
}

const recordOf = async (id: string): Promise<string> => (await startService().fetch(`/v1/erasures/${id}`)).text()

async function expectErasedAgain(organisation: Erasable, id: string, record: string): Promise<void> {
  await organisation.wakeUntilDone()
  expect(await operate('GET', `/${id}`)).toMatchObject({ status: 'completed', subject: organisation.id })
  expect(await recordOf(id)).toBe(record)
  const stored = await everythingStored(organisation)
  expect(stored).not.toContain(MARK)
  expect(stored).not.toContain(organisation.owner.email)
}

describe('an erasure that is done again', () => {
  it('is listed and shown by ids, also where D1 has forgotten it', async () => {
    const { organisation, id, putBack } = await erased()
    await putBack()
    const { data } = await operate<{ data: Shown[] }>('GET', '')
    expect(data).toMatchObject([{ id, object: 'erasure', subject: organisation.id, status: 'completed' }])
    expect((await operate<{ data: Shown[] }>('GET', `?cursor=${id}`)).data).toEqual([])
  })

  it.each<[string, (erasure: Awaited<ReturnType<typeof erased>>) => Promise<unknown>]>([
    ['D1', ({ putBack }) => putBack()],
    ['the object', ({ organisation }) => takeObjectBack(organisation)],
    [
      'both, while an older request is open there',
      async ({ organisation, putBack }) => {
        await putBack()
        await takeObjectBack(organisation)
        await organisation.request()
      },
    ],
  ])('takes out what came back in %s', async (_, comeBack) => {
    const erasure = await erased()
    const { organisation, id, record } = erasure
    await comeBack(erasure)
    expect(await everythingStored(organisation)).toContain(MARK)
    expect(await reapply(id)).toMatchObject({ status: 'running' })
    await expectErasedAgain(organisation, id, record)
  })

  it('is harmless twice, and where nothing came back', async () => {
    const { organisation, id, record } = await erased()
    for (let time = 0; time < 2; time += 1) {
      await reapply(id)
      await reapply(id)
      await expectErasedAgain(organisation, id, record)
    }
    expect((await operate<{ data: Shown[] }>('GET', '')).data).toHaveLength(1)
  })

  it('keeps the record that was signed, also where the object was taken back to the middle of it', async () => {
    const { organisation, id, record } = await erased()
    vi.setSystemTime(noon + DAY_MS)
    await organisation.query("UPDATE erasure SET state = 'running', step = 'details', record = NULL")
    await organisation.evict()
    await reapply(id)
    await expectErasedAgain(organisation, id, record)
  })

  it('has no record to show until it is done, and has not lost it meanwhile', async () => {
    const { organisation, id, record } = await erased()
    await reapply(id)
    expect((await startService().fetch(`/v1/erasures/${id}`)).status).toBe(404)
    expect((await env.DB.prepare('SELECT record FROM erasures').first())?.['record']).toBe(record)
    await expectErasedAgain(organisation, id, record)
  })

  it('goes on where only the object remembers that it was done', async () => {
    const { organisation, id, record } = await erased()
    await env.DB.prepare("UPDATE erasures SET state = 'scheduled', record = NULL").run()
    const operator = env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName('operator'))
    await runInDurableObject(operator, (_, { storage }) => void storage.sql.exec('DELETE FROM erased'))
    await reapply(id)
    await expectErasedAgain(organisation, id, record)
    expect(await operator.erasure.findErased(id)).not.toBeNull()
  })

  it.each(['eu', 'global'] as const)('is of the object in its own jurisdiction alone: %s', async (jurisdiction) => {
    await makeTables()
    const opened: string[] = []
    const real = organisationOpener(env.ORGANISATIONS, false)
    const open: OpenOrganisation = (address) => {
      if (address.id !== 'operator') opened.push(address.jurisdiction)
      return real(address)
    }
    const erasures = new ErasuresStore(env.DB)
    const times = { requestedAt: noon, dueAt: noon }
    const ids = { id: newId('era_', noon), subject: newId('org_', noon), requestedBy: newId('usr_', noon) }
    await erasures.index({ ...ids, ...times, jurisdiction, state: 'running', record: null })
    const service = createOperatorErasuresService({ erasures, people: { erase: () => Promise.resolve(true) }, open })
    await service.reapply(ids.id, 'req_of_a_test')
    expect(opened).toEqual([jurisdiction])
  })

  it('does not leave an organisation without an owner', async () => {
    const { owner, id: organisationId } = await foundErasable()
    const second = await signedIn()
    await join(organisationId, second, 'owner')
    const { body } = await asPerson(owner, 'POST', '/api/auth/erasure')
    const putBack = await copyD1()
    expect(await dailyJob(7)).toMatchObject({ erased: 1 })
    await putBack()
    await env.DB.prepare('DELETE FROM members WHERE person_id = ?').bind(second.id).run()
    expect((await reapply(body['id'])).error?.code).toBe('conflict')
    expect(await dumpD1()).toContain(owner.email)
    await join(organisationId, second, 'owner')
    expect(await reapply(body['id'])).toMatchObject({ status: 'completed', subject: owner.id })
  })

  it('takes a person out again, of whom D1 has forgotten that they asked', async () => {
    const person = await signedIn()
    const putBack = await copyD1()
    const { body } = await asPerson(person, 'POST', '/api/auth/erasure')
    expect(await dailyJob(7)).toMatchObject({ erased: 1 })
    await putBack()
    expect(await dumpD1()).toContain(person.email)
    expect(await reapply(body['id'])).toMatchObject({ status: 'completed', subject: person.id })
    expect(await dumpD1()).not.toContain(person.email)
  })
})

describe('an erasure that was never completed', () => {
  it('stays scheduled, also where the object has forgotten that it was asked for', async () => {
    const organisation = await foundErasable()
    const { body } = await organisation.request()
    await takeObjectBack(organisation)
    expect((await organisation.show()).status).toBe(404)
    for (let time = 0; time < 2; time += 1) expect(await reapply(body['id'])).toMatchObject({ status: 'scheduled' })
    expect((await organisation.show()).body).toEqual(body)
    expect(await organisation.alarmAt()).toBeLessThanOrEqual(noon + 7 * DAY_MS)
    const person = await signedIn()
    const own = await asPerson(person, 'POST', '/api/auth/erasure')
    expect(await reapply(own.body['id'])).toMatchObject({ status: 'scheduled', subject: person.id })
    expect(await dumpD1()).toContain(person.email)
  })

  it('stays cancelled where D1 was taken back to before that', async () => {
    const organisation = await foundErasable()
    const { body } = await organisation.request()
    const putBack = await copyD1()
    await organisation.cancel()
    await putBack()
    vi.setSystemTime(noon + 8 * DAY_MS)
    expect((await reapply(body['id'])).error?.code).toBe('conflict')
    await organisation.runAlarm()
    expect(await operate('GET', `/${String(body['id'])}`)).toMatchObject({ status: 'cancelled' })
    expect(await dumpD1()).toContain(organisation.owner.email)
    const { key } = await organisation.service.createKey({ prefix: 'aqta_' }, organisation.id)
    expect((await askFor(key, '/v1/models')).status).toBe(200)
  })

  it('is not done by the operator once it is cancelled', async () => {
    const organisation = await foundErasable()
    await join(organisation.id, await signedIn(), 'admin')
    const { body } = await organisation.request()
    await organisation.cancel()
    expect((await reapply(body['id'])).error?.code).toBe('conflict')
    expect((await reapply('era_01982f6b-7c50-7a31-8d14-6b2c5e0f9a77')).error?.code).toBe('not_found')
    expect((await reapply('everything')).error?.code).toBe('not_found')
    expect(await dumpD1()).toContain(organisation.owner.email)
  })
})
