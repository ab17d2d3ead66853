// The public log over HTTP, for anyone: heads and proofs that verify, every refusal, and nothing but what is served.
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { verifyConsistency, verifyInclusion } from '../../../src/evidence/tree/verify-proof.ts'
import type { SubmittedReceipt } from '../../../src/public-log/public-log.client.ts'
import { startService, type Service } from '../../support/unit/service.ts'
import { grow, inLog, leafHashes } from './opened-log.ts'
import { noon, publishAll, refusalOf, unreachable } from './strangers-view.ts'

type Head = { tree_size: number; root_hash: string }
type Inclusion = { leaf_hash: string; leaf_index: number; tree_size: number; root_hash: string }
type Consistency = { old_root: string; new_root: string; old_size: number; new_size: number }

const ROOT = '/v1/public/transparency'
const STRANGER = '0d3c1f4e-7b56-4b0e-8f21-5a9f3c2d1e01'

let service: Service

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: noon })
  service = startService()
})
afterEach(() => vi.useRealTimers())

const get = (path: string, init?: RequestInit): Promise<Response> => service.fetch(`${ROOT}/${path}`, init)

async function read<T>(path: string): Promise<T> {
  const response = await get(path)
  expect([path, response.status]).toEqual([path, 200])
  return response.json<T>()
}

const idOf = (receipts: readonly SubmittedReceipt[], at: number): string => receipts[at]?.attestationId ?? ''

/** Storage in the place of R2 that counts what is asked of it. */
function countingFiles() {
  const asked: string[] = []
  const files = {
    get: (key: string): Promise<R2ObjectBody | null> => {
      asked.push(key)
      return env.FILES.get(key)
    },
  }
  return { asked, FILES: files }
}

describe('provePublicInclusion', () => {
  it('verifies for every receipt, against the newest head and against any from after it came in', async () => {
    const receipts = await grow(5)
    await publishAll()
    const old = await read<Head>('sth')
    receipts.push(...(await grow(300)))
    await publishAll()
    vi.setSystemTime(noon + 5000)
    const head = await read<Head>('sth')
    for (const position of [0, 4, 5, 255, 256, 304]) {
      const proof = await read<Inclusion>(`proof/${idOf(receipts, position)}`)
      expect(proof).toMatchObject({ leaf_index: position, tree_size: head.tree_size, root_hash: head.root_hash })
      expect(proof.leaf_hash).toBe(receipts[position]?.leafHash.toHex())
      expect(verifyInclusion(proof).valid).toBe(true)
    }
    const then = await read<Inclusion>(`proof/${idOf(receipts, 2)}?tree_size=5`)
    expect(then).toMatchObject({ tree_size: 5, root_hash: old.root_hash })
    const between = await read<Inclusion>(`proof/${idOf(receipts, 2)}?tree_size=200`)
    expect([verifyInclusion(then).valid, verifyInclusion(between).valid]).toEqual([true, true])
  })

  it('finds a receipt as soon as its head is served, though the isolate has an older one', async () => {
    await grow(1)
    await publishAll()
    await read<Head>('sth')
    const receipts = await grow(1)
    await publishAll()
    vi.setSystemTime(noon + 600)
    expect((await read<Inclusion>(`proof/${idOf(receipts, 0)}`)).tree_size).toBe(2)
  })

  it('is known by every isolate at a size that one of them has served', async () => {
    const receipts = await grow(3)
    await publishAll()
    const other = startService()
    await other.fetch(`${ROOT}/sth`)
    receipts.push(...(await grow(3)))
    await publishAll()
    vi.setSystemTime(noon + 300)
    expect((await read<Head>('sth')).tree_size).toBe(6)
    const statusAt = async (path: string): Promise<number> => (await other.fetch(`${ROOT}/${path}`)).status
    expect(await statusAt(`proof/${idOf(receipts, 0)}?tree_size=6`)).toBe(200)
  })

  it('is 404 with retry-after for an id that is nowhere, and for one that is not served yet', async () => {
    const receipts = await grow(1)
    for (const id of [STRANGER, idOf(receipts, 0)]) {
      const response = await get(`proof/${id}`)
      expect(response.headers.get('retry-after')).toBe('10')
      expect(await refusalOf(response)).toMatchObject({ status: 404, code: 'not_found', retry_after: 10 })
    }
    await publishAll()
    expect((await get(`proof/${idOf(receipts, 0)}`)).status).toBe(404)
    vi.setSystemTime(noon + 2000)
    expect((await get(`proof/${idOf(receipts, 0)}`)).status).toBe(200)
  })

  it.each([
    STRANGER.toUpperCase(),
    STRANGER.replace('-4', '-7'),
    STRANGER.replace('-8', '-c'),
    'att_1',
    `${STRANGER}%0A`,
    `%20${STRANGER}`,
    '%00',
    '..%2Fsth',
    'x'.repeat(4000),
  ])('refuses what is no UUID of version 4 without touching any storage: %s', async (id) => {
    service = startService({ PUBLIC_LOG: unreachable, PUBLIC_LOG_INDEX: unreachable, FILES: {} })
    expect(await refusalOf(await get(`proof/${id}`))).toMatchObject({
      status: 400,
      code: 'invalid_request',
      param: 'attestation_id',
    })
  })

  it.each(['0', '1', '4', '99', '-1', '1.5', '1e1', '', 'x', '9007199254740993', '1'.repeat(400)])(
    'refuses the tree_size "%s"',
    async (size) => {
      const receipts = await grow(3)
      await publishAll()
      const refusal = await refusalOf(await get(`proof/${idOf(receipts, 1)}?tree_size=${size}`))
      expect(refusal).toMatchObject({ status: 400, code: 'invalid_request', param: 'tree_size' })
    },
  )

  it.each(['0', '4', 'x'])('asks the index for nothing where the log has no size "%s"', async (size) => {
    await grow(3)
    await publishAll()
    service = startService({ PUBLIC_LOG_INDEX: unreachable })
    expect((await get(`proof/${STRANGER}?tree_size=${size}`)).status).toBe(400)
    expect((await get(`proof/${STRANGER}?tree_size=3`)).status).toBe(503)
  })

  it.each(['0', '-1', 'x'])('touches no storage for what is no size at all: "%s"', async (size) => {
    service = startService({ PUBLIC_LOG: unreachable, PUBLIC_LOG_INDEX: unreachable, FILES: {} })
    expect((await get(`proof/${STRANGER}?tree_size=${size}`)).status).toBe(400)
    expect((await get(`consistency?old_size=${size}`)).status).toBe(400)
    expect((await get(`consistency?old_size=3&new_size=${size}`)).status).toBe(400)
  })

  it('asks the index once about an id that keeps being asked for, whether it is there or not', async () => {
    const receipts = await grow(1)
    await publishAll()
    let asked = 0
    const counting = {
      getByName: (name: string) => {
        asked += 1
        return env.PUBLIC_LOG_INDEX.getByName(name)
      },
    }
    service = startService({ PUBLIC_LOG_INDEX: counting })
    for (let n = 0; n < 5; n += 1) {
      await get(`proof/${STRANGER}`)
      await get(`proof/${idOf(receipts, 0)}`)
    }
    expect(asked).toBe(2)
  })

  it('is 503 where the index does not answer', async () => {
    service = startService({ PUBLIC_LOG_INDEX: unreachable })
    expect(await refusalOf(await get(`proof/${STRANGER}`))).toMatchObject({ status: 503, retry_after: 5 })
  })
})

