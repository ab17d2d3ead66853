// Tests refusals of people and programs that manage the keys of an organisation.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { KeysTarget } from '../../../../src/organisation/keys/keys.target.ts'
import { noon } from '../../organisation/chat-organisation.ts'
import { foundManaged, makeKey, type Asker } from './asking-for-keys.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const at = (ms: number): string => new Date(ms).toISOString()

describe('refused', () => {
  it.each<[string, object, string]>([
    ['of the referral service', { name: 'A key', prefix: 'vk_test_' }, 'prefix'],
    ['with control characters in its name', { name: 'A \u001b[2J key' }, 'name'],
    ['with a scope of the referral service', { name: 'A key', scopes: ['referral:read'] }, 'scopes[0]'],
    ['without a scope', { name: 'A key', scopes: [] }, 'scopes'],
    ['that is over', { name: 'A key', expires_at: at(noon) }, 'expires_at'],
    ['above the rate of its organisation', { name: 'A key', requests_per_minute: 1001 }, 'requests_per_minute'],
    ['above the month of its organisation', { name: 'A key', requests_per_day: 1_000_001 }, 'requests_per_day'],
    ['with the name of a data region in capitals', { name: 'A key', data_region: 'EU' }, 'data_region'],
    ['with a data region that there is not', { name: 'A key', data_region: 'uk' }, 'data_region'],
    ['with an empty data region', { name: 'A key', data_region: '' }, 'data_region'],
    ['for evaluation without an end', { name: 'A key', evaluation: true }, 'expires_at'],
    [
      'for evaluation that ends after more than 30 days',
      { name: 'A key', evaluation: true, expires_at: at(noon + 30 * DAY_MS + 1) },
      'expires_at',
    ],
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
    ['a data region that there is not', { data_region: 'uk' }, 400],
    ['what it is made for', { evaluation: true }, 400],
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

  it('is a key for evaluation, to whoever is no owner or admin, and its extension to everybody', async () => {
    const { signIn, automate } = await foundManaged()
    const wanted = { name: 'A suite', evaluation: true, expires_at: at(noon + 30 * DAY_MS) }
    for (const { ask } of [await signIn('developer'), await automate()]) {
      const refusal = { status: 403, body: { error: { code: 'role_required' } } }
      expect(await ask('POST', '', wanted)).toMatchObject(refusal)
    }
    const admin = await signIn('admin')
    const { id } = await makeKey(admin, wanted)
    expect((await admin.ask('GET', `/${id}`)).body).toMatchObject({ evaluation: true })
    for (const [member, change] of [
      ['expires_at', { expires_at: at(noon + 30 * DAY_MS + 1) }],
      ['expires_at', { expires_at: null }],
      ['evaluation', { evaluation: false }],
    ] as const) {
      const { status, body } = await admin.ask('PATCH', `/${id}`, change)
      expect([status, body.error]).toMatchObject([400, { code: 'invalid_request', fields: [{ path: member }] }])
    }
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

  it.each<[string, object, object]>([
    ['requests_per_minute', { requests_per_minute: 50 }, { requests_per_minute: 51 }],
    ['requests_per_day', { requests_per_day: 5 }, { requests_per_day: null }],
    ['data_region', { data_region: 'eea_ch' }, { data_region: 'any' }],
    ['expires_at', { expires_at: at(noon + MINUTE_MS) }, { expires_at: at(noon + MINUTE_MS + 1) }],
  ])('is a key with %s of its own that gives another more, however it asks', async (member, own, more) => {
    const { signIn, automate } = await foundManaged()
    const { id: unbounded } = await makeKey(await signIn('owner'))
    const manager = await automate({ scopes: ['chat', 'manage'], ...own })
    const { id } = await makeKey(manager, own)
    for (const [method, path, body] of [
      ['POST', '', { name: 'A key' }],
      ['PATCH', `/${id}`, more],
      ['POST', `/${unbounded}/rotate`, {}],
    ] as const) {
      const { status, body: answer } = await manager.ask(method, path, body)
      expect([status, answer.error.code]).toEqual([403, 'role_required'])
      expect(answer.error.message).toContain(member)
    }
    expect((await manager.ask('POST', `/${id}/rotate`, {})).status).toBe(201)
  })

  it('is a change or a rotation of a key that the operator issued for the referral service, but not its end', async () => {
    const { organisation, signIn } = await foundManaged()
    const owner = await signIn('owner')
    const { id } = await organisation.issueKey({ prefix: 'vk_live_' })
    expect((await owner.ask('PATCH', `/${id}`, { name: 'Mine' })).body.error.code).toBe('invalid_request')
    expect((await owner.ask('POST', `/${id}/rotate`, {})).body.error.code).toBe('invalid_request')
    expect((await owner.ask('DELETE', `/${id}`)).body).toMatchObject({ status: 'revoked', created_by: 'operator' })
  })

  it('is a key that names another organisation than its own', async () => {
    const { automate, organisation } = await foundManaged()
    const other = await foundManaged()
    const manager = await automate()
    const name = (id: string) => ({ 'x-aqta-organisation': id })
    expect((await manager.ask('POST', '', { name: 'A key' }, name(other.organisation.id))).status).toBe(404)
    expect((await manager.ask('POST', '', { name: 'A key' }, name(organisation.id))).status).toBe(201)
  })

  it.each(['?status=revoked', '?cursor='])('is a list of %s', async (query) => {
    expect((await (await (await foundManaged()).signIn('owner')).ask('GET', query)).status).toBe(400)
  })

  it('is one key too many, until another is revoked; each of them can be rotated', async () => {
    const { organisation, signIn } = await foundManaged()
    const owner = await signIn('owner')
    const { id } = await makeKey(owner)
    await organisation.query(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 999)
       INSERT INTO keys (id, prefix, name, secret_hash, last_four, scopes, created_at, created_by)
       SELECT 'key_' || i, 'aqta_', 'A key', zeroblob(32), 'abcd', 'chat', 0, 'operator' FROM n`,
    )
    expect(await owner.ask('POST', '', { name: 'A key' })).toMatchObject({
      status: 409,
      body: { error: { code: 'conflict' } },
    })
    const { body: successor } = await owner.ask('POST', `/${id}/rotate`, { overlap_seconds: 60 })
    expect(successor).toMatchObject({ status: 'active' })
    for (const one of [id, successor.id]) await owner.ask('DELETE', `/${one}`)
    expect((await owner.ask('POST', '', { name: 'A key' })).status).toBe(201)
  })

  it('is nothing where the organisation cannot be reached: 503, and not a word of what was thrown', async () => {
    const { signIn } = await foundManaged()
    const { ask } = await signIn('owner')
    const unreachable = vi.spyOn(KeysTarget.prototype, 'make').mockImplementation(() => {
      throw new Error('the disk’s own words')
    })
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const { status, body } = await ask('POST', '', { name: 'A key' })
    expect(unreachable).toHaveBeenCalledTimes(1)
    expect([status, body.error.code]).toEqual([503, 'service_unavailable'])
    expect(JSON.stringify(body)).not.toContain('own words')
  })
})
