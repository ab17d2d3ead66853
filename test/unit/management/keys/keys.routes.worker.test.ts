// Keys as people and programs of an organisation manage them.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { withKey } from '../../../support/unit/service.ts'
import { noon } from '../../organisation/chat-organisation.ts'
import { foundManaged, idsOf, makeKey, type Asker } from './asking-for-keys.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

const at = (ms: number): string => new Date(ms).toISOString()

describe('a key', () => {
  it('is as it was asked for, shown whole when it is made and never again, and works', async () => {
    const { organisation, signIn } = await foundManaged()
    const owner = await signIn('owner')
    const wanted = {
      prefix: 'sk-aqta-',
      requests_per_minute: 3,
      requests_per_day: 30,
      data_region: 'eea_ch',
      expires_at: at(noon + 60_000),
    }
    const scopes = ['manage', 'chat', 'manage']
    const { key, ...shown } = await makeKey(owner, { ...wanted, scopes, name: ' Discharge letters ' })
    expect(shown).toMatchObject({ ...wanted, scopes: ['chat', 'manage'], name: 'Discharge letters' })
    expect(shown).toMatchObject({ last_four: key.slice(-4) })
    expect(key).toMatch(/^sk-aqta-/)
    expect((await owner.ask('GET', `/${shown.id}`)).body).toEqual({ ...shown, made: [] })
    expect((await organisation.service.fetch('/v1/models', withKey(key))).status).toBe(200)
  })

  it('tells when it was used last, also after an eviction, and that it is over', async () => {
    const { organisation, signIn } = await foundManaged()
    const owner = await signIn('owner')
    const { id, key } = await makeKey(owner, { expires_at: at(noon + 200_000) })
    for (const laterMs of [0, 59_999, 60_000, 100_000]) {
      vi.setSystemTime(noon + laterMs)
      await organisation.service.fetch('/v1/models', withKey(key))
    }
    const used = { last_used_at: at(noon + 100_000) }
    expect((await owner.ask('GET', `/${id}`)).body).toMatchObject({ status: 'active', ...used })
    await organisation.evict()
    expect((await owner.ask('GET', `/${id}`)).body).toMatchObject({ status: 'active', ...used })
    vi.setSystemTime(noon + 200_000)
    expect((await organisation.service.fetch('/v1/models', withKey(key))).status).toBe(401)
    expect((await owner.ask('GET', `/${id}`)).body).toMatchObject({ status: 'expired', ...used })
  })

  it('is revoked from the next request on, once and for all', async () => {
    const { organisation, signIn } = await foundManaged()
    const owner = await signIn('owner')
    const { id, key } = await makeKey(owner)
    expect((await owner.ask('DELETE', `/${id}`)).body).toMatchObject({ status: 'revoked', revoked_at: at(noon) })
    expect((await organisation.service.fetch('/v1/models', withKey(key))).status).toBe(401)
    vi.setSystemTime(noon + 1)
    expect(await owner.ask('DELETE', `/${id}`)).toMatchObject({ status: 200, body: { revoked_at: at(noon) } })
    expect(await organisation.query("SELECT position FROM entries WHERE kind = 'member_act'")).toHaveLength(2)
  })
})