describe('provePublicConsistency', () => {
  it('leads from any size to the newest, and to any in between', async () => {
    const heads: Head[] = []
    for (const leaves of [1, 254, 1, 1, 300]) {
      await grow(leaves)
      await publishAll()
      vi.setSystemTime(Date.now() + 5000)
      heads.push(await read<Head>('sth'))
    }
    const newest = heads.at(-1)
    for (const [at, old] of heads.entries()) {
      const whole = await read<Consistency>(`consistency?old_size=${old.tree_size}`)
      expect(whole).toMatchObject({ v: 1, log: 'public', old_root: old.root_hash, new_root: newest?.root_hash })
      expect(verifyConsistency(whole).valid).toBe(true)
      const next = heads[at + 1] ?? old
      const part = await read<Consistency>(`consistency?old_size=${old.tree_size}&new_size=${next.tree_size}`)
      expect(part).toMatchObject({ old_root: old.root_hash, new_root: next.root_hash, new_size: next.tree_size })
      expect(verifyConsistency(part).valid).toBe(true)
    }
  })

  it.each([
    '?old_size=',
    '?old_size=0',
    '?old_size=-1',
    '?old_size=1.0',
    '?old_size=01',
    '?old_size=1e0',
    '?old_size=0x1',
    '?old_size=9007199254740993',
    '?old_size=99',
    '?old_size=2&new_size=1',
    '?old_size=1&new_size=99',
    '?old_size=1&new_size=',
  ])('refuses "%s"', async (query) => {
    await grow(3)
    await publishAll()
    const refusal = await refusalOf(await get(`consistency${query}`))
    expect(refusal).toMatchObject({ status: 400, code: 'invalid_request', param: 'old_size' })
  })

  it('asks for the older size', async () => {
    const refusal = await refusalOf(await get('consistency'))
    expect(refusal).toMatchObject({ status: 400, code: 'missing_parameter', param: 'old_size' })
  })

  it('of an empty log is refused', async () => {
    expect((await get('consistency?old_size=1')).status).toBe(400)
  })
})

