// Asking for an organisation's erasure: who may, what holds from that moment on, and how it is taken back.
import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createAccessControl } from '../../../../src/accounts/access/access-control.ts'
import type { Permission } from '../../../../src/accounts/access/roles.policy.ts'
import { FactorsStore } from '../../../../src/accounts/second-factor/factors.store.ts'
import { SessionsStore } from '../../../../src/accounts/people/sessions.store.ts'
import type { Mail } from '../../../../src/platform/mail.ts'
import { createErasureService } from '../../../../src/management/erasure/erasure.service.ts'
import { OrganisationsStore } from '../../../../src/accounts/organisations.store.ts'
import { ErasuresStore, AccountRowsStore } from '../../../../src/organisation/erasure/erasures.store.ts'
import { createChatGate } from '../../../../src/organisation/admit/chat-gate.ts'
import { organisationOpener } from '../../../../src/organisation/organisation-client.ts'
import { organisationId as organisationIdOf } from '../../../../src/platform/ids.ts'
import { renderError } from '../../../../src/platform/render-error.ts'
import { requestContext } from '../../../../src/platform/request.middleware.ts'
import { createApi } from '../../../../src/platform/router.ts'
import { startService } from '../../../support/unit/service.ts'
import { justBefore } from '../../../support/unit/interleave.ts'
import { noon, positionOf } from '../../organisation/chat-organisation.ts'
import {
  askFor,
  asPerson,
  DAY_MS,
  foundErasable,
  join,
  NAME,
  ORIGIN,
  signedIn,
  signIn,
  type Erasable,
} from './erasable.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const PATH = '/api/settings/erasure'

type Me = { organisations: { id: string; erasure: object | null }[] }

const refused = (status: number, code: string) => ({ status, body: { error: { code } } })

describe('asking for it', () => {
  it('answers when it begins and where its record will be, and the same when asked again', async () => {
    const organisation = await foundErasable()
    const asked = await organisation.request()
    expect(asked).toMatchObject({
      status: 202,
      body: {
        object: 'erasure',
        status: 'scheduled',
        created_at: new Date(noon).toISOString(),
        due_at: new Date(noon + 7 * DAY_MS).toISOString(),
        record_url: `${ORIGIN}/v1/erasures/${String(asked.body['id'])}`,
      },
    })
    vi.setSystemTime(noon + 60_000)
    expect((await organisation.request()).body).toEqual(asked.body)
    expect((await organisation.show()).body).toEqual(asked.body)
  })

  it('can be brought forward, and never put off', async () => {
    const organisation = await foundErasable()
    const { body } = await organisation.request()
    const sooner = await organisation.request({ immediately: true })
    expect(sooner.body).toEqual({ ...body, due_at: new Date(noon).toISOString() })
    expect((await organisation.request()).body).toEqual(sooner.body)
  })

  it('needs the name, typed as it is', async () => {
    const organisation = await foundErasable({ name: 'Café Zoë ' })
    for (const name of ['', 'cafe zoe', 'Café Zo', NAME]) {
      const answer = await organisation.request({ name })
      expect(answer).toMatchObject({ ...refused(400, 'invalid_request'), body: { error: { param: 'name' } } })
      expect(JSON.stringify(answer.body)).not.toContain('Zo')
    }
    expect((await organisation.request({ name: ' Cafe\u0301 Zoë' })).status).toBe(202)
  })

  it.each<[string, object]>([
    ['a name that is none', { name: 7 }],
    ['a member that is not known', { at: 'once' }],
    ['a word for immediately', { immediately: 'yes' }],
  ])('is refused with %s', async (_, body) => {
    expect(await (await foundErasable()).request(body)).toMatchObject(refused(400, 'invalid_request'))
  })

  it('needs an owner, no key, who has just signed in', async () => {
    const organisation = await foundErasable()
    const admin = await signedIn()
    await join(organisation.id, admin, 'admin')
    expect(await asPerson(admin, 'DELETE', PATH)).toMatchObject(refused(403, 'role_required'))
    const { key } = await organisation.service.createKey({ prefix: 'aqta_', scopes: ['manage'] }, organisation.id)
    expect(await askFor(key, PATH, { method: 'POST' })).toMatchObject(refused(403, 'role_required'))
    vi.setSystemTime(noon + 15 * 60_000)
    expect(await organisation.request()).toMatchObject(refused(401, 'fresh_sign_in_required'))
  })
})

