// The public log's newest head over HTTP, for anyone: signed by the service's key, never old, and every refusal.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { verifyHead } from '../../../src/evidence/records/tree-head.ts'
import { startService, type Service } from '../../support/unit/service.ts'
import { grow, storedHead } from './opened-log.ts'
import { keys, noon, publishAll, refusalOf, unreachable } from './strangers-view.ts'

type Head = { tree_size: number; timestamp: string; signature: string }

let service: Service

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: noon })
  service = startService()
})
afterEach(() => vi.useRealTimers())

const get = (): Promise<Response> => service.fetch('/v1/public/transparency/sth')

async function read(): Promise<Head> {
  const response = await get()
  expect(response.status).toBe(200)
  return response.json<Head>()
}

describe('readPublicTreeHead', () => {
  it('is there from the first look on, over the empty log, signed by the service’s key', async () => {
    const head = await read()
    const pinned = keys.history.map(({ public_key: key }) => key)
    expect(head.tree_size).toBe(0)
    expect(verifyHead(head, { keys: pinned })).toMatchObject({ valid: true, keySource: 'pinned' })
    expect(await storedHead()).toMatchObject({ tree_size: 0 })
  })

  it('has the newest head within seconds, and asks the object that writes the log for nothing', async () => {
    await grow(3)
    await publishAll()
    service = startService({ PUBLIC_LOG: unreachable, PUBLIC_LOG_INDEX: unreachable })
    expect((await read()).tree_size).toBe(3)
    await grow(1)
    await publishAll()
    expect((await read()).tree_size).toBe(3)
    vi.setSystemTime(noon + 2000)
    expect((await read()).tree_size).toBe(4)
  })

  it('is signed again by the object that writes the log when it is a minute old, and only its signature and time differ', async () => {
    const before = await read()
    vi.setSystemTime(noon + 60_000)
    const after = await read()
    expect(after.timestamp).toBe('2091-03-15T12:01:00Z')
    expect(after.signature).not.toBe(before.signature)
    const { signature, timestamp } = before
    expect({ ...after, signature, timestamp }).toEqual(before)
    expect(await storedHead()).toMatchObject({ tree_size: 0 })
  })

  it('is 503 where no key signs, is not to be repeated, and does not keep the object busy', async () => {
    let asked = 0
    const ensureHead = () => {
      asked += 1
      return Promise.resolve()
    }
    service = startService({ PUBLIC_LOG: { getByName: () => ({ ensureHead }) } })
    const response = await get()
    expect(response.headers.get('x-should-retry')).toBe('false')
    expect(await refusalOf(response)).toMatchObject({ status: 503, code: 'service_unavailable' })
    for (let n = 0; n < 5; n += 1) await get()
    expect(asked).toBe(1)
  })

  it('is 503 where storage does not answer', async () => {
    service = startService({ FILES: { get: () => Promise.reject(new Error('down')) } })
    expect(await refusalOf(await get())).toMatchObject({ status: 503, retry_after: 5 })
  })
})
