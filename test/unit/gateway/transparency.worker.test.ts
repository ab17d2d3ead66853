// The organisation's log over HTTP: heads under the service's key, proofs that verify against them, and every refusal.
import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { throwAwayKeys } from '../../../src/evidence/records/configured-keys.ts'
import { verifyHead } from '../../../src/evidence/records/tree-head.ts'
import { verifyConsistency, verifyInclusion } from '../../../src/evidence/tree/verify-proof.ts'
import { Journal } from '../../../src/organisation/journal/journal.ts'
import { readConfig } from '../../../src/platform/config.ts'
import { startService, withKey, type Service } from '../../support/unit/service.ts'
import { receiptAt } from '../organisation/journal/archived-ledger.ts'
import { noon } from '../organisation/chat-organisation.ts'

type Head = { org_id: string; tree_size: number; root_hash: string; signature: string; timestamp: string }
type Inclusion = { tree_size: number; root_hash: string; leaf_index: number }
type Consistency = { old_root: string; new_root: string; old_size: number; new_size: number }

const pinned = throwAwayKeys(readConfig(env).signingPepper.bytes).history.map(({ public_key }) => public_key)
const trust = { keys: pinned }

const RECEIPT = '0d3c1f4e-7b56-4b0e-8f21-5a9f3c2d1e00'
const STRANGER = '0d3c1f4e-7b56-4b0e-8f21-5a9f3c2d1e01'

let service: Service
let organisationId: string
let key: string

beforeEach(async () => {
  // No hour ends meanwhile, of which an alarm writes the counts down.
  vi.useFakeTimers({ toFake: ['Date'], now: noon })
  service = startService()
  organisationId = await service.createOrganisation()
  // The free tier would allow five calls a minute.
  await service.operate('PATCH', `/organisations/${organisationId}`, { tier: 'pro' })
  ;({ key } = await service.createKey({ prefix: 'aqta_' }, organisationId))
})

afterEach(() => vi.useRealTimers())

const object = (id = organisationId) => env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(id))
const grow = (): Promise<void> => object().log.recordAct({ actor: 'operator', act: 'test', requestId: 'req_test' })

/** Appends the receipt of this id. */
async function receive(attestationId = RECEIPT): Promise<number> {
  const position = await runInDurableObject(object(), (_, { storage }) =>
    storage.transactionSync(() => {
      const { record, ...receipt } = receiptAt(Date.now(), 30)
      const journal = new Journal(storage.sql)
      return journal.appendReceipt({ ...receipt, record: { ...record, attestation_id: attestationId } }, Date.now())
    }),
  )
  // It reads what it holds anew.
  await evictDurableObject(object())
  return position
}

const get = (path: string, with_ = key): Promise<Response> => service.fetch(`/v1/transparency/${path}`, withKey(with_))

async function read<T>(path: string): Promise<T> {
  const response = await get(path)
  expect(response.status).toBe(200)
  return response.json<T>()
}

async function refusalOf(response: Response) {
  const { error } = await response.json<{ error: { code: string; param?: string; retry_after?: number } }>()
  return { status: response.status, ...error }
}

describe('readTreeHead', () => {
  it('is signed by the service, for this organisation, over the size and root of its ledger', async () => {
    await grow()
    const head = await read<Head>('sth')
    const ledger = await runInDurableObject(object(), (_, { storage }) => {
      const { size, root } = new Journal(storage.sql).tree
      return { tree_size: size, root_hash: root.toHex() }
    })
    expect(head).toMatchObject({ v: 1, org_id: organisationId, ...ledger, algorithm: 'Ed25519' })
    expect(verifyHead(head, trust)).toMatchObject({ valid: true, keySource: 'pinned' })
    expect(verifyHead({ ...head, org_id: 'org_of_another' }, trust).valid).toBe(false)
    expect(head.timestamp).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/)
  })

  it('is the same for one size whenever it is asked for, evictions between; looking adds no leaf', async () => {
    const first = await read<Head>('sth')
    await evictDurableObject(object())
    const again = await read<Head>('sth')
    expect({ ...again, timestamp: '' }).toEqual({ ...first, timestamp: '' })
  })

  it('has another root once the ledger has grown', async () => {
    const before = await read<Head>('sth')
    await grow()
    const after = await read<Head>('sth')
    expect(after.tree_size).toBe(before.tree_size + 1)
    expect(after.root_hash).not.toBe(before.root_hash)
  })

  it('is 503 where no key signs, and is not to be repeated', async () => {
    service = startService({ ATTESTATION_KEYS: '[]' })
    const response = await get('sth')
    expect(response.headers.get('x-should-retry')).toBe('false')
    expect(await refusalOf(response)).toMatchObject({ status: 503, code: 'service_unavailable' })
  })
})

