// GET /v1/attestations/{id}: the record of a call, given again, and the bundle that shows it to others; every refusal.
import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createSigner, seedSettingOf, throwAwayKeys } from '../../../src/evidence/records/configured-keys.ts'
import { decodeBase64url } from '../../../src/evidence/records/base64.ts'
import { receiptEntry } from '../../../src/evidence/records/receipt-entry.ts'
import { publicKeyOf } from '../../../src/evidence/records/signing-key.ts'
import { verifyHead } from '../../../src/evidence/records/tree-head.ts'
import { verifyRecord } from '../../../src/evidence/records/verify-record.ts'
import { EvidenceBundleSchema, type EvidenceBundle } from '../../../src/gateway/evidence.routes.ts'
import { traceIdOf } from '../../../src/evidence/records/attestation-record.ts'
import { parseKey } from '../../../src/keys/key-format.ts'
import { contentOf } from '../../../src/evidence/entry.ts'
import { hashLeaf } from '../../../src/evidence/tree/merkle-hash.ts'
import { verifyInclusion } from '../../../src/evidence/tree/verify-proof.ts'
import { readConfig } from '../../../src/platform/config.ts'
import { startService, withKey, type Service } from '../../support/unit/service.ts'
import { completeTile, openParts } from '../organisation/journal/archived-ledger.ts'
import { publishAll } from '../public-log/opened-log.ts'
import {
  factsOf,
  foundOrganisation,
  idOf,
  noon,
  positionOf,
  type ChatOrganisation,
  type FactsChange,
} from '../organisation/chat-organisation.ts'

const keys = throwAwayKeys(readConfig(env).signingPepper.bytes)
const pinned = { keys: keys.history.map(({ public_key: key }) => key) }
const publicKey = pinned.keys[0] ?? ''

let organisation: ChatOrganisation
let service: Service
let key: string

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: noon })
  organisation = await foundOrganisation({ tier: 'pro' })
  service = organisation.service
  ;({ key } = await service.createKey({ prefix: 'aqta_' }, organisation.id))
})
afterEach(() => vi.useRealTimers())

const object = () => env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(organisation.id))

/** A call that was admitted under the service’s key, and the ids of its record. */
async function admitted(more: FactsChange = {}) {
  const parsed = parseKey(key, readConfig(env).peppers)
  if (parsed === null) throw new Error('the issued key does not parse')
  const ids = { publicKey, organisationId: organisation.id }
  const admission = await object().admitChat({ ...factsOf({ ...parsed, id: parsed.keyId }, more), ...ids })
  return { admission, attestationId: idOf(admission), traceId: traceIdOf(idOf(admission)) }
}

const get = (id: string, with_ = key, from = service): Promise<Response> =>
  from.fetch(`/v1/attestations/${id}`, withKey(with_))

async function bundleOf(id: string): Promise<EvidenceBundle> {
  const response = await get(`${id}?bundle=true`)
  expect(response.status).toBe(200)
  return EvidenceBundleSchema().parse(await response.json())
}

async function refusalOf(response: Response) {
  const { error } = await response.json<{ error: { code: string; message: string; param?: string } }>()
  return { status: response.status, ...error }
}

const publish = async (): Promise<void> => {
  await organisation.runAlarm()
  await publishAll({ signer: createSigner(keys) })
}

const DAY_MS = 86_400_000

/** Entries that say nothing, until the newest tile is complete. The object reads what it holds anew. */
async function fillTile(): Promise<void> {
  await runInDurableObject(object(), (_, { storage, id }) =>
    completeTile(openParts(storage, id.toString()), Date.now()),
  )
  await evictDurableObject(object())
}

/** Alarms until the object wants none before the next hour. */
async function wakeUntilDone(): Promise<void> {
  for (let alarms = 0; alarms < 50; alarms += 1) {
    await organisation.runAlarm()
    if (((await organisation.alarmAt()) ?? 0) > Date.now() + 600_000) return
  }
  throw new Error('the object does not come to rest')
}

