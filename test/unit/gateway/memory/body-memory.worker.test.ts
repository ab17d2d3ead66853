// Reading the body of a chat request: what it is answered with where it is not read, and what outranks that.
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { openBodyMemory, readCallBody } from '../../../../src/gateway/memory/body-memory.ts'
import { createMemoryPool, POOL_LIMITS, type MemoryPool } from '../../../../src/gateway/memory/memory-pool.ts'
import { AppError } from '../../../../src/platform/errors.ts'
import { startService, withKey, type Service } from '../../../support/unit/service.ts'
import { noon } from '../../organisation/chat-organisation.ts'

const MIB = 1024 * 1024
const PATH = '/v1/chat/completions'

/** A body that says how large it will be and never comes; broken off after the test. */
function stalled(bytes: number): { headers: Record<string, string>; body: ReadableStream<Uint8Array> } {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  onTestFinished(() => writable.abort(new Error('over')))
  return { headers: { 'content-length': String(bytes), 'content-type': 'application/json' }, body: readable }
}

/** A body that breaks off. */
const cutOff = (): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start: (controller) => controller.error(new Error('cut off')),
  })

const poolOf = (totalBytes: number, after: (ms: number, action: () => void) => () => void) =>
  createMemoryPool({
    now: () => 0,
    after,
    limits: { ...POOL_LIMITS, totalBytes, ownerBytes: totalBytes, largeBytes: 10 },
  })

const placeIn = (pool: MemoryPool) => openBodyMemory(pool, 'owner', () => undefined)

const request = (init: RequestInit) => new Request('http://countersign.test/', { method: 'POST', ...init })
const noTimer = () => () => undefined

async function refusal(reading: Promise<Uint8Array>): Promise<unknown[]> {
  const read = await reading.catch((thrown: unknown) => thrown)
  return read instanceof AppError ? [read.code, read.details.retryAfterSeconds ?? null] : ['read']
}

describe('a body', () => {
  it('that has room is read', async () => {
    const place = placeIn(poolOf(50, noTimer))
    expect(await readCallBody(request({ body: 'x'.repeat(50) }), place)).toHaveLength(50)
  })

  it('over 4 MiB is refused for its size, whether or not there is room', async () => {
    for (const bytes of [0, 100 * MIB]) {
      const place = placeIn(poolOf(bytes, noTimer))
      expect(await refusal(readCallBody(request(stalled(4 * MIB + 1)), place))).toEqual(['payload_too_large', null])
    }
  })

  it('that has no room is refused for now', async () => {
    const place = placeIn(poolOf(49, noTimer))
    expect(await refusal(readCallBody(request({ body: 'x'.repeat(50) }), place))).toEqual(['service_unavailable', 5])
  })

  it('that is cut off is answered like any other that cannot be read', async () => {
    const place = placeIn(poolOf(50, noTimer))
    expect(await refusal(readCallBody(request({ body: cutOff() }), place))).toEqual(['invalid_request', null])
  })

  it('that does not arrive is given up, and its room is free again', async () => {
    const due: (() => void)[] = []
    const pool = poolOf(50, (_, action) => {
      due.push(action)
      return () => undefined
    })
    const place = placeIn(pool)
    const reading = refusal(readCallBody(request(stalled(50)), place))
    for (const action of due.splice(0)) action()
    expect(await reading).toEqual(['invalid_request', null])
    place.release()
    expect(placeIn(pool).reserve(50)).toBe(true)
  })
})

describe('while the room is full', () => {
  // Fixes the clock, because a sender that is silent for long would give way.
  beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
  afterEach(() => vi.useRealTimers())

  /** Four senders of an organisation, and four of another unless it is left out, have said that they send 4 MiB each. */
  async function startFull(
    organisations = 2,
  ): Promise<{ service: Service; key: string; organisationId: string; id: string }> {
    const service = startService()
    const created = await service.createKey({ prefix: 'aqta_', requests_per_minute: 2 })
    const other = await service.createKey({ prefix: 'aqta_' })
    for (const { key } of [created, other].slice(0, organisations)) {
      for (let n = 0; n < 4; n++) {
        const sending = service.fetch(PATH, withKey(key, { method: 'POST', ...stalled(4 * MIB) }))
        void sending.catch(() => undefined)
      }
    }
    return { service, ...created }
  }

  const ask = async (service: Service, key: string, text: string): Promise<unknown[]> => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: text }
    const response = await service.fetch(PATH, withKey(key, init))
    const { error } = await response.json<{ error: { code: string } }>()
    return [response.status, error.code]
  }

  const large = JSON.stringify({ model: 'gpt-4.1-mini', messages: [], user: 'x'.repeat(300_000) })
  const small = JSON.stringify({ model: 'gpt-4.1-mini', messages: [] })

  it('a large body is refused unread, a small one is read; both count, and the limit outranks the room', async () => {
    const { service, key } = await startFull()
    expect(await ask(service, key, large)).toEqual([503, 'service_unavailable'])
    expect(await ask(service, key, small)).toEqual([400, 'invalid_request'])
    expect(await ask(service, key, large)).toEqual([429, 'rate_limit_exceeded'])
  })

  it('of one organisation, another’s large bodies are read', async () => {
    const { service, key } = await startFull(1)
    const { key: othersKey } = await service.createKey({ prefix: 'aqta_' })
    expect(await ask(service, key, large)).toEqual([503, 'service_unavailable'])
    expect(await ask(service, othersKey, large)).toEqual([400, 'invalid_request'])
  })

  it('a size outranks the limit and the room', async () => {
    const { service, key } = await startFull()
    expect(await ask(service, key, 'x'.repeat(4 * MIB + 1))).toEqual([413, 'payload_too_large'])
  })

  it('a revoked key is 401 first', async () => {
    const { service, key, id, organisationId } = await startFull()
    await service.operate('DELETE', `/organisations/${organisationId}/keys/${id}`)
    expect(await ask(service, key, large)).toEqual([401, 'invalid_api_key'])
  })
})

it('a revoked key is 401 though its body is cut off', async () => {
  const service = startService()
  const { key, id, organisationId } = await service.createKey({ prefix: 'aqta_' })
  await service.operate('DELETE', `/organisations/${organisationId}/keys/${id}`)
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: cutOff() }
  expect((await service.fetch(PATH, withKey(key, init))).status).toBe(401)
})
