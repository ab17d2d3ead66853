// A call that is refused anyway: answered before its body is read, on both services, once the key floods.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startService, withKey, type CreatedKey, type Service } from '../../support/unit/service.ts'
import { noon } from '../organisation/chat-organisation.ts'

const MIB = 1024 * 1024

// No day ends meanwhile, and no refusal is forgotten.
beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

/** A body of which nothing has come yet, and whether anybody has asked for it. */
function unsent(declaredBytes: number | null = null) {
  let asked = 0
  const body = new ReadableStream(
    {
      type: 'bytes',
      pull() {
        asked += 1
        return new Promise(() => undefined)
      },
    },
    { highWaterMark: 0 },
  )
  const size: Record<string, string> = declaredBytes === null ? {} : { 'content-length': String(declaredBytes) }
  return {
    init: { method: 'POST', headers: { 'content-type': 'application/json', ...size }, body },
    asked: () => asked,
  }
}

const revoke = (service: Service, { organisationId, id }: CreatedKey) =>
  service.operate('DELETE', `/organisations/${organisationId}/keys/${id}`)

const post = (service: Service, path: string, key: string, body: string) =>
  service.fetch(path, withKey(key, { method: 'POST', headers: { 'content-type': 'application/json' }, body }))

async function answerOf(response: Response): Promise<unknown[]> {
  const { error } = await response.json<{ error: { code: string; message: string } }>()
  return [response.status, error.code, /(?:revoked|minute|day|month)/.exec(error.message)?.[0]]
}

/** The object is asked so often in a second about a key that it has refused. */
const ASKS = 5
const AT_ITS_LIMIT = [400, ...Array<number>(ASKS).fill(429)]

describe.each([
  { path: '/v1/chat/completions', prefix: 'aqta_', most: 4 * MIB },
  { path: '/v1/referral/read', prefix: 'vk_test_', most: 65_536 },
])('a call to $path', ({ path, prefix, most }) => {
  /** Returns the answer to a request whose body never comes. */
  const refusal = async (service: Service, key: string, declaredBytes: number | null = null) =>
    answerOf(await service.fetch(path, withKey(key, unsent(declaredBytes).init)))

  it('of a revoked key is refused without its body, once that is known', async () => {
    const service = startService()
    const created = await service.createKey({ prefix })
    await revoke(service, created)
    for (let n = 0; n < ASKS; n++) expect((await post(service, path, created.key, '{}')).status).toBe(401)
    for (const declared of [null, 100, most, most + 1]) {
      expect(await refusal(service, created.key, declared)).toEqual([401, 'invalid_api_key', 'revoked'])
    }
  })

  it.each([
    ['minute', { requests_per_minute: 1 }],
    ['day', { requests_per_day: 1 }],
  ])('over the limit of its %s is refused without its body, and told which limit it is', async (window, limits) => {
    const service = startService()
    const { key } = await service.createKey({ prefix, ...limits })
    for (const status of AT_ITS_LIMIT) expect((await post(service, path, key, '{')).status).toBe(status)
    for (const declared of [null, 100, most]) {
      expect(await refusal(service, key, declared)).toEqual([429, 'rate_limit_exceeded', window])
    }
  })

  it('whose body is said to be too large is told so first, limit or not, and still unread', async () => {
    const service = startService()
    const { key } = await service.createKey({ prefix, requests_per_minute: 1 })
    for (const status of AT_ITS_LIMIT) expect((await post(service, path, key, '{')).status).toBe(status)
    expect((await refusal(service, key, most + 1)).slice(0, 2)).toEqual([413, 'payload_too_large'])
  })
})