describe.each([['consistency?old_size=2&new_size=6'], ['consistency?old_size=5'], ['tile/0/000.p/6']])(
  'GET %s',
  (path) => {
    it('is answered as soon as its size is served, though the isolate has an older head', async () => {
      await grow(3)
      await publishAll()
      await read<Head>('sth')
      await grow(3)
      await publishAll()
      vi.setSystemTime(noon + 300)
      expect((await get(path)).status).toBe(200)
    })
  },
)

describe('readPublicTile', () => {
  const bytesOf = async (path: string): Promise<string> =>
    new Uint8Array(await (await get(`tile/${path}`)).arrayBuffer()).toHex()

  it('gives the leaves of the log, in full tiles and in partial ones of any width', async () => {
    await grow(200)
    await publishAll()
    await grow(100)
    await publishAll()
    const hashes = (await leafHashes()).map((hash) => hash.toHex())
    expect(await bytesOf('0/000')).toBe(hashes.slice(0, 256).join(''))
    expect(await bytesOf('0/001.p/44')).toBe(hashes.slice(256).join(''))
    expect(await bytesOf('0/001.p/7')).toBe(hashes.slice(256, 263).join(''))
    expect(await bytesOf('0/000.p/200')).toBe(hashes.slice(0, 200).join(''))
    expect((await bytesOf('1/000.p/1')).length).toBe(64)
  })

  it('is bytes that may be kept for ever, to any origin, for HEAD too', async () => {
    await grow(1)
    await publishAll()
    const response = await get('tile/0/000.p/1', { method: 'HEAD' })
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'cache-control': 'public, max-age=31536000, immutable',
      'access-control-allow-origin': '*',
    })
    expect([response.status, await response.text()]).toEqual([200, ''])
  })

  it.each([
    '0/000',
    '0/000.p/4',
    '0/000.p/255',
    '0/001.p/1',
    '1/000.p/1',
    '6/000',
    '0/x999/x999/x999/x999/999',
    '0/x000/000.p/1',
    '0/000.p/0',
    '0/000.p/256',
    '7/000',
    '0/',
    '0',
    '',
    '0/000.p/1/',
    '0/..%2F..%2Fhead.json',
    '0/%2e%2e/head.json',
    '..%2Fhead.json',
    '0/000.p/1%00',
    '0/000%2Ep/1%20',
  ])('is 404 for what the served log has not, without looking for it: %s', async (path) => {
    await grow(3)
    await publishAll()
    const { asked, FILES } = countingFiles()
    service = startService({ FILES })
    expect(await refusalOf(await get(`tile/${path}`))).toMatchObject({ status: 404, code: 'not_found' })
    expect(asked.filter((key) => key !== 'public-log/head.json')).toEqual([])
  })

  it('is read once however often it is needed', async () => {
    const receipts = await grow(300)
    await publishAll()
    const { asked, FILES } = countingFiles()
    service = startService({ FILES })
    for (let n = 0; n < 3; n += 1) {
      await get('tile/0/000')
      await get(`proof/${idOf(receipts, 3)}`)
      await get('consistency?old_size=7')
    }
    expect(asked.toSorted()).toEqual([
      'public-log/head.json',
      'public-log/tile/0/000',
      'public-log/tile/0/001.p/44',
      'public-log/tile/1/000.p/1',
    ])
  })

  it('that is missing from storage under a served head is 503, never a wrong answer', async () => {
    await grow(300)
    await publishAll()
    await env.FILES.delete('public-log/tile/0/000')
    for (const path of ['tile/0/000.p/3', 'tile/0/000', 'consistency?old_size=1']) {
      expect(await refusalOf(await get(path))).toMatchObject({ status: 503 })
    }
  })
})

describe.each(['sth', `proof/${STRANGER}`, 'consistency?old_size=1', 'tile/0/000.p/1'])('GET %s', (path) => {
  it('is answered to any origin and to no other method', async () => {
    const response = await get(path, { method: 'POST' })
    expect(response.headers.get('allow')).toContain('GET')
    expect(await refusalOf(response)).toMatchObject({ status: 405, code: 'method_not_allowed' })
    expect((await get(path)).headers.get('access-control-allow-origin')).toBe('*')
    const preflight = await get(path, { method: 'OPTIONS', headers: { origin: 'https://example.org' } })
    expect(preflight.status).toBe(204)
  })

  it('tells nothing of the organisations that the leaves are from', async () => {
    await grow(2, 'source-of-a-test')
    await publishAll()
    const source = await inLog(({ sql }) => sql.exec<{ source: string }>('SELECT source FROM sources').one().source)
    const response = await get(path)
    const text = JSON.stringify([...response.headers]) + (await response.text())
    expect(source).toBe('source-of-a-test')
    expect(text).not.toContain(source)
    expect(text).not.toMatch(/org_[\da-f]{8}-/)
  })
})

it('keeps an answer about the newest head for two seconds', async () => {
  await grow(3)
  await publishAll()
  expect((await get('consistency?old_size=1')).headers.get('cache-control')).toBe('public, max-age=2')
})
