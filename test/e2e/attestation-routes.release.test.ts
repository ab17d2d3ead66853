// The published keys, on a developer's machine and where keys are configured, and what a deployment without them does.
import { afterEach, describe, expect, it } from 'vitest'
import type { PublishedKey } from '../../src/evidence/records/key-history.ts'
import { keyIdOf } from '../../src/evidence/records/ed25519.ts'
import { seedSettingOf } from '../../src/evidence/records/configured-keys.ts'
import { publicKeyOf } from '../../src/evidence/records/signing-key.ts'
import { verifyRecord } from '../../src/evidence/records/verify-record.ts'
import { postJson } from '../support/e2e/deployment.ts'
import { ask, startGateway, type Aqta, type StartedGateway } from '../support/e2e/gateway.ts'

const seedOf = (filling: number): Uint8Array => new Uint8Array(32).fill(filling)
const [retired, active, coming] = [publicKeyOf(seedOf(1)), publicKeyOf(seedOf(2)), publicKeyOf(seedOf(3))]

const history = [
  { public_key: retired, status: 'retired', valid_from: '2026-01-01T00:00:00Z', valid_until: '2026-02-02T00:00:00Z' },
  { public_key: coming, status: 'active', valid_from: '2099-01-01T00:00:00Z', valid_until: null },
  { public_key: active, status: 'active', valid_from: '2026-02-01T00:00:00Z', valid_until: null },
]
const seeds = {
  [seedSettingOf(active)]: Buffer.from(seedOf(2)).toString('hex'),
  [seedSettingOf(coming)]: Buffer.from(seedOf(3)).toString('hex'),
}

let gateway: StartedGateway
afterEach(() => gateway.close())

const get = async (name: 'public-key' | 'keys') => {
  const response = await gateway.service.fetch(`/v1/attestation/${name}`)
  return {
    status: response.status,
    body: (await response.json()) as Record<string, unknown>,
    headers: response.headers,
  }
}

describe('where keys are configured', () => {
  it('all are published, newest first, and the newest whose time has come signs', async () => {
    gateway = await startGateway({ ATTESTATION_KEYS: JSON.stringify(history), ...seeds })
    const shown = await get('public-key')
    expect(shown.body).toEqual({
      public_key: active,
      key_id: keyIdOf(active),
      algorithm: 'Ed25519',
      format: 'base64url-raw',
      spec: 'https://github.com/Aqta-ai/attestation-spec',
      keys: '/v1/attestation/keys',
    })
    expect(shown.headers.get('cache-control')).toBe('public, max-age=300')
    const { body } = await get('keys')
    const keys = body['keys'] as PublishedKey[]
    expect(keys.map(({ public_key: key, status }) => [key, status])).toEqual([
      [coming, 'active'],
      [active, 'active'],
      [retired, 'retired'],
    ])
    expect(keys[2]).toEqual({
      ...history[0],
      key_id: keyIdOf(retired),
      algorithm: 'Ed25519',
      format: 'base64url-raw',
    })

    const { key } = await gateway.createKey()
    const { aqta } = (await (await gateway.chat(key, ask('gpt-4.1-mini'))).json()) as { aqta: Aqta }
    expect(verifyRecord(aqta.attestation, { keys: [active] }).valid).toBe(true)
  })
})

describe('where a published key has no seed yet', () => {
  it('all are published, the one before it signs, and the log names the setting', async () => {
    const { [seedSettingOf(coming)]: _, ...others } = seeds
    const due = history.map((key) => (key.public_key === coming ? { ...key, valid_from: '2026-03-01T00:00:00Z' } : key))
    gateway = await startGateway({ ATTESTATION_KEYS: JSON.stringify(due), ...others })
    expect((await get('public-key')).body['public_key']).toBe(active)
    const { body } = await get('keys')
    expect((body['keys'] as PublishedKey[]).map(({ public_key: key }) => key)).toEqual([coming, active, retired])
    const { key } = await gateway.createKey()
    const { aqta } = (await (await gateway.chat(key, ask('gpt-4.1-mini'))).json()) as { aqta: Aqta }
    expect(verifyRecord(aqta.attestation, { keys: [active] }).valid).toBe(true)
    const head = await gateway.service.fetch('/v1/public/transparency/sth')
    expect((await head.json()) as object).toMatchObject({ public_key: active })
    expect(gateway.service.logs().find((line) => line.includes('misconfigured'))).toContain(seedSettingOf(coming))
  })
})

describe('on a developer’s machine', () => {
  it('the key is one of the machine’s own, and says that nobody should trust it', async () => {
    gateway = await startGateway()
    for (const name of ['public-key', 'keys'] as const) {
      expect((await get(name)).body['note']).toContain('Do not trust it')
    }
  })
})

describe('where keys are missing or wrong', () => {
  const withoutSeed = Object.fromEntries(Object.entries(seeds).slice(1))
  it.each([
    ['no key yet', { ATTESTATION_KEYS: '[]' }, 'ATTESTATION_KEYS', 503],
    ['a history that is none', { ATTESTATION_KEYS: 'x' }, 'ATTESTATION_KEYS', 503],
    ['a seed missing', { ATTESTATION_KEYS: JSON.stringify(history), ...withoutSeed }, seedSettingOf(active), 200],
    [
      'another key’s seed',
      { ATTESTATION_KEYS: JSON.stringify(history), ...seeds, [seedSettingOf(active)]: '01'.repeat(32) },
      seedSettingOf(active),
      200,
    ],
  ])(
    '%s: letters are read, chat calls are 503 and reach nobody, keys that are known are published, evidence can be checked, and the log names the setting',
    async (_, vars, name, published) => {
      gateway = await startGateway(vars)
      expect([(await get('public-key')).status, (await get('keys')).status]).toEqual([503, published])
      expect((await gateway.service.fetch('/verify')).status).toBe(200)
      const { key, organisationId } = await gateway.createKey()
      const response = await gateway.chat(key, ask('gpt-4.1-mini'))
      expect([response.status, response.headers.get('x-should-retry')]).toEqual([503, 'false'])
      expect(response.headers.get('x-aqta-trace-id')).toBeNull()
      expect(gateway.emulator.requests()).toEqual([])
      const decided = await gateway.service.ledger(organisationId)
      expect(decided.filter(({ kind }) => kind !== 'operator_act')).toEqual([])

      const referral = await gateway.service.createKey()
      const held = postJson(referral.key, { action: 'book_appointment' })
      expect((await gateway.service.fetch('/v1/referral/read', held)).status).toBe(409)
      const misconfigured = gateway.service.logs().filter((line) => line.includes('misconfigured'))
      expect(misconfigured.length).toBeGreaterThan(0)
      for (const line of misconfigured) expect(line).toContain(name)
      expect(gateway.service.logs().join('')).not.toContain('01'.repeat(32))
    },
  )
})
