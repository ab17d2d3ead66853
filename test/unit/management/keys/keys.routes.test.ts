// Keys as people and programs of an organisation manage them, and what they are refused.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { withKey } from '../../../support/unit/service.ts'
import { noon } from '../../organisation/chat-organisation.ts'
import { foundManaged, ORIGIN, type Asker } from './managed-organisation.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

const MINUTE_MS = 60_000
const at = (ms: number): string => new Date(ms).toISOString()

async function makeKey({ ask }: Asker, body: object = {}) {
  const made = await ask('POST', '', { name: 'A key', ...body })
  if (made.status !== 201) throw new Error(made.body.error.message)
  return made.body
}

const idsOf = async ({ ask }: Asker, path = ''): Promise<string[]> => {
  const { body } = await ask('GET', path)
  return body.data.map(({ id }) => id)
}

describe('a key', () => {
  it('is shown whole when it is made and never again, and works', async () => {
    const { organisation, signIn } = await foundManaged()
    const developer = await signIn('developer')
    const { status, headers, body } = await developer.ask('POST', '', { name: ' Discharge letters ' })
    expect([status, headers.get('cache-control')]).toEqual([201, 'no-store'])
    const { key, ...shown } = body
    expect(shown).toEqual({
      id: expect.stringMatching(/^key_/),
      object: 'api_key',
      created_at: at(noon),
      created_by: developer.id,
      name: 'Discharge letters',
      prefix: 'aqta_',
      last_four: key.slice(-4),
      scopes: ['chat'],
      requests_per_minute: null,
      requests_per_day: null,
      status: 'active',
      last_used_at: null,
      expires_at: null,
      revoked_at: null,
      replaced_by: null,
    })
    expect(key).toMatch(/^aqta_/)
    expect((await developer.ask('GET', `/${shown.id}`)).body).toEqual(shown)
    expect((await organisation.service.fetch('/v1/models', withKey(key))).status).toBe(200)
  })

  it('has the beginning, the limits, the end and the scopes that it was asked for', async () => {
    const owner = await (await foundManaged()).signIn('owner')
    const wanted = {
      prefix: 'sk-aqta-',
      scopes: ['chat', 'manage'],
      requests_per_minute: 3,
      requests_per_day: 30,
      expires_at: at(noon + MINUTE_MS),
    }
    const made = await makeKey(owner, { ...wanted, scopes: ['manage', 'chat', 'manage'] })
    expect(made).toMatchObject(wanted)
    expect(made.key).toMatch(/^sk-aqta-/)
  })

  it('tells when it was used, to a minute, and that it is over', async () => {
    const { organisation, signIn } = await foundManaged()
    const owner = await signIn('owner')
    const { id, key } = await makeKey(owner, { expires_at: at(noon + 200_000) })
    for (const laterMs of [0, 59_999, 60_000, 100_000]) {
      vi.setSystemTime(noon + laterMs)
      await organisation.service.fetch('/v1/models', withKey(key))
    }
    expect((await owner.ask('GET', `/${id}`)).body).toMatchObject({ status: 'active', last_used_at: at(noon + 60_000) })
    vi.setSystemTime(noon + 200_000)
    expect((await organisation.service.fetch('/v1/models', withKey(key))).status).toBe(401)
    expect((await owner.ask('GET', `/${id}`)).body).toMatchObject({
      status: 'expired',
      last_used_at: at(noon + 60_000),
    })
  })

  it('is revoked from the next request on, once and for all', async () => {
    const { organisation, signIn } = await foundManaged()
    const owner = await signIn('owner')
    const { id, key } = await makeKey(owner)
    expect((await owner.ask('DELETE', `/${id}`)).body).toMatchObject({ status: 'revoked', revoked_at: at(noon) })
    expect((await organisation.service.fetch('/v1/models', withKey(key))).status).toBe(401)
    vi.setSystemTime(noon + 1)
    expect(await owner.ask('DELETE', `/${id}`)).toMatchObject({ status: 200, body: { revoked_at: at(noon) } })
    expect(await organisation.query("SELECT position FROM details WHERE kind = 'member_act'")).toHaveLength(2)
  })
})