describe('the record', () => {
  it('is found by its attestation_id and by its trace_id, the same bytes each time, evictions between', async () => {
    const { admission, attestationId, traceId } = await admitted()
    const texts: string[] = []
    for (const id of [attestationId, traceId]) {
      const response = await get(id)
      expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store'])
      texts.push(await response.text())
      await evictDurableObject(object())
    }
    expect(texts[1]).toBe(texts[0])
    const record: unknown = JSON.parse(texts[0] ?? '')
    expect(verifyRecord(record, pinned)).toEqual({ valid: true, keySource: 'pinned' })
    expect(record).toMatchObject('record' in admission ? admission.record : {})
  })

  it('is there for a refusal too, and for any gateway key of the organisation', async () => {
    await organisation.set({ enabled_providers: [] })
    const { admission, attestationId } = await admitted()
    expect(admission.outcome).toBe('model_not_allowed')
    const managing = await service.createKey({ prefix: 'sk-aqta-', scopes: ['manage'] }, organisation.id)
    const response = await get(attestationId, managing.key)
    expect(await response.json()).toMatchObject({ attestation_id: attestationId, outcome: 'BLOCKED' })
  })

  it('is found with its settlement once both have left the database, and no more once their time is over', async () => {
    const { admission, attestationId, traceId } = await admitted()
    await organisation.settle(positionOf(admission), 5)
    const before = await (await get(attestationId)).text()
    await fillTile()
    await publish()
    vi.setSystemTime(noon + 10 * DAY_MS)
    await wakeUntilDone()
    expect(await organisation.query('SELECT MIN(position) AS first FROM entries')).toEqual([{ first: 256 }])
    await evictDurableObject(object())
    expect(await (await get(attestationId)).text()).toBe(before)
    expect(await (await get(traceId)).text()).toBe(before)
    const { record, settlement, organisation_log: own } = await bundleOf(attestationId)
    expect(settlement).toMatchObject({ settles: positionOf(admission), content: { cost_microeur: 5 } })
    expect(own.proof.leaf_hash).toBe(hashLeaf(receiptEntry(record)).toHex())
    expect(settlement?.proof.leaf_hash).toBe(
      hashLeaf(decodeBase64url(settlement?.entry ?? '') ?? new Uint8Array()).toHex(),
    )
    for (const proof of [own.proof, settlement?.proof]) expect(verifyInclusion(proof).valid).toBe(true)
    vi.setSystemTime(noon + 366 * DAY_MS)
    const refusal = await refusalOf(await get(attestationId))
    expect(refusal).toMatchObject({ status: 404, code: 'not_found' })
    expect(refusal.message).toContain('has expired')
  })

  it('is found while it waits for its tile, its content over or not', async () => {
    const { attestationId } = await admitted()
    await publish()
    vi.setSystemTime(noon + 10 * DAY_MS)
    await wakeUntilDone()
    expect((await get(attestationId)).status).toBe(200)
    vi.setSystemTime(noon + 366 * DAY_MS)
    await wakeUntilDone()
    expect((await refusalOf(await get(attestationId))).message).toContain('has expired')
  })
})

describe('what is not found', () => {
  it.each([
    crypto.randomUUID(),
    `tr_${'0'.repeat(32)}`,
    'tr_',
    'att_1',
    '%00',
    'a'.repeat(2000),
    '%F0%9F%92%A9',
    "'; DROP TABLE entries; --",
  ])('%s', async (id) => {
    await admitted()
    expect(await refusalOf(await get(encodeURI(id)))).toMatchObject({ status: 404, code: 'not_found' })
  })

  it('is an id in capitals or with anything around it', async () => {
    const { attestationId, traceId } = await admitted()
    for (const id of [
      attestationId.toUpperCase(),
      traceId.toUpperCase(),
      `${attestationId}%0A`,
      `tr_${attestationId}`,
    ]) {
      expect((await get(id)).status).toBe(404)
    }
  })

  it('is the record of another organisation, by either id, bundle or not', async () => {
    const { attestationId, traceId } = await admitted()
    const stranger = await service.createKey({ prefix: 'aqta_' })
    for (const id of [attestationId, traceId, `${attestationId}?bundle=true`]) {
      expect((await get(id, stranger.key)).status).toBe(404)
    }
  })

  const PERIOD = { valid_from: '2026-01-01T00:00:00Z', valid_until: '2026-02-01T00:00:00Z' }
  it.each([
    ['retired', [{ public_key: publicKey, status: 'retired', ...PERIOD }]],
    ['revoked', [{ public_key: publicKey, status: 'revoked', ...PERIOD }]],
    ['no longer in the history', []],
  ])(
    'is a record whose key is %s, without its seed: it says so, and not that the copy is valid',
    async (_, earlier) => {
      const { attestationId } = await admitted()
      const seed = new Uint8Array(32).fill(7)
      const history = [
        { public_key: publicKeyOf(seed), status: 'active', valid_from: '2026-02-01T00:00:00Z', valid_until: null },
        ...earlier,
      ]
      const rotated = startService({
        ATTESTATION_KEYS: JSON.stringify(history),
        [seedSettingOf(publicKeyOf(seed))]: seed.toHex(),
      })
      const refusal = await refusalOf(await get(attestationId, key, rotated))
      expect(refusal).toMatchObject({ status: 404, code: 'not_found' })
      expect(refusal.message).toContain('seed is gone')
      expect(refusal.message).not.toMatch(/retired|valid/)
    },
  )
})

