// The routes of an organisation's webhook: what they take, refuse, show once and never show. And what is exported of notices.
import { runInDurableObject } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openStores } from '../../../src/organisation/organisation-stores.ts'
import { objectOf, receive, signaturesBy, URL_OF_HOOK, type Receiver } from '../notifications/receiver.ts'
import { noon } from '../organisation/chat-organisation.ts'
import { exportJson } from './export/exported.ts'
import { actsOf, manage, type Asker, type Managed } from './managed.ts'

type Wire = Record<string, unknown> & { secret: string; data: Record<string, unknown>[] }
type Failure = { error: { code: string; param?: string; message: string } }

let managed: Managed
let owner: Asker
let receiver: Receiver

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: noon })
  receiver = receive()
  managed = await manage()
  owner = await managed.signIn('owner')
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const path = '/api/notifications'
const ask = async (method: string, to = path, body?: object): Promise<Wire> =>
  (await owner.ask(method, to, body)).json()
const set = (body: object = {}) => ask('PUT', path, { url: URL_OF_HOOK, ...body })

describe('a webhook', () => {
  it('signs its messages with the secret that is shown once, and never shows it again', async () => {
    const { secret } = await set()
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(JSON.stringify(await ask('GET'))).not.toContain('whsec_')
    for (const body of [{ url: URL_OF_HOOK }, {}])
      expect(await ask('PUT', path, { ...body, events: ['loop.detected'] })).toMatchObject({
        events: ['loop.detected'],
        secret: null,
      })
    await ask('POST', `${path}/test`)
    await managed.organisation.runAlarm()
    expect(receiver.received[0] && (await signaturesBy(secret, receiver.received[0]))).toBe(1)
  })

  it('is not changed by nothing', async () => {
    await set({ events: ['loop.detected'] })
    expect(await ask('PUT', path, {})).toMatchObject({ error: { code: 'invalid_request', param: 'events' } })
    expect(await ask('GET')).toMatchObject({ events: ['loop.detected'] })
  })

  it('has its deliveries in pages, newest first', async () => {
    await set()
    const ids: unknown[] = []
    for (let n = 0; n < 5; n += 1) {
      vi.setSystemTime(noon + n)
      ids.unshift((await ask('POST', `${path}/test`))['id'])
    }
    const first = await ask('GET', `${path}/deliveries?limit=3`)
    const second = await ask('GET', `${path}/deliveries?limit=3&cursor=${String(first['next_cursor'])}`)
    expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(ids)
    expect([first['has_more'], second['has_more']]).toEqual([true, false])
  })

  it('that is disabled says why, and takes no test until it is set again', async () => {
    receiver.answer = () => new Response(null, { status: 410 })
    await set()
    await ask('POST', `${path}/test`)
    await managed.organisation.runAlarm()
    const disabled = { state: 'disabled', disabled: { at: new Date(noon).toISOString(), reason: 'gone' } }
    expect(await ask('GET')).toMatchObject(disabled)
    const refused = await owner.ask('POST', `${path}/test`)
    expect([refused.status, (await refused.json<Failure>()).error.code]).toEqual([409, 'conflict'])
    expect(await set()).toMatchObject({ state: 'on', disabled: null, secret: null })
  })

  it('gets another secret where it is rotated', async () => {
    const { secret } = await set()
    const rotated = await ask('POST', `${path}/rotate`)
    expect(rotated).toMatchObject({ state: 'on', previous_secret_until: new Date(noon + 86_400_000).toISOString() })
    expect(rotated.secret).toMatch(/^whsec_/)
    expect(rotated.secret).not.toBe(secret)
  })

  it('leaves an entry of each change, by whom and to which origin', async () => {
    await set()
    await ask('POST', `${path}/rotate`)
    const { id } = await ask('POST', `${path}/test`)
    await ask('DELETE')
    const origin = 'https://hooks.example.org'
    const entries = ['set', 'rotate', 'test', 'remove'].map((verb) => actsOf(managed, `notifications.${verb}`))
    expect(await Promise.all(entries)).toMatchObject([
      [{ actor: owner.id, origin, is_new_secret: true }],
      [{ actor: owner.id, origin }],
      [{ actor: owner.id, origin, message_id: id }],
      [{ actor: owner.id, origin }],
    ])
    const everything = JSON.stringify(await managed.organisation.entries())
    for (const hidden of ['whsec_', 'invented']) expect(everything).not.toContain(hidden)
  })
})

describe('an address', () => {
  it.each([
    ['http://hooks.example.org/', 'Begin with https://'],
    ['https://user:invented@hooks.example.org/', 'Leave out the user name'],
    ['https://127.0.0.1/', 'not an IP address'],
    ['https://0x7f000001/', 'not an IP address'],
    ['https://localhost/', 'public internet'],
    ['http://127.0.0.1:8790/', 'Begin with https://'],
    ['https://hooks.example.org:22/', '443'],
    ['https://private.example.org/', 'public addresses only'],
    ['https://unknown.example.org/', 'looked up'],
  ])('such as %s is refused, and nothing is set', async (url, rule) => {
    receiver.hosts = { ...receiver.hosts, 'private.example.org': ['1.1.1.1', '192.168.0.1'] }
    const refused = await owner.ask('PUT', path, { url })
    const { error } = await refused.json<Failure>()
    expect([refused.status, error.code, error.param]).toEqual([400, 'invalid_request', 'url'])
    expect(error.message).toContain(rule)
    expect(error.message).not.toContain('invented')
    expect(await ask('GET')).toMatchObject({ state: 'off', origin: null })
  })

  it('on this very machine is allowed where a local setting says so', async () => {
    const local = await manage({}, { WEBHOOK_LOOPBACK: 'on' })
    const { ask: askLocal } = await local.signIn('owner')
    expect((await askLocal('PUT', path, { url: 'http://127.0.0.1:8790/' })).status).toBe(200)
    expect((await askLocal('PUT', path, { url: 'http://10.0.0.1/' })).status).toBe(400)
  })
})

it('exports what a person is mailed about, and the mails, and nobody else’s', async () => {
  const admin = await managed.signIn('admin')
  for (const [who, types] of [
    [owner, ['key.expiring']],
    [admin, ['policy.changed']],
  ] as const)
    expect((await who.ask('PUT', '/api/notices', { types })).status).toBe(200)
  const mail = { type: 'key.expiring', count: 2, detail: null, outcome: 'sent' } as const
  await runInDurableObject(objectOf(managed.organisation), (_, { storage }) =>
    openStores(storage.sql, 'object').outbox.members.insertMail(owner.id, { ...mail, sentAt: noon }),
  )
  const { account } = await exportJson(owner)
  const created_at = new Date(noon).toISOString()
  expect(account.filter(({ object }) => object.startsWith('notice'))).toEqual([
    { id: managed.organisation.id, object: 'notices', types: ['key.expiring'] },
    { id: `key.expiring ${created_at}`, object: 'notice_mail', created_at, ...mail },
  ])
})