describe('a key that made others', () => {
  async function withMade() {
    const { organisation, signIn, automate } = await foundManaged()
    const manager = await automate()
    const made = await makeKey(manager)
    const statusWith = async () => (await organisation.service.fetch('/v1/models', withKey(made.key))).status
    return { owner: await signIn('owner'), developer: await signIn('developer'), manager, made, statusWith }
  }

  it('revokes these too when it is revoked, and lists them, again when it is asked for again', async () => {
    const { owner, manager, made, statusWith } = await withMade()
    const first = await owner.ask('DELETE', `/${manager.id}`)
    expect(first.body).toMatchObject({
      status: 'revoked',
      also_revoked: [{ id: made.id, status: 'revoked', created_by: manager.id, revoked_at: at(noon) }],
    })
    expect(await statusWith()).toBe(401)
    vi.setSystemTime(noon + 1)
    expect((await owner.ask('DELETE', `/${manager.id}`)).body).toEqual(first.body)
  })

  it.each<[string, Parameters<Asker['ask']>[0], string, object]>([
    ['is rotated', 'POST', '/rotate', { overlap_seconds: 0 }],
    ['gets an end', 'PATCH', '', { expires_at: at(noon + 1000) }],
  ])('lists the working ones when it %s, and revokes them where that is asked for', async (_, method, path, body) => {
    for (const status of ['active', 'revoked']) {
      const { owner, manager, made, statusWith } = await withMade()
      const shown = { id: made.id, object: 'api_key', status, created_by: manager.id }
      const sent = status === 'active' ? body : { ...body, revoke_made: true }
      expect((await owner.ask('GET', `/${manager.id}`)).body).toMatchObject({ made: [{ ...shown, status: 'active' }] })
      const { body: answer } = await owner.ask(method, `/${manager.id}${path}`, sent)
      expect(answer).toMatchObject({ made: [shown] })
      expect(await statusWith()).toBe(status === 'active' ? 200 : 401)
      const still = (await owner.ask('GET', `/${manager.id}`)).body
      expect(still).toMatchObject({ made: status === 'active' ? [shown] : [] })
      expect(JSON.stringify([answer, still])).not.toContain(made.key)
    }
  })

  it('lists none that was revoked before, and none of a key that made none', async () => {
    const { owner, manager, made } = await withMade()
    expect((await owner.ask('PATCH', `/${made.id}`, { name: 'Another' })).body).toMatchObject({ made: [] })
    await owner.ask('DELETE', `/${made.id}`)
    expect((await owner.ask('POST', `/${manager.id}/rotate`, {})).body).toMatchObject({ made: [] })
  })

  it.each<[string, Parameters<Asker['ask']>[0], string, object]>([
    ['no boolean, by a rotation', 'POST', '/rotate', { revoke_made: 'true' }],
    ['no boolean, by a change', 'PATCH', '', { expires_at: at(noon + 1000), revoke_made: 1 }],
    ['null', 'POST', '/rotate', { revoke_made: null }],
    ['of a change that ends nothing', 'PATCH', '', { name: 'Another', revoke_made: true }],
  ])('revokes none for a revoke_made that is %s', async (_, method, path, body) => {
    const { owner, manager, statusWith } = await withMade()
    const { status, body: refused } = await owner.ask(method, `/${manager.id}${path}`, body)
    const named = { code: 'invalid_request', fields: [{ path: 'revoke_made' }] }
    expect([status, refused.error]).toMatchObject([400, named])
    expect((await owner.ask('GET', `/${manager.id}`)).body).toMatchObject({ name: 'A test key', replaced_by: null })
    expect(await statusWith()).toBe(200)
  })

  it('keeps them where whoever asks may not end it, or is of another organisation', async () => {
    const { developer, manager, statusWith } = await withMade()
    const other = await withMade()
    const asked = [
      ['POST', `/${manager.id}/rotate`, { revoke_made: true }],
      ['PATCH', `/${manager.id}`, { expires_at: at(noon + 1000), revoke_made: true }],
    ] as const
    const statuses = []
    for (const asker of [developer, manager, other.owner]) {
      for (const [method, path, body] of asked) statuses.push((await asker.ask(method, path, body)).status)
    }
    expect(statuses).toEqual([403, 403, 403, 403, 404, 404])
    expect(await statusWith()).toBe(200)
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
})

describe('a change', () => {
  it('is of what is named and nothing else, and takes limits and ends away by null', async () => {
    const owner = await (await foundManaged()).signIn('owner')
    const { id } = await makeKey(owner, { requests_per_minute: 3, expires_at: at(noon + 5) })
    expect(
      (await owner.ask('PATCH', `/${id}`, { name: 'Another', requests_per_day: 9, data_region: 'eu' })).body,
    ).toMatchObject({
      name: 'Another',
      requests_per_minute: 3,
      requests_per_day: 9,
      data_region: 'eu',
      expires_at: at(noon + 5),
    })
    const freed = await owner.ask('PATCH', `/${id}`, { requests_per_minute: null, expires_at: null })
    const limits = { requests_per_minute: null, requests_per_day: 9, data_region: 'eu', expires_at: null }
    expect(freed.body).toMatchObject(limits)
    await owner.ask('PATCH', `/${id}`, { data_region: null })
    expect((await owner.ask('GET', `/${id}`)).body).toMatchObject({ ...limits, data_region: null })
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
    const old = await makeKey(owner, { prefix: 'sk-aqta-', requests_per_minute: 3, data_region: 'eu' })
    const { status, body: made } = await owner.ask('POST', `/${old.id}/rotate`, { overlap_seconds: 60 })
    expect([status, made]).toMatchObject([
      201,
      { prefix: 'sk-aqta-', requests_per_minute: 3, data_region: 'eu', name: 'A key' },
    ])
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
    const [made, ...others] = answers.filter(({ status }) => status === 201)
    expect(others).toEqual([])
    for (const { status, body } of answers) if (status !== 201) expect(body.error.message).toContain(made?.body.id)
    expect(await idsOf(owner)).toHaveLength(2)
  })
})