async function keysOf({ service, id }: Erasable): Promise<{ chat: string; letters: string; manage: string }> {
  const issue = async (body: object) => (await service.createKey(body, id)).key
  return {
    chat: await issue({ prefix: 'aqta_' }),
    letters: await issue({ prefix: 'vk_test_' }),
    manage: await issue({ prefix: 'aqta_', scopes: ['manage'] }),
  }
}

const callsOf = (keys: Awaited<ReturnType<typeof keysOf>>): (readonly [key: string, path: string, body?: object])[] => [
  [keys.chat, '/v1/models'],
  [keys.chat, '/v1/chat/completions', { model: 'gpt-4.1-mini', messages: [{ role: 'user', content: 'Hello' }] }],
  [keys.chat, '/v1/chat/completions', { model: 'none' }],
  [keys.chat, '/v1/transparency/sth'],
  [keys.chat, `/v1/attestations/${crypto.randomUUID()}`],
  [keys.letters, '/v1/referral/read', { action: 'book_appointment' }],
  [keys.letters, '/v1/referral/read', { text: 'A letter that is no example' }],
  [keys.letters, '/v1/examples'],
  [keys.manage, PATH],
]

const call = (key: string, path: string, body?: object) => {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) }
  return startService().fetch(path, init)
}

/** A route that the owner asks, of which only the permission is told. */
async function ask({ owner }: Erasable, method: string, permission: Permission): Promise<Response> {
  const access = createAccessControl({
    sessions: new SessionsStore(env.DB),
    factors: new FactorsStore(env.DB),
    gate: createChatGate(organisationOpener(env.ORGANISATIONS, false), Date.now),
    peppers: [],
    publicOrigin: ORIGIN,
    clock: Date.now,
  })
  const api = createApi()
  api.use(requestContext)
  api.onError(renderError)
  api.all('/', async (c) => {
    await access.requireAccess(c, { permission })
    return c.body(null, 204)
  })
  const headers = { cookie: `__Host-session=${owner.token}`, origin: ORIGIN }
  return api.fetch(new Request(ORIGIN, { method, headers }), env, createExecutionContext())
}

async function codeOf(answering: Promise<Response>): Promise<unknown> {
  const { error } = await (await answering).json<{ error: { code: string } }>()
  return error.code
}

