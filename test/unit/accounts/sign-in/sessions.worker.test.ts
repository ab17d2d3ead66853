// How long a session holds, what ends it, and who sees which.
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { cookieOf, HOME, showMe, startPeople, type PeopleService } from './people-service.ts'

const noon = Date.UTC(2026, 10, 20, 12)
const DAY = 86_400_000

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

describe('a session', () => {
  it('is over after a day without use', async () => {
    const people = startPeople()
    const cookie = await people.join()
    vi.setSystemTime(noon + DAY - 1)
    expect((await showMe(people, cookie)).status).toBe(200)
    vi.setSystemTime(noon + 2 * DAY - 1)
    expect((await showMe(people, cookie)).status).toBe(401)
  })

  it('is over once signed out of, also where nobody is signed in', async () => {
    const people = startPeople()
    const cookie = await people.join()
    const response = await people.send('POST', '/logout', { cookie })
    expect(response.status).toBe(204)
    expect(response.headers.get('clear-site-data')).toBe('"cache", "storage"')
    expect(response.headers.get('set-cookie')).toMatch(/^__Host-session=; Max-Age=0; Path=\/; Secure/)
    expect((await showMe(people, cookie)).status).toBe(401)
    expect((await people.send('POST', '/logout', { cookie })).status).toBe(204)
    expect((await people.send('POST', '/logout')).status).toBe(204)
  })

  it('is over everywhere at once, for this person and no other', async () => {
    const people = startPeople()
    const other = await people.join({ email: 'bob@example.org', name: 'Bob Example' })
    const first = await people.join()
    const second = cookieOf(await people.logIn())
    expect((await people.send('POST', '/logout-everywhere', { cookie: second })).status).toBe(204)
    expect((await showMe(people, first)).status).toBe(401)
    expect((await showMe(people, second)).status).toBe(401)
    expect((await showMe(people, other)).status).toBe(200)
  })
})

type Listed = { data: { id: string; current: boolean; method: string }[]; next_cursor: string | null }

describe('the list of one’s sessions', () => {
  const list = async (people: PeopleService, cookie: string, query = '') =>
    (await people.send('GET', `/sessions${query}`, { cookie })).json<Listed>()

  it('has one’s own, newest first, by page, and says which one asks', async () => {
    const people = startPeople()
    await people.join({ email: 'bob@example.org', name: 'Bob Example' })
    const first = await people.join()
    vi.setSystemTime(noon + 1)
    await people.logIn()
    const page = await list(people, first, '?limit=1')
    expect(page).toMatchObject({ object: 'list', has_more: true, data: [{ method: 'password', current: false }] })
    const rest = await list(people, first, `?cursor=${page.next_cursor}`)
    expect(rest).toMatchObject({ has_more: false, data: [{ object: 'session', current: true }] })
    expect(JSON.stringify(rest)).not.toContain(HOME)
  })

  it('ends one of them, and none of somebody else', async () => {
    const people = startPeople()
    const other = await people.join({ email: 'bob@example.org', name: 'Bob Example' })
    const mine = await people.join()
    const [theirs] = (await list(people, other)).data
    expect((await people.send('DELETE', `/sessions/${theirs?.id}`, { cookie: mine })).status).toBe(404)
    expect((await showMe(people, other)).status).toBe(200)
    const [own] = (await list(people, mine)).data
    expect((await people.send('DELETE', `/sessions/${own?.id}`, { cookie: mine })).status).toBe(204)
    expect((await showMe(people, mine)).status).toBe(401)
  })
})

it('an identity provider that is not set up any more is named still, where they came by it', async () => {
  const people = startPeople()
  const cookie = await people.join()
  await env.DB.batch([
    env.DB.prepare(
      `INSERT INTO identities (issuer, subject, person_id, provider, email, linked_at)
       SELECT 'https://former.example', 'subject', id, 'former', email, 1 FROM people`,
    ),
    env.DB.prepare("UPDATE sessions SET method = 'former'"),
  ])
  expect(await (await people.send('GET', '/providers')).json()).toMatchObject({ data: [] })
  expect(await (await showMe(people, cookie)).json()).toMatchObject({ methods: ['password', 'former'] })
  expect(await (await people.send('GET', '/sessions', { cookie })).json()).toMatchObject({
    data: [{ method: 'former' }],
  })
})

it('who am I tells of the account’s erasure, until it is cancelled', async () => {
  const people = startPeople()
  const before = await people.join()
  expect(await (await showMe(people, before)).json()).toMatchObject({ erasure: null })
  const { id, due_at } = await (
    await people.send('POST', '/erasure', { cookie: before })
  ).json<Record<string, string>>()
  const cookie = cookieOf(await people.logIn())
  expect(await (await showMe(people, cookie)).json()).toMatchObject({ erasure: { id, due_at } })
  await people.send('DELETE', '/erasure', { cookie })
  expect(await (await showMe(people, cookie)).json()).toMatchObject({ erasure: null })
})

it('of more than a hundred sessions the oldest end', async () => {
  const people = startPeople()
  const first = await people.join()
  for (let n = 1; n < 100; n += 1) {
    vi.setSystemTime(noon + n)
    expect((await people.logIn()).status).toBe(200)
  }
  expect((await showMe(people, first)).status).toBe(200)
  vi.setSystemTime(noon + 100)
  await people.logIn()
  expect((await showMe(people, first)).status).toBe(401)
})

it('no page of another origin may load who somebody is, or that nobody is, and nothing on the way keeps it', async () => {
  const people = startPeople()
  const cookie = await people.join()
  for (const response of [await showMe(people, cookie), await showMe(people, ''), await people.send('PUT', '/me')]) {
    expect(response.headers.get('cross-origin-resource-policy')).toBe('same-origin')
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
    expect([response.headers.get('cache-control'), response.headers.get('vary')]).toEqual(['no-store', 'cookie'])
  }
})

it('HEAD is asked for no origin, as GET is not', async () => {
  const people = startPeople()
  const cookie = await people.join()
  expect((await people.send('HEAD', '/me', { cookie, headers: { origin: '' } })).status).toBe(200)
})
