// The public log's checkpoint over HTTP: of the head that is served, by the log's own key, never old, and 503 without one.
import { runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { readLogConfig } from '../../../src/public-log/public-log-config.ts'
import { noteKeyFromBase64url } from '../../../src/evidence/checkpoint/note-key.ts'
import { verifyCheckpoint } from '../../../src/evidence/checkpoint/witness-policy.ts'
import { openPublicLog } from '../../../src/public-log/public-log.client.ts'
import { DAY_MS } from '../../../src/platform/time.ts'
import { readConfig } from '../../../src/platform/config.ts'
import { startService, type Service } from '../../support/unit/service.ts'
import { evict, grow, inLog } from './opened-log.ts'
import { noon, refusalOf } from './strangers-view.ts'

let service: Service

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: noon })
  service = startService()
})
afterEach(() => vi.useRealTimers())

const get = (): Promise<Response> => service.fetch('/v1/public/transparency/checkpoint')

const { log } = readLogConfig({ ...env }, readConfig(env))

/** Checks the checkpoint, and returns what it says of the tree. */
async function read() {
  const response = await get()
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(response.headers.get('cache-control')).toBe('public, max-age=2')
  const keys = log?.keys.history.map(({ public_key: key }) => noteKeyFromBase64url(log.origin, 'ed25519', key)) ?? []
  const note = new Uint8Array(await response.arrayBuffer())
  const verdict = verifyCheckpoint(note, { log: keys, witnesses: [], quorum: 0 })
  if (!verdict.valid) throw new Error(verdict.fault)
  return { note: new TextDecoder().decode(note), ...verdict.checkpoint }
}

const ring = () => runDurableObjectAlarm(openPublicLog(env.PUBLIC_LOG, false))

describe('readPublicCheckpoint', () => {
  it('is there from the first look on, and of the head that is served', async () => {
    expect((await read()).size).toBe(0)
    await grow(3)
    await ring()
    const { size, root } = await read()
    const head = await (
      await startService().fetch('/v1/public/transparency/sth')
    ).json<{ tree_size: number; root_hash: string }>()
    expect([size, root.toHex()]).toEqual([head.tree_size, head.root_hash])
    expect(size).toBe(3)
  })

  it('is made again by the alarm before it is a minute old, also when nothing comes', async () => {
    await read()
    const made = async () => Number((await env.FILES.head('public-log/checkpoint'))?.customMetadata?.['at'])
    expect(await made()).toBe(noon)
    vi.setSystemTime(noon + 45_000)
    expect(await ring()).toBe(true)
    expect(await made()).toBe(noon + 45_000)
  })

  it('is made again in time though its object began anew and was asked shortly before', async () => {
    await read()
    await evict()
    vi.setSystemTime(noon + 44_000)
    await openPublicLog(env.PUBLIC_LOG, false).ensureHead()
    expect(await inLog((storage) => storage.getAlarm())).toBe(noon + 45_000)
  })

  it('is made again though the clock was a day ahead for a moment', async () => {
    vi.setSystemTime(noon + DAY_MS)
    await read()
    vi.setSystemTime(noon)
    await evict()
    const { note } = await read()
    const made = async () => Number((await env.FILES.head('public-log/checkpoint'))?.customMetadata?.['at'])
    expect([await made(), (await read()).note]).toEqual([noon, note])
    expect(await inLog((storage) => storage.getAlarm())).toBe(noon + 45_000)
  })

  it('is made again at once where another key has signed it', async () => {
    const { note } = await read()
    await env.FILES.put('public-log/checkpoint', note.replace(/— (?<name>\S+) .*/u, '— $<name> AAAAAAAAAA=='), {
      customMetadata: { at: String(noon) },
    })
    service = startService()
    expect((await read()).note).toBe(note)
  })

  it('is 503 where there is no log key, and is not to be repeated', async () => {
    service = startService({ LOG_KEYS: '[]' })
    const response = await get()
    expect(response.headers.get('x-should-retry')).toBe('false')
    expect(await refusalOf(response)).toMatchObject({ status: 503, code: 'service_unavailable' })
  })
})
