// The policy through the built Worker: each rule lets pass, refuses, and stops where it was taken away; what is refused reaches no
// provider, and its record verifies and says why.
import { readFileSync } from 'node:fs'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { verifyRecord } from '../../src/evidence/records/verify-record.ts'
import {
  ask,
  PIXEL,
  sharedGateway,
  type Aqta,
  type ErrorAqta,
  type Gateway,
  type GatewayKey,
} from '../support/e2e/gateway.ts'

let gateway: Gateway
let key: GatewayKey
let publicKey: string

beforeAll(async () => {
  gateway = await sharedGateway()
  publicKey = await gateway.publicKey()
})
beforeEach(async () => {
  gateway.emulator.reset()
  key = await gateway.createKey({}, { scopes: ['chat', 'manage'] })
})

const put = (document: object): Promise<void> => gateway.putPolicy(key, document)

type Refused = { error: { code: string; policy?: string; reason?: string; message: string }; aqta: ErrorAqta }

async function refusalOf(body: unknown, headers: Record<string, string> = {}) {
  const response = await gateway.chat(key.key, body, { headers })
  expect([response.status, response.headers.get('x-should-retry')]).toEqual([403, 'false'])
  expect(response.headers.get('x-aqta-status')).toBe('blocked')
  const { error, aqta } = (await response.json()) as Refused
  return { ...error, aqta }
}

const withPicture = () =>
  ask('gpt-4.1-mini', {
    messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: PIXEL } }] }],
  })

describe.each([
  [
    'model_allowlist',
    { model_allowlist: { models: ['sonar'] } },
    'model_not_in_policy',
    () => ({ body: ask('gpt-4.1-mini'), headers: {} }),
    () => ({ body: ask('sonar'), headers: {} }),
  ],
  [
    'content_type_guard',
    { content_type_guard: { allow: ['text'] } },
    'image_not_allowed',
    () => ({ body: withPicture(), headers: {} }),
    () => ({ body: ask('gpt-4.1-mini'), headers: {} }),
  ],
  [
    'use_case_guard',
    { use_case_guard: { required: true, allow: ['triage-notes'] } },
    'use_case_not_allowed',
    () => ({ body: ask('gpt-4.1-mini'), headers: { 'x-aqta-use-case': 'marketing' } }),
    () => ({ body: ask('gpt-4.1-mini'), headers: { 'x-aqta-use-case': 'triage-notes' } }),
  ],
])('%s', (policy, document, reason, refused, allowed) => {
  it('refuses before any provider, with a record that verifies and an entry that says why', async () => {
    await put(document)
    const { body, headers } = refused()
    const { aqta, ...error } = await refusalOf(body, headers)
    expect(error).toMatchObject({ code: 'policy_blocked', policy, reason })
    expect(gateway.emulator.requests()).toEqual([])
    const record = await gateway.record(key, aqta.attestation_id)
    expect(verifyRecord(record, { keys: [publicKey] })).toMatchObject({ valid: true })
    expect(record).toMatchObject({ outcome: 'BLOCKED', policy_applied: [policy] })
    const entries = await gateway.service.ledger(key.organisationId)
    expect(entries.findLast(({ kind }) => kind === 'chat_decision')).toMatchObject({
      outcome: 'BLOCKED',
      reason,
      policy_version: 1,
    })
  })

  it('lets pass what it allows, and everything once it is taken away', async () => {
    await put(document)
    const { body, headers } = allowed()
    const passed = await gateway.chat(key.key, body, { headers })
    const { aqta } = (await passed.json()) as { aqta: Aqta }
    expect([passed.status, aqta.attestation.policy_applied.includes(policy)]).toEqual([200, true])
    await put({})
    const before = refused()
    expect((await gateway.chat(key.key, before.body, { headers: before.headers })).status).toBe(200)
  })
})

