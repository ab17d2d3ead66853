// A person's own erasure: asked for, cancelled by signing in again, and done by the daily job, after which nothing of the
// person is in D1 but the erasure's row.
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { PeopleStore } from '../../../../src/accounts/people/people.store.ts'
import { SessionsStore } from '../../../../src/accounts/people/sessions.store.ts'
import type { Mail, Mailer } from '../../../../src/platform/mail.ts'
import { createPersonErasureService } from '../../../../src/management/erasure/person-erasure.service.ts'
import { organisationOpener } from '../../../../src/organisation/organisation-client.ts'
import { AccountRowsStore, ErasuresStore } from '../../../../src/organisation/erasure/erasures.store.ts'
import { noon } from '../../organisation/chat-organisation.ts'
import {
  asPerson,
  dailyJob,
  DAY_MS,
  dumpD1,
  foundErasable,
  invite,
  join,
  MARK,
  ORIGIN,
  signedIn,
  signIn,
  type Person,
} from './erasable.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const PATH = '/api/auth/erasure'
const refused = (status: number, code: string) => ({ status, body: { error: { code } } })

/** Rows of D1 that have the person's id in them, by table. */
async function tablesWith(id: string): Promise<string[]> {
  const tables = JSON.parse(await dumpD1()) as [string, object[]][]
  return tables.filter(([, rows]) => JSON.stringify(rows).includes(id)).map(([name]) => name)
}

async function expectNothingLeft({ id, email }: Person): Promise<void> {
  expect(await dumpD1()).not.toContain(email)
  expect(await tablesWith(id)).toEqual(['erasures'])
}

describe('asking for it', () => {
  it('ends all sessions at once, and needs a new sign-in to be seen or cancelled', async () => {
    const person = await signedIn()
    const elsewhere = { token: await signIn(person.id) }
    const asked = await asPerson(person, 'POST', PATH)
    expect(asked).toMatchObject({ status: 202, body: { status: 'scheduled' } })
    expect(asked.body['due_at']).toBe(new Date(noon + 7 * DAY_MS).toISOString())
    expect(asked.headers.get('set-cookie')).toMatch(/^__Host-session=;.*Max-Age=0/)
    for (const one of [person, elsewhere]) {
      expect(await asPerson(one, 'GET', PATH)).toMatchObject(refused(401, 'session_required'))
    }
    const again = { token: await signIn(person.id) }
    expect((await asPerson(again, 'GET', PATH)).body).toEqual(asked.body)
    expect((await asPerson(again, 'POST', PATH)).body).toEqual(asked.body)
  })

  it('needs a fresh sign-in', async () => {
    const person = await signedIn()
    vi.setSystemTime(noon + 15 * 60_000)
    expect(await asPerson(person, 'POST', PATH)).toMatchObject(refused(401, 'fresh_sign_in_required'))
  })

  it('is told to the person by mail, once', async () => {
    const person = await signedIn()
    const mails: Mail[] = []
    const send = vi.fn<Mailer['send']>((mail) => Promise.resolve(mails.push(mail) > 0 ? 'sent' : 'failed'))
    const service = createPersonErasureService({
      erasures: new ErasuresStore(env.DB),
      registered: new AccountRowsStore(env.DB),
      sessions: new SessionsStore(env.DB),
      people: new PeopleStore(env.DB),
      open: organisationOpener(env.ORGANISATIONS, false),
      mailer: { sends: true, send },
      clock: Date.now,
    })
    const told: Promise<unknown>[] = []
    const asking = { personId: person.id, origin: ORIGIN, later: (work: Promise<unknown>) => void told.push(work) }
    for (let time = 0; time < 2; time += 1) await service.request(asking)
    await Promise.all(told)
    expect(mails).toMatchObject([
      { to: person.email, text: expect.stringContaining(`${ORIGIN}/app/account`) as string },
    ])
    expect(mails[0]?.text).not.toContain(MARK)
  })

  it('is not for the only owner of an organisation, until there is another or it is to be erased too', async () => {
    const organisation = await foundErasable()
    const { owner } = organisation
    expect(await asPerson(owner, 'POST', PATH)).toMatchObject(refused(409, 'conflict'))
    expect((await asPerson(owner, 'GET', PATH)).status).toBe(404)
    await organisation.request()
    expect((await asPerson(owner, 'POST', PATH)).status).toBe(202)

    const other = await foundErasable()
    await join(other.id, await signedIn(), 'admin')
    expect(await asPerson(other.owner, 'POST', PATH)).toMatchObject(refused(409, 'conflict'))
    await join(other.id, await signedIn(), 'owner')
    expect((await asPerson(other.owner, 'POST', PATH)).status).toBe(202)
  })
})