describe('from that moment on', () => {
  it('every key is refused, whatever it asks for, and is not to try again', async () => {
    const organisation = await foundErasable()
    const keys = await keysOf(organisation)
    await organisation.request()
    const leaves = (await organisation.query('SELECT position FROM entries')).length
    for (const [key, path, body] of callsOf(keys)) {
      const answer = await call(key, path, body)
      expect([path, answer.status, answer.headers.get('x-should-retry')]).toEqual([path, 403, 'false'])
      expect(await answer.json()).toMatchObject({ error: { code: 'organisation_closing' } })
      expect(answer.headers.get('x-ratelimit-limit')).not.toBeNull()
    }
    expect(await organisation.query('SELECT position FROM entries')).toHaveLength(leaves)
  })

  it('what a key is refused with for itself outranks that; a used-up limit does not, and calls count', async () => {
    const organisation = await foundErasable()
    const caller = await organisation.issueKey({ requests_per_day: 1 })
    await organisation.request()
    const wrong = { ...caller, secretHash: new Uint8Array(32) }
    expect(await organisation.describe(wrong)).toMatchObject({ outcome: 'invalid_api_key' })
    const outcomes = [await organisation.describe(caller), await organisation.admit(caller)]
    expect(outcomes).toMatchObject([
      { outcome: 'organisation_closing', rate: { limit: 1, remaining: 0 } },
      { outcome: 'organisation_closing', rate: { limit: 1, remaining: 0 } },
    ])
    // The first took the room that there was.
    expect(await organisation.query('SELECT outcome FROM calls ORDER BY before, n')).toEqual([
      { outcome: 'closing' },
      { outcome: 'rate' },
    ])
  })

  it('nothing is changed by people either, who may still look, until it begins', async () => {
    const organisation = await foundErasable()
    await organisation.request()
    for (const method of ['GET', 'HEAD']) expect((await ask(organisation, method, 'settings:read')).status).toBe(204)
    expect((await ask(organisation, 'GET', 'organisation:export')).status).toBe(204)
    expect((await ask(organisation, 'HEAD', 'organisation:export')).status).toBe(204)
    expect(await codeOf(ask(organisation, 'PATCH', 'settings:change'))).toBe('organisation_closing')
    await env.DB.prepare("UPDATE erasures SET state = 'running'").run()
    expect(await codeOf(ask(organisation, 'GET', 'organisation:export'))).toBe('organisation_closing')
    expect((await organisation.show()).status).toBe(200)
  })

  it('every member is told of it beside the organisation, and nobody beside another, until it is cancelled', async () => {
    const [organisation, other] = [await foundErasable(), await foundErasable()]
    const clinician = await signedIn()
    for (const { id } of [organisation, other]) await join(id, clinician, 'clinician')
    const { body } = await organisation.request()
    const told = { id: body['id'], due_at: body['due_at'] }
    const of = async (person: Pick<Erasable['owner'], 'token'>) =>
      Object.fromEntries(
        ((await asPerson(person, 'GET', '/api/auth/me')).body as unknown as Me).organisations.map(({ id, erasure }) => [
          id,
          erasure,
        ]),
      )
    expect(await of(organisation.owner)).toEqual({ [organisation.id]: { ...told, status: 'scheduled' } })
    expect(await of(other.owner)).toEqual({ [other.id]: null })
    await env.DB.prepare("UPDATE erasures SET state = 'running'").run()
    expect(await of(clinician)).toEqual({ [organisation.id]: { ...told, status: 'running' }, [other.id]: null })
    await env.DB.prepare("UPDATE erasures SET state = 'scheduled'").run()
    await organisation.cancel()
    expect(await of(clinician)).toEqual({ [organisation.id]: null, [other.id]: null })
  })

  it('a call that was admitted before is settled as it ends', async () => {
    const organisation = await foundErasable()
    const position = positionOf(await organisation.admit(await organisation.issueKey(), { upFrontMicroeur: 9 }))
    await organisation.request()
    expect(await organisation.settle(position, 4)).toMatchObject({ outcome: 'settled' })
  })
})