describe('what is refused', () => {
  it('a call without a key, with one of the referral service, and with one that was revoked', async () => {
    const { attestationId } = await admitted()
    const created = await service.createKey({ prefix: 'aqta_' }, organisation.id)
    await service.operate('DELETE', `/organisations/${organisation.id}/keys/${created.id}`)
    const referral = await service.createKey({}, organisation.id)
    const none = await service.fetch(`/v1/attestations/${attestationId}`)
    const statuses = [none, await get(attestationId, referral.key), await get(attestationId, created.key)]
    expect(statuses.map(({ status }) => status)).toEqual([401, 401, 401])
  })

  it.each(['', '1', 'TRUE', 'yes'])('bundle=%s, and it is counted all the same', async (bundle) => {
    const { attestationId } = await admitted()
    const response = await get(`${attestationId}?bundle=${bundle}`)
    expect(response.headers.get('x-ratelimit-remaining')).toBe('998')
    expect(await refusalOf(response)).toMatchObject({ status: 400, code: 'invalid_request', param: 'bundle' })
  })

  it('a call over the minute’s limit; a used-up month does not hide a record', async () => {
    const { attestationId } = await admitted()
    await organisation.set({ tier: 'enterprise', requests_per_month: 1, requests_per_minute: 3 })
    const statuses: number[] = []
    for (let call = 0; call < 3; call += 1) statuses.push((await get(attestationId)).status)
    expect(statuses).toEqual([200, 200, 429])
  })

  it('everything, where the object cannot be reached: 503 and no record', async () => {
    const { attestationId } = await admitted()
    const unreachable = startService({
      ORGANISATIONS: {
        getByName: () => {
          throw new Error('unreachable')
        },
      },
    })
    expect((await get(attestationId, key, unreachable)).status).toBe(503)
  })
})

describe('the bundle', () => {
  it('holds a record, its settlement and its proofs in both logs, each of which verifies under the service’s key', async () => {
    await admitted()
    const { admission, attestationId } = await admitted()
    await organisation.settle(positionOf(admission), 42)
    await admitted()
    await publish()
    const bundle = await bundleOf(attestationId)
    const { record, settlement, organisation_log: own, public_log: open } = bundle
    if (settlement === null || open === null) throw new Error('not complete')

    expect(verifyRecord(record, pinned).valid).toBe(true)
    for (const { head, proof } of [own, open]) {
      expect(verifyHead(head, pinned)).toMatchObject({
        valid: true,
        treeSize: proof.tree_size,
        rootHash: proof.root_hash,
      })
      expect(verifyInclusion(proof).valid).toBe(true)
      expect(proof.leaf_hash).toBe(hashLeaf(receiptEntry(record)).toHex())
    }
    const entry = decodeBase64url(settlement.entry) ?? new Uint8Array()
    expect([entry[0], settlement.settles]).toEqual([0x80, own.proof.leaf_index])
    expect(contentOf(entry)).toEqual(settlement.content)
    expect(settlement.content).toMatchObject({ settles: positionOf(admission), cost_microeur: 42, ended: 'completed' })
    expect(settlement.proof).toMatchObject({
      leaf_hash: hashLeaf(entry).toHex(),
      tree_size: own.head.tree_size,
      root_hash: own.head.root_hash,
    })
    expect(verifyInclusion(settlement.proof).valid).toBe(true)
    const published = await service.fetch('/v1/attestation/keys')
    expect(await published.json()).toMatchObject(bundle.keys)
  })

  it('says that nothing is settled while the call runs, and that the public log has it not yet', async () => {
    const { attestationId } = await admitted()
    expect(await bundleOf(attestationId)).toMatchObject({ settlement: null, public_log: null })
  })

  it('of a refusal has no settlement', async () => {
    await organisation.set({ enabled_providers: [] })
    const { attestationId } = await admitted()
    await publish()
    const bundle = await bundleOf(attestationId)
    expect([bundle.record.outcome, bundle.settlement, bundle.public_log?.proof.leaf_index]).toEqual([
      'BLOCKED',
      null,
      0,
    ])
  })

  it('of a call that broke off says that it was interrupted', async () => {
    const { attestationId } = await admitted({ upFrontMicroeur: 9 })
    vi.setSystemTime(noon + 16 * 60_000)
    await organisation.runAlarm()
    expect((await bundleOf(attestationId)).settlement?.content).toMatchObject({
      ended: 'interrupted',
      cost_microeur: 9,
    })
  })

  it('names the settlement that held, though another came later', async () => {
    const { admission, attestationId } = await admitted()
    await organisation.settle(positionOf(admission), 1)
    await organisation.settle(positionOf(admission), 2)
    expect((await bundleOf(attestationId)).settlement?.content['cost_microeur']).toBe(1)
  })
})