describe('cancelling it', () => {
  it('keeps the person, and can be followed by another', async () => {
    const person = await signedIn()
    const { body } = await asPerson(person, 'POST', PATH)
    const again = { token: await signIn(person.id) }
    expect(await asPerson(again, 'DELETE', PATH)).toMatchObject({ status: 200, body: { ...body, status: 'cancelled' } })
    expect(await dailyJob(8)).toMatchObject({ erased: 0 })
    expect(await dumpD1()).toContain(person.email)
    const later = { token: await signIn(person.id) }
    expect((await asPerson(later, 'POST', PATH)).body['id']).not.toBe(body['id'])
  })

  it('is too late once it has begun', async () => {
    const person = await signedIn()
    await asPerson(person, 'POST', PATH)
    const again = { token: await signIn(person.id) }
    await env.DB.prepare("UPDATE erasures SET state = 'running'").run()
    expect(await asPerson(again, 'DELETE', PATH)).toMatchObject(refused(409, 'conflict'))
  })
})

/** A member of one organisation who has invited others, has asked for a tier, is invited elsewhere, and has asked to be erased. */
async function leaving() {
  const organisation = await foundErasable()
  const person = await signedIn()
  const guest = await signedIn()
  await join(organisation.id, person, 'developer')
  await join(organisation.id, guest, 'developer')
  await env.DB.prepare('UPDATE members SET invited_by = ? WHERE person_id = ?').bind(person.id, guest.id).run()
  await env.DB.prepare(
    "UPDATE organisations SET (asked_tier, tier_asked_at, tier_asked_by) = ('pro', 1, ?) WHERE id = ?",
  )
    .bind(person.id, organisation.id)
    .run()
  await invite(organisation.id, 'somebody@elsewhere.example', person.id)
  const elsewhere = await foundErasable()
  await invite(elsewhere.id, person.email, elsewhere.owner.id)
  await env.DB.prepare(
    `INSERT INTO mail_links (token_hash, purpose, email, email_key, payload, created_at, expires_at)
     VALUES (randomblob(32), 'reset', ?1, ?1, '{}', 1, 2)`,
  )
    .bind(person.email)
    .run()
  expect((await asPerson(person, 'POST', PATH)).status).toBe(202)
  return { person, organisation, guest, elsewhere }
}