describe('cancelling it', () => {
  it('makes the keys work again, from the next call on', async () => {
    const organisation = await foundErasable()
    const keys = await keysOf(organisation)
    const { body } = await organisation.request()
    vi.setSystemTime(noon + 7 * DAY_MS - 1)
    organisation.owner.token = await signIn(organisation.owner.id)
    expect(await organisation.cancel()).toMatchObject({ status: 200, body: { ...body, status: 'cancelled' } })
    expect((await call(keys.chat, '/v1/models')).status).toBe(200)
    expect(await organisation.show()).toMatchObject(refused(404, 'not_found'))
    expect(await organisation.cancel()).toMatchObject(refused(404, 'not_found'))
    expect((await startService().fetch(`/v1/erasures/${String(body['id'])}`)).status).toBe(404)
    const anew = await organisation.request()
    expect(anew.status).toBe(202)
    expect(anew.body['id']).not.toBe(body['id'])
  })

  it('holds where it comes between the request’s deciding and its being written down', async () => {
    const organisation = await foundErasable()
    const index = vi.spyOn(ErasuresStore.prototype, 'indexScheduled').mockImplementationOnce(async function (
      this: ErasuresStore,
      erasure,
    ) {
      expect((await organisation.cancel()).status).toBe(200)
      await this.indexScheduled(erasure)
    })
    await organisation.request()
    expect(index).toHaveBeenCalledTimes(2)
    index.mockRestore()
    expect((await ask(organisation, 'PATCH', 'settings:change')).status).toBe(204)
    expect((await asPerson(organisation.owner, 'POST', '/api/auth/erasure')).status).toBe(409)
  })

  it('is done to its end when it is sent again after it was cut off', async () => {
    const organisation = await foundErasable()
    const keys = await keysOf(organisation)
    const { body } = await organisation.request()
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    justBefore(ErasuresStore.prototype, 'cancel', () => Promise.reject(new Error('cut off')))
    expect((await organisation.cancel()).status).toBe(503)
    expect((await call(keys.chat, '/v1/models')).status).toBe(200)
    expect(await codeOf(ask(organisation, 'PATCH', 'settings:change'))).toBe('organisation_closing')
    expect(await organisation.cancel()).toMatchObject({ status: 200, body: { ...body, status: 'cancelled' } })
    expect((await ask(organisation, 'PATCH', 'settings:change')).status).toBe(204)
    expect(await organisation.cancel()).toMatchObject(refused(404, 'not_found'))
  })

  it('cut off before, undoes no erasure that is asked for meanwhile', async () => {
    const organisation = await foundErasable()
    await organisation.request()
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    justBefore(ErasuresStore.prototype, 'cancel', () => Promise.reject(new Error('cut off')))
    await organisation.cancel()
    vi.setSystemTime(noon + 1)
    justBefore(ErasuresStore.prototype, 'cancel', () => organisation.request())
    expect((await organisation.cancel()).status).toBe(200)
    expect(await organisation.show()).toMatchObject({ status: 200, body: { status: 'scheduled' } })
    expect(await codeOf(ask(organisation, 'PATCH', 'settings:change'))).toBe('organisation_closing')
  })

  it('is too late once it is due', async () => {
    const organisation = await foundErasable()
    await organisation.request({ immediately: true })
    expect(await organisation.cancel()).toMatchObject(refused(409, 'conflict'))
    await organisation.runAlarm()
    expect(await organisation.cancel()).toMatchObject(refused(401, 'session_required'))
  })

  it('is an entry of the ledger, as asking is: who and what, and no name', async () => {
    const organisation = await foundErasable()
    const { body } = await organisation.request()
    await organisation.cancel()
    const acts = (await organisation.entries()).filter(({ kind }) => kind === 'member_act')
    expect(acts).toMatchObject([
      { act: 'organisation.erase', actor: organisation.owner.id, erasure_id: body['id'] },
      { act: 'organisation.erase.cancel', actor: organisation.owner.id, erasure_id: body['id'] },
    ])
    expect(JSON.stringify(acts)).not.toContain(NAME)
  })
})

describe('the owners', () => {
  it('are told when it is asked for and when it is cancelled, and nobody else is', async () => {
    const organisation = await foundErasable()
    const [second, admin] = [await signedIn(), await signedIn()]
    await join(organisation.id, second, 'owner')
    await join(organisation.id, admin, 'admin')
    const mails: Mail[] = []
    const { service, asking, settled } = serviceOf(organisation, mails)
    const requested = await service.request(asking, { name: NAME, immediately: false })
    await service.request(asking, { name: NAME, immediately: false })
    await settled()
    expect(mails.map(({ to }) => to).toSorted()).toEqual([organisation.owner.email, second.email].toSorted())
    const id = requested.outcome === 'scheduled' ? requested.erasure.id : ''
    expect(mails[0]?.text).toContain(`${ORIGIN}/v1/erasures/${id}`)
    await service.cancel(asking)
    await settled()
    expect(mails).toHaveLength(4)
    expect(mails[0]?.text).toContain('DELETE /api/settings/erasure')
    await service.request(asking, { name: NAME, immediately: true })
    await settled()
    expect(mails.at(-1)?.text).not.toContain('cancel')
  })
})

function serviceOf({ id, owner }: Erasable, mails: Mail[]) {
  const later: Promise<unknown>[] = []
  const service = createErasureService({
    organisations: new OrganisationsStore(env.DB),
    erasures: new ErasuresStore(env.DB),
    registered: new AccountRowsStore(env.DB),
    open: organisationOpener(env.ORGANISATIONS, false),
    mailer: {
      sends: true,
      send: (mail) => {
        mails.push(mail)
        return Promise.resolve('sent')
      },
    },
    clock: Date.now,
  })
  const asking = {
    organisation: {
      id: organisationIdOf(Uint8Array.fromHex(id.slice(4).replaceAll('-', ''))),
      jurisdiction: 'eu' as const,
    },
    personId: owner.id,
    requestId: 'req_of_a_test',
    origin: ORIGIN,
    later: (work: Promise<unknown>) => void later.push(work),
  }
  return { service, asking, settled: () => Promise.all(later) }
}