describe('a cohort', () => {
  const sendIn = (cohort: string) =>
    gateway.chat(key.key, ask('gpt-4.1-mini'), { headers: { 'x-aqta-cohort': cohort } })

  it('goes beside the record of its call, where the policy declares it', async () => {
    await put({ bias: { cohorts: ['group-a', 'group-b'] } })
    const answered = await sendIn('group-b')
    const { aqta } = (await answered.json()) as { aqta: Aqta }
    expect([answered.status, JSON.stringify(aqta).includes('group-b')]).toEqual([200, false])
    const entries = await gateway.service.ledger(key.organisationId)
    expect(entries.findLast(({ kind }) => kind === 'chat_decision')).toMatchObject({ cohort: 'group-b' })
  })

  it.each([
    ['of no policy', {}],
    ['that the policy does not name', { bias: { cohorts: ['group-a'] } }],
  ])('%s is refused with 400: nothing is recorded or sent', async (_, document) => {
    await put(document)
    const refused = await sendIn('group-b')
    const { error } = (await refused.json()) as { error: { code: string; param: string; message: string } }
    expect([refused.status, error.code, error.param]).toEqual([400, 'invalid_request', 'x-aqta-cohort'])
    expect(error.message).toContain('bias.cohorts')
    expect(gateway.emulator.requests()).toEqual([])
    const entries = await gateway.service.ledger(key.organisationId)
    expect(entries.filter(({ kind }) => kind === 'chat_decision')).toEqual([])
  })

  it('is none of more than twelve, nor twice the same', async () => {
    const labels = Array.from({ length: 13 }, (_, n) => `group-${n}`)
    await expect(put({ bias: { cohorts: labels } })).rejects.toThrow()
    await expect(put({ bias: { cohorts: ['group-a', 'group-a'] } })).rejects.toThrow()
  })
})

describe('a policy', () => {
  it('is of its own organisation alone', async () => {
    await put({ model_allowlist: { models: [] } })
    const other = await gateway.createKey()
    expect((await gateway.chat(other.key, ask('gpt-4.1-mini'))).status).toBe(200)
  })
})

describe('a change while 500 calls are under way', () => {
  it('holds for every decision that comes after it in the ledger, also where texts are looked through', async () => {
    const document = { pii_scan: { default: 'ignore', shapes: { eircode: 'block' } } }
    const calls = (count: number) =>
      Array.from({ length: count }, async (_, n) => {
        const messages = [{ role: 'user', content: `Number ${n} of ${count} at D02 X285` }]
        const response = await gateway.chat(key.key, { model: 'gpt-4.1-mini', messages })
        await response.body?.cancel()
        return response.status
      })
    const around = calls(240)
    const changed = put(document)
    around.push(...calls(240))
    await changed
    const answered = await Promise.all([...around, ...calls(20)])

    const entries = await gateway.service.ledger(key.organisationId)
    const changedAt = entries.findIndex(({ act }) => act === 'policy.put')
    const decisions = entries.map(({ outcome, reason, policy_version: version = 0 }, at) => ({
      at,
      outcome,
      reason,
      version,
    }))
    const allowed = decisions.filter(({ outcome }) => outcome === 'ALLOWED')
    const blocked = decisions.filter(({ outcome }) => outcome === 'BLOCKED')
    expect(allowed.every(({ at, version }) => at < changedAt && version === 0)).toBe(true)
    expect(
      blocked.every(({ at, version, reason }) => at > changedAt && version === 1 && reason === 'found: eircode'),
    ).toBe(true)
    expect(allowed.length + blocked.length).toBe(500)
    expect(blocked.length).toBeGreaterThanOrEqual(20)
    expect(answered.filter((status) => status === 403)).toHaveLength(blocked.length)
    expect(gateway.emulator.requests()).toHaveLength(allowed.length)
  })
})

it('the line of docs/keep-calls-in-europe.md, pasted, leaves the guard of personal data in force', async () => {
  await put({ pii_scan: { default: 'block' } })
  const pasted = /-X (\w+) "\$URL\/api\/policies"[^]*?-d '([^']+)'/.exec(
    readFileSync('docs/keep-calls-in-europe.md', 'utf8'),
  )
  const [, method = '', body = ''] = pasted ?? []
  const headers = { authorization: `Bearer ${key.key}`, 'content-type': 'application/json' }
  const answer = await gateway.service.fetch('/api/policies', { method, headers, body })
  expect(await answer.json()).toMatchObject({
    document: { pii_scan: { default: 'block' }, data_region: { within: 'eea_ch' } },
    warnings: [],
  })
})