describe('the daily job', () => {
  it('erases who is due, and nobody before', async () => {
    const { person, organisation, guest, elsewhere } = await leaving()
    expect(await dailyJob(6.9)).toMatchObject({ erased: 0 })
    expect(await dumpD1()).toContain(person.email)
    expect(await dailyJob(7)).toMatchObject({ erased: 1 })
    await expectNothingLeft(person)
    expect(await dailyJob(8)).toMatchObject({ erased: 0 })
    const left = await dumpD1()
    for (const one of [organisation.owner, guest, elsewhere.owner]) expect(left).toContain(one.email)
  })

  it('ends their keys, and says in the organisation’s ledger that a member was erased, by ids', async () => {
    const { person, organisation } = await leaving()
    const key = await organisation.issueKey()
    await organisation.query(`UPDATE keys SET created_by = '${person.id}' WHERE id = '${key.keyId}'`)
    await organisation.evict()
    await dailyJob(7)
    const acts = (await organisation.entries()).filter(({ kind }) => kind === 'member_act')
    expect(acts).toMatchObject([
      { act: 'key.revoke', actor: person.id, key_ids: [key.keyId] },
      { act: 'member.erase', actor: person.id, member_id: person.id },
    ])
    expect(JSON.stringify(acts)).not.toContain(person.email)
    expect(await organisation.admit(key)).toMatchObject({ outcome: 'invalid_api_key', why: 'revoked' })
  })

  it.each<[string, () => void]>([
    ['after it has begun', () => failOnce(SessionsStore.prototype, 'listMemberships')],
    ['before the person goes', () => failOnce(AccountRowsStore.prototype, 'erasePerson')],
    ['when the person is gone', () => failOnce(ErasuresStore.prototype, 'completePerson')],
  ])('goes on where it was cut off: %s', async (_, cutOff) => {
    const { person } = await leaving()
    vi.setSystemTime(noon + 1)
    const other = await signedIn()
    await asPerson(other, 'POST', PATH)
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    cutOff()
    expect(await dailyJob(8)).toEqual({ erased: 1, not_erased: 0, failed: 1 })
    await expectNothingLeft(other)
    expect(await dailyJob(8)).toMatchObject({ erased: 1 })
    await expectNothingLeft(person)
    const operator = env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName('operator'))
    const told = (await operator.erasure.listErased(10, undefined)).map(({ subject }) => subject)
    expect(told.toSorted()).toEqual([person.id, other.id].toSorted())
  })

  it('says it again where it was cut off, as the same act', async () => {
    const { person, organisation } = await leaving()
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    failOnce(AccountRowsStore.prototype, 'erasePerson')
    await dailyJob(7)
    await dailyJob(8)
    const acts = (await organisation.entries()).filter(({ act }) => act === 'member.erase')
    expect(acts.map(({ member_id: member }) => member)).toEqual([person.id, person.id])
    expect(acts[0]?.['act_id']).toMatch(/^era_/)
    expect(acts[1]?.['act_id']).toBe(acts[0]?.['act_id'])
  })

  it('does not wait for an organisation that is being erased itself', async () => {
    const { person, organisation } = await leaving()
    await organisation.request({ immediately: true })
    await organisation.query('UPDATE erasure SET is_sealed = 1')
    await organisation.evict()
    expect(await dailyJob(7)).toEqual({ erased: 1, not_erased: 0, failed: 0 })
    await expectNothingLeft(person)
  })

  it('erases many in one run', async () => {
    const people = []
    for (let n = 0; n < 60; n += 1) people.push(await signedIn())
    for (const person of people) await asPerson(person, 'POST', PATH)
    expect(await dailyJob(7)).toMatchObject({ erased: 60 })
    for (const person of people.slice(0, 3)) await expectNothingLeft(person)
  })

  it('does not leave an organisation without an owner: the last of two waits until there is another', async () => {
    const { id, owner } = await foundErasable()
    const second = await signedIn()
    await join(id, second, 'owner')
    for (const one of [owner, second]) expect((await asPerson(one, 'POST', PATH)).status).toBe(202)
    expect(await dailyJob(7)).toEqual({ erased: 1, not_erased: 1, failed: 0 })
    const owners = async () =>
      (await env.DB.prepare("SELECT person_id FROM members WHERE role = 'owner'").all()).results
    expect(await owners()).toHaveLength(1)
    expect(await dailyJob(8)).toMatchObject({ erased: 0 })
    const third = await signedIn()
    await join(id, third, 'owner')
    expect(await dailyJob(9)).toMatchObject({ erased: 1 })
    expect(await owners()).toEqual([{ person_id: third.id }])
  })

  it('counts on no owner whose own erasure was begun and cut off', async () => {
    const { id, owner } = await foundErasable()
    const second = await signedIn()
    await join(id, second, 'owner')
    for (const one of [owner, second]) expect((await asPerson(one, 'POST', PATH)).status).toBe(202)
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    failOnce(AccountRowsStore.prototype, 'erasePerson')
    expect(await dailyJob(7)).toEqual({ erased: 0, not_erased: 1, failed: 1 })
    expect(await dailyJob(8)).toEqual({ erased: 1, not_erased: 1, failed: 0 })
    const { results } = await env.DB.prepare("SELECT person_id FROM members WHERE role = 'owner'").all()
    expect(results).toHaveLength(1)
  })
})

/** The method fails the next time it is called. */
function failOnce<T extends object>(of: T, method: keyof T & string): void {
  const spy = vi.spyOn(of as Record<string, () => Promise<unknown>>, method)
  spy.mockImplementationOnce(() => Promise.reject(new Error('cut off')))
}