describe('the list', () => {
  it('has the keys that work, newest first, page by page, and the others where all are asked for', async () => {
    const { organisation, signIn } = await foundManaged()
    const owner = await signIn('owner')
    const made: string[] = []
    for (const body of [{}, { expires_at: at(noon + 10) }, {}, {}]) {
      made.unshift((await makeKey(owner, body)).id)
      vi.setSystemTime(Date.now() + 1)
    }
    const [newest, third, , oldest] = made
    const referral = await organisation.issueKey({ prefix: 'vk_test_' })
    vi.setSystemTime(noon + 10)
    await owner.ask('DELETE', `/${newest}`)
    expect(await idsOf(owner)).toEqual([referral.id, third, oldest])
    expect(await idsOf(owner, '?status=all')).toEqual([referral.id, ...made])
    const { body: first } = await owner.ask('GET', '?limit=2')
    expect(first).toMatchObject({ object: 'list', has_more: true, next_cursor: third })
    const { body: second } = await owner.ask('GET', `?limit=2&cursor=${first.next_cursor}`)
    expect(second).toMatchObject({ data: [{ id: oldest }], has_more: false, next_cursor: null })
  })

  it('is read by those who may, and by nobody else', async () => {
    const { signIn, automate } = await foundManaged()
    for (const role of ['owner', 'admin', 'developer', 'auditor'] as const)
      expect((await (await signIn(role)).ask('GET', '')).status, role).toBe(200)
    expect((await (await automate()).ask('GET', '')).status).toBe(200)
    expect(await (await signIn('clinician')).ask('GET', '')).toMatchObject({
      status: 403,
      body: { error: { code: 'role_required' } },
    })
    expect(await (await automate({ scopes: ['chat'] })).ask('GET', '')).toMatchObject({
      status: 403,
      body: { error: { code: 'scope_required' } },
    })
  })
})

describe('a change', () => {
  it('is of what is named and nothing else, and takes limits and ends away by null', async () => {
    const owner = await (await foundManaged()).signIn('owner')
    const { id } = await makeKey(owner, { requests_per_minute: 3, expires_at: at(noon + 5) })
    expect((await owner.ask('PATCH', `/${id}`, { name: 'Another', requests_per_day: 9 })).body).toMatchObject({
      name: 'Another',
      requests_per_minute: 3,
      requests_per_day: 9,
      expires_at: at(noon + 5),
    })
    const freed = await owner.ask('PATCH', `/${id}`, { requests_per_minute: null, expires_at: null })
    expect(freed.body).toMatchObject({ requests_per_minute: null, requests_per_day: 9, expires_at: null })
  })

  it('that changes nothing is no entry', async () => {
    const { organisation, signIn } = await foundManaged()
    const owner = await signIn('owner')
    const { id } = await makeKey(owner)
    const entries = (await organisation.entries()).length
    expect((await owner.ask('PATCH', `/${id}`, { name: 'A key', expires_at: null })).status).toBe(200)
    expect((await owner.ask('PATCH', `/${id}`, {})).status).toBe(200)
    expect(await organisation.entries()).toHaveLength(entries)
  })
})

describe('rotation', () => {
  it('makes a key like the old one, which works until the overlap is over', async () => {
    const { organisation, signIn } = await foundManaged()
    const owner = await signIn('owner')
    const old = await makeKey(owner, { prefix: 'sk-aqta-', requests_per_minute: 3 })
    const { status, body: made } = await owner.ask('POST', `/${old.id}/rotate`, { overlap_seconds: 60 })
    expect([status, made]).toMatchObject([201, { prefix: 'sk-aqta-', requests_per_minute: 3, name: 'A key' }])
    expect((await owner.ask('GET', `/${old.id}`)).body).toMatchObject({
      status: 'active',
      expires_at: at(noon + 60_000),
      replaced_by: made.id,
    })
    const answers = async () =>
      await Promise.all(
        [old.key, made.key].map(async (key) => (await organisation.service.fetch('/v1/models', withKey(key))).status),
      )
    vi.setSystemTime(noon + 59_999)
    expect(await answers()).toEqual([200, 200])
    vi.setSystemTime(noon + 60_000)
    expect(await answers()).toEqual([401, 200])
  })

  it('overlaps by a day where it does not say, and ends the old key at once for 0', async () => {
    const owner = await (await foundManaged()).signIn('owner')
    const { id } = await makeKey(owner)
    const { body: second } = await owner.ask('POST', `/${id}/rotate`, {})
    expect((await owner.ask('GET', `/${id}`)).body.expires_at).toBe(at(noon + 86_400_000))
    await owner.ask('POST', `/${second.id}/rotate`, { overlap_seconds: 0 })
    expect((await owner.ask('GET', `/${second.id}`)).body).toMatchObject({ status: 'expired', expires_at: at(noon) })
  })

  it('twice at once makes one key', async () => {
    const owner = await (await foundManaged()).signIn('owner')
    const { id } = await makeKey(owner)
    const rotate = () => owner.ask('POST', `/${id}/rotate`, {})
    const answers = await Promise.all([rotate(), rotate(), rotate()])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409])
    const made = answers.find(({ status }) => status === 201)?.body.id
    for (const { status, body } of answers) if (status === 409) expect(body.error.message).toContain(made)
    expect(await idsOf(owner)).toHaveLength(2)
  })
})