describe('proveInclusion', () => {
  it('verifies against a signed head, also one from before the log grew on', async () => {
    await grow()
    const position = await receive()
    const head = await read<Head>('sth')
    for (let n = 0; n < 6; n += 1) await grow()
    const newest = await read<Inclusion>(`proof/${RECEIPT}`)
    const then = await read<Inclusion>(`proof/${RECEIPT}?tree_size=${head.tree_size}`)
    expect([newest.leaf_index, newest.tree_size]).toEqual([position, head.tree_size + 6])
    expect(then).toMatchObject({ leaf_index: position, tree_size: head.tree_size, root_hash: head.root_hash })
    expect([verifyInclusion(newest).valid, verifyInclusion(then).valid]).toEqual([true, true])
  })

  it.each([STRANGER, RECEIPT.toUpperCase(), 'att_1', `${RECEIPT}%0A`, '%00'])(
    'answers 404 with retry-after for an id that is not there: %s',
    async (id) => {
      await receive()
      const response = await get(`proof/${id}`)
      expect(response.headers.get('retry-after')).toBe('60')
      expect(await refusalOf(response)).toMatchObject({ status: 404, code: 'not_found', retry_after: 60 })
    },
  )

  it('answers 404 for the receipt of another organisation', async () => {
    await receive()
    const stranger = await service.createKey({ prefix: 'aqta_' })
    expect((await get(`proof/${RECEIPT}`, stranger.key)).status).toBe(404)
  })

  it.each(['0', '1', '99', '-1', '1.5', '1e1', '', 'x'])('refuses the tree_size "%s"', async (size) => {
    await grow()
    await receive()
    const refusal = await refusalOf(await get(`proof/${RECEIPT}?tree_size=${size}`))
    expect(refusal).toMatchObject({ status: 400, code: 'invalid_request', param: 'tree_size' })
  })
})

describe('proveConsistency', () => {
  it('leads from any head that was served to the newest, and to one in between', async () => {
    const old = await read<Head>('sth')
    for (let n = 0; n < 3; n += 1) await grow()
    const middle = await read<Head>('sth')
    for (let n = 0; n < 3; n += 1) await grow()
    await evictDurableObject(object())
    const newest = await read<Head>('sth')
    const whole = await read<Consistency>(`consistency?old_size=${old.tree_size}`)
    const part = await read<Consistency>(`consistency?old_size=${old.tree_size}&new_size=${middle.tree_size}`)
    expect(whole).toMatchObject({ v: 1, org_id: organisationId, old_root: old.root_hash, new_root: newest.root_hash })
    expect(part).toMatchObject({ old_root: old.root_hash, new_root: middle.root_hash, new_size: middle.tree_size })
    expect([verifyConsistency(whole).valid, verifyConsistency(part).valid]).toEqual([true, true])
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
    const refusal = await refusalOf(await get(`consistency${query}`))
    expect(refusal).toMatchObject({ status: 400, code: 'invalid_request', param: 'old_size' })
  })

  it('asks for the older size', async () => {
    const refusal = await refusalOf(await get('consistency'))
    expect(refusal).toMatchObject({ status: 400, code: 'missing_parameter', param: 'old_size' })
  })
})

describe.each(['sth', `proof/${RECEIPT}`, 'consistency?old_size=1'])('GET %s', (path) => {
  it('is 401 with a key of the referral service, and with one that was revoked', async () => {
    await receive()
    const created = await service.createKey({ prefix: 'aqta_' }, organisationId)
    await service.operate('DELETE', `/organisations/${organisationId}/keys/${created.id}`)
    const referral = await service.createKey({}, organisationId)
    const statuses = [await get(path, referral.key), await get(path, created.key)].map(({ status }) => status)
    expect(statuses).toEqual([401, 401])
  })

  it('counts for the minute, and is refused when that is used up', async () => {
    await receive()
    await service.operate('PATCH', `/organisations/${organisationId}`, { tier: 'free' })
    const remaining: (string | null)[] = []
    // The receipt is of the first of five calls.
    for (let call = 1; call < 5; call += 1) {
      remaining.push((await get(path)).headers.get('x-ratelimit-remaining'))
    }
    expect(remaining).toEqual(['3', '2', '1', '0'])
    const response = await get(path)
    expect(response.headers.get('retry-after')).toMatch(/^\d+$/)
    expect(await refusalOf(response)).toMatchObject({ status: 429, code: 'rate_limit_exceeded' })
  })

  it('is answered to any key of the gateway, and never cached', async () => {
    await receive()
    const managing = await service.createKey({ prefix: 'sk-aqta-', scopes: ['manage'] }, organisationId)
    const response = await get(path, managing.key)
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store'])
  })
})