describe('a settlement that has left', () => {
  /** A call that was settled, and both entries in sealed objects of R2. */
  async function settledAndLeft(between = 0) {
    const { admission, attestationId } = await admitted()
    for (let n = 0; n < between; n += 1) await admitted()
    await organisation.settle(positionOf(admission), 5)
    await fillTile()
    await publish()
    vi.setSystemTime(noon + 10 * DAY_MS)
    await wakeUntilDone()
    return { position: positionOf(admission), attestationId }
  }

  it('is that of the call, and of none beside it', async () => {
    const calls = []
    for (let n = 0; n < 4; n += 1) calls.push(await admitted())
    for (const [n, { admission }] of [...calls.entries()].toReversed()) {
      await organisation.settle(positionOf(admission), n + 1)
    }
    await fillTile()
    await publish()
    vi.setSystemTime(noon + 10 * DAY_MS)
    await wakeUntilDone()
    for (const [n, { admission, attestationId }] of calls.entries()) {
      const content = { settles: positionOf(admission), cost_microeur: n + 1 }
      expect((await bundleOf(attestationId)).settlement?.content).toMatchObject(content)
    }
  })

  it('is found in a later object than the call’s own', async () => {
    const { admission, attestationId } = await admitted()
    await fillTile()
    await organisation.settle(positionOf(admission), 8)
    await fillTile()
    await publish()
    vi.setSystemTime(noon + 10 * DAY_MS)
    await wakeUntilDone()
    expect(await organisation.query('SELECT MIN(position) AS first FROM entries')).toEqual([{ first: 512 }])
    expect((await bundleOf(attestationId)).settlement?.content['cost_microeur']).toBe(8)
  })

  it('is still found where only the call has left', async () => {
    const { admission, attestationId } = await admitted()
    await fillTile()
    await organisation.settle(positionOf(admission), 8)
    await publish()
    vi.setSystemTime(noon + 10 * DAY_MS)
    await wakeUntilDone()
    expect(await organisation.query('SELECT MIN(position) AS first FROM entries')).toEqual([{ first: 256 }])
    expect((await bundleOf(attestationId)).settlement?.content['cost_microeur']).toBe(8)
  })

  it('and cannot be read is not said to be none: the service says that it cannot tell', async () => {
    // Their retentions end on two days, so the decision and its settlement are in objects of their own: the second is lost.
    vi.setSystemTime(noon + DAY_MS / 2 - 60_000)
    const { admission, attestationId } = await admitted()
    await fillTile()
    vi.setSystemTime(noon + DAY_MS / 2 + 60_000)
    await organisation.settle(positionOf(admission), 8)
    await fillTile()
    await publish()
    vi.setSystemTime(noon + 10 * DAY_MS)
    await wakeUntilDone()
    expect((await bundleOf(attestationId)).settlement?.content['cost_microeur']).toBe(8)
    const { objects } = await env.FILES.list({ prefix: 'ledger/' })
    const later = objects.map(({ key: name }) => name).filter((name) => /\/256-256-/.test(name))
    expect(later).toHaveLength(1)
    await env.FILES.delete(later)
    await evictDurableObject(object())
    const answer = await get(`${attestationId}?bundle=true`)
    expect(answer.status).toBeGreaterThanOrEqual(500)
  })

  it('is none of a call that was settled in an object that is lost with it', async () => {
    const { attestationId } = await settledAndLeft(2)
    const { objects } = await env.FILES.list({ prefix: 'ledger/' })
    await env.FILES.delete(objects.map(({ key: name }) => name))
    expect((await get(attestationId)).status).toBeGreaterThanOrEqual(500)
  })
})