describe('refused', () => {
  it.each<[string, object, string]>([
    ['without a name', {}, 'name'],
    ['of the referral service', { name: 'A key', prefix: 'vk_test_' }, 'prefix'],
    ['with a scope of the referral service', { name: 'A key', scopes: ['referral:read'] }, 'scopes[0]'],
    ['without a scope', { name: 'A key', scopes: [] }, 'scopes'],
    ['that is over', { name: 'A key', expires_at: at(noon) }, 'expires_at'],
    ['above the rate of its organisation', { name: 'A key', requests_per_minute: 1001 }, 'requests_per_minute'],
    ['above the month of its organisation', { name: 'A key', requests_per_day: 1_000_001 }, 'requests_per_day'],
    ['with a member that there is not', { name: 'A key', created_by: 'operator' }, 'created_by'],
  ])('is a key %s', async (_, body, path) => {
    const { organisation, signIn } = await foundManaged()
    const { status, body: refused } = await (await signIn('owner')).ask('POST', '', body)
    expect([status, refused.error]).toMatchObject([400, { code: 'invalid_request', fields: [{ path }] }])
    expect(await organisation.query('SELECT id FROM keys')).toEqual([])
  })

  it.each<[string, object, number]>([
    ['scopes', { scopes: ['chat', 'manage'] }, 400],
    ['a limit above the plan', { requests_per_minute: 1001 }, 400],
    ['an end that is over', { expires_at: at(noon) }, 400],
  ])('is a change of %s', async (_, change, status) => {
    const owner = await (await foundManaged()).signIn('owner')
    const { id } = await makeKey(owner)
    expect((await owner.ask('PATCH', `/${id}`, change)).status).toBe(status)
  })

  it.each([-1, 2_592_001, 0.5])('is an overlap of %s seconds', async (seconds) => {
    const owner = await (await foundManaged()).signIn('owner')
    const { id } = await makeKey(owner)
    expect((await owner.ask('POST', `/${id}/rotate`, { overlap_seconds: seconds })).status).toBe(400)
  })

  it.each(['revoked', 'expired'])('are a change and a rotation of a key that is %s', async (how) => {
    const owner = await (await foundManaged()).signIn('owner')
    const { id } = await makeKey(owner, { expires_at: at(noon + 5) })
    if (how === 'revoked') await owner.ask('DELETE', `/${id}`)
    else vi.setSystemTime(noon + 5)
    const conflict = { status: 409, body: { error: { code: 'conflict' } } }
    expect(await owner.ask('PATCH', `/${id}`, { expires_at: null })).toMatchObject(conflict)
    expect(await owner.ask('POST', `/${id}/rotate`, {})).toMatchObject(conflict)
  })

  it('are ids of nothing and of another organisation, alike', async () => {
    const other = await (await foundManaged()).signIn('owner')
    const { id: others } = await makeKey(other)
    const { signIn, automate } = await foundManaged()
    const gone = 'key_0198f3a0-5b7e-7c41-9d1e-2f6a8c0b4d11'
    for (const asker of [await signIn('owner'), await automate()]) {
      for (const id of [others, gone, 'key_x', 'KEY', '%00']) {
        const answers = [
          await asker.ask('GET', `/${id}`),
          await asker.ask('PATCH', `/${id}`, { name: 'Mine' }),
          await asker.ask('POST', `/${id}/rotate`, {}),
          await asker.ask('DELETE', `/${id}`),
        ]
        expect(
          answers.map(({ status }) => status),
          id,
        ).toEqual([404, 404, 404, 404])
      }
    }
    expect((await other.ask('GET', `/${others}`)).body).toMatchObject({ status: 'active', name: 'A key' })
  })

  it('is a developer who touches what others made, and nobody else’s look at it', async () => {
    const { signIn } = await foundManaged()
    const { id } = await makeKey(await signIn('owner'))
    const developer = await signIn('developer')
    for (const [method, path, body] of [
      ['PATCH', `/${id}`, { name: 'Mine' }],
      ['POST', `/${id}/rotate`, {}],
      ['DELETE', `/${id}`, undefined],
    ] as const) {
      expect(await developer.ask(method, path, body)).toMatchObject({
        status: 403,
        body: { error: { code: 'role_required' } },
      })
    }
    expect((await developer.ask('GET', `/${id}`)).body).toMatchObject({ status: 'active', name: 'A key' })
  })

  it('is a key that manages, to whoever may not make one or has not just signed in', async () => {
    const { signIn, automate } = await foundManaged()
    const wanted = { name: 'A key', scopes: ['manage'] }
    const codes = await Promise.all(
      [
        await signIn('owner', noon - 15 * MINUTE_MS),
        await signIn('admin', noon - 15 * MINUTE_MS),
        await signIn('developer'),
        await automate(),
      ].map(async ({ ask }) => (await ask('POST', '', wanted)).body.error.code),
    )
    expect(codes).toEqual(['fresh_sign_in_required', 'fresh_sign_in_required', 'role_required', 'role_required'])
    expect((await (await signIn('admin')).ask('POST', '', wanted)).status).toBe(201)
  })

  it('is a key that makes another with what it may not do itself, or touches one that manages, itself included', async () => {
    const { organisation, signIn, automate } = await foundManaged()
    const { id: chats } = await makeKey(await signIn('owner'))
    const manager = await automate({ scopes: ['manage'] })
    const codeOf = async (...[method, path, body]: Parameters<Asker['ask']>) =>
      (await manager.ask(method, path, body)).body.error.code
    expect(await codeOf('POST', '', { name: 'A key', scopes: ['chat'] })).toBe('scope_required')
    expect(await codeOf('POST', `/${chats}/rotate`, {})).toBe('scope_required')
    expect(await codeOf('POST', `/${manager.id}/rotate`, {})).toBe('role_required')
    expect(await codeOf('PATCH', `/${manager.id}`, { expires_at: null })).toBe('role_required')
    expect(await codeOf('DELETE', `/${manager.id}`)).toBe('role_required')
    expect((await manager.ask('DELETE', `/${chats}`)).status).toBe(200)
    expect(await organisation.query('SELECT id FROM keys')).toHaveLength(2)
  })

  it('is a change or a rotation of a key that the operator issued for the referral service, but not its end', async () => {
    const { organisation, signIn } = await foundManaged()
    const owner = await signIn('owner')
    const { id } = await organisation.issueKey({ prefix: 'vk_live_' })
    expect((await owner.ask('PATCH', `/${id}`, { name: 'Mine' })).body.error.code).toBe('invalid_request')
    expect((await owner.ask('POST', `/${id}/rotate`, {})).body.error.code).toBe('invalid_request')
    expect((await owner.ask('DELETE', `/${id}`)).body).toMatchObject({ status: 'revoked', created_by: 'operator' })
  })

  it.each<[string, Record<string, string>, number]>([
    ['a foreign page', { origin: 'https://evil.example' }, 403],
    ['a sibling subdomain', { 'sec-fetch-site': 'same-site' }, 403],
    ['a form', { 'content-type': 'text/plain' }, 415],
    ['nobody', { cookie: '' }, 401],
    ['a program with a wrong key beside the cookie', { authorization: 'Bearer aqta_x' }, 401],
    ['somebody of another organisation', { 'x-aqta-organisation': 'org_another' }, 404],
  ])('is %s', async (_, headers, status) => {
    const { organisation, signIn } = await foundManaged()
    const owner = await signIn('owner')
    expect((await owner.ask('POST', '', { name: 'A key' }, headers)).status).toBe(status)
    expect(await organisation.query('SELECT id FROM keys')).toEqual([])
  })

  it('is a query that there is not, once it is known who asks', async () => {
    const { organisation, signIn } = await foundManaged()
    expect((await (await signIn('owner')).ask('GET', '?state=all')).status).toBe(400)
    expect((await (await signIn('owner')).ask('GET', '?status=revoked')).status).toBe(400)
    const { status } = await organisation.service.fetch('/api/keys?state=all', { headers: { origin: ORIGIN } })
    expect(status).toBe(401)
  })
})
