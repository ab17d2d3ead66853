// The signed record on every chat answer whose decision was recorded: that it verifies, what it says, and that it is the
// leaf of the organisation's ledger.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createSigner, throwAwayKeys } from '../../src/evidence/records/configured-keys.ts'
import { readReceiptEntry } from '../../src/evidence/records/receipt-entry.ts'
import { type AttestationRecord, signRecord } from '../../src/evidence/records/attestation-record.ts'
import { requestHash } from '../../src/evidence/records/canonical-json.ts'
import { verifyRecord } from '../../src/evidence/records/verify-record.ts'
import { hashLeaf } from '../../src/evidence/tree/merkle-hash.ts'
import { PEPPER, withKey } from '../support/e2e/deployment.ts'
import { signInAs } from '../support/e2e/members.ts'
import {
  ask,
  parseEvents,
  sharedGateway,
  type Aqta,
  type ErrorAqta,
  type Gateway,
  type GatewayKey,
} from '../support/e2e/gateway.ts'

const MARK = 'cinnabar-heliotrope'

let gateway: Gateway
let pro: GatewayKey
let publicKey: string
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'attestations-'))
  gateway = await sharedGateway()
  pro = await gateway.createKey()
  const shown = (await (await gateway.service.fetch('/v1/attestation/public-key')).json()) as { public_key: string }
  publicKey = shown.public_key
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
})
beforeEach(() => gateway.emulator.reset())

type Answered = { aqta?: Aqta | ErrorAqta }

/** `aqta` of an answer, wherever on it that is. */
function aqtaOf(type: string | null, text: string): Aqta | ErrorAqta {
  const isStream = type?.startsWith('text/event-stream')
  const last: Answered | undefined = isStream ? parseEvents(text).chunks.at(-1) : (JSON.parse(text) as Answered)
  if (last?.aqta === undefined) throw new Error(`no aqta in ${text}`)
  return last.aqta
}

async function attested(from: GatewayKey, body: object, headers: Record<string, string> = {}) {
  const response = await gateway.chat(from.key, body, { headers })
  const text = await response.text()
  const given = (name: string) => response.headers.get(name)
  const ids = { traceId: given('x-aqta-trace-id'), attestationId: given('x-aqta-attestation-id') }
  const aqta = aqtaOf(response.headers.get('content-type'), text)
  const attestation = 'attestation' in aqta ? aqta.attestation : await gateway.record(from, aqta.attestation_id)
  return { status: response.status, ...ids, aqta, isError: 'attestation_id' in aqta, attestation, text }
}

/** The record that is given again, by either id. */
async function givenAgain(from: GatewayKey, id: string | null): Promise<AttestationRecord> {
  const response = await gateway.service.fetch(`/v1/attestations/${id}`, withKey(from.key))
  return (await response.json()) as AttestationRecord
}

const pinned = () => ({ keys: [publicKey] })

const whole = () => ask('gpt-4.1-mini', { temperature: 0.5, user: `${MARK} größe` })
const streamed = () => ask('claude-haiku-4-5', { stream: true })
const withUsage = () => ask('gpt-4.1-mini', { stream: true, stream_options: { include_usage: true } })

describe('every answer whose decision was recorded has a record that verifies under the published key', () => {
  const paths: [what: string, status: number, body: () => { model: string }, behaviours: string[]][] = [
    ['an answer in one piece', 200, whole, []],
    ['an answer of another provider', 200, () => ask('gemini-3.8-flash'), []],
    ['a stream', 200, streamed, []],
    ['a stream passed on', 200, () => ask('gpt-4.1-mini', { stream: true }), []],
    ['a stream with usage', 200, withUsage, []],
    ['a stream that breaks off', 200, () => ask('gpt-4.1-mini', { stream: true }), ['cut']],
    ['a failure of the provider', 502, whole, ['500']],
    ['a failure before a stream', 502, withUsage, ['500']],
    ['a provider that is not reached', 502, whole, ['522', '522', '522']],
    ['a provider that is too slow', 504, whole, ['never']],
  ]
  it.each(paths)('%s', async (_, expected, make, behaviours) => {
    if (behaviours.length > 0) gateway.emulator.behave('openai', behaviours)
    const body = make()
    const deadline: Record<string, string> = expected === 504 ? { 'x-aqta-deadline-ms': '3000' } : {}
    const { status, traceId, attestationId, attestation, isError, text } = await attested(pro, body, deadline)
    expect([status, isError]).toEqual([expected, behaviours.length > 0])
    // Clients take an error with such words in it for another one, and repeat the call.
    if (isError) expect(text).not.toMatch(/policy_applied|rate.?limit|loop_guard/i)
    expect(attestationId).toBe(attestation.attestation_id)
    expect(await givenAgain(pro, attestationId)).toEqual(attestation)
    expect(await givenAgain(pro, traceId)).toEqual(attestation)
    expect(verifyRecord(attestation, pinned())).toEqual({ valid: true, keySource: 'pinned' })
    expect(attestation).toMatchObject({
      trace_id: traceId,
      org_id: pro.organisationId,
      request_hash: requestHash(body),
      model: body.model,
      outcome: 'ALLOWED',
      policy_applied: ['loop_guard', 'model_allowlist', 'rate_limit'],
      cost_prevented_eur: 0,
    })
  })

  it('a model that is not allowed, with what its input would have cost', async () => {
    const free = await gateway.createKey({ tier: 'free' })
    const messages = [{ role: 'user', content: 'x'.repeat(30_000) }]
    const { status, attestation } = await attested(free, { model: 'claude-opus-5', messages, max_tokens: 1 })
    const more = await attested(free, { model: 'claude-opus-5', messages, max_tokens: 1000 })
    expect(status).toBe(403)
    expect(verifyRecord(attestation, pinned()).valid).toBe(true)
    expect(attestation).toMatchObject({ outcome: 'BLOCKED', policy_applied: ['model_allowlist'] })
    expect(attestation.cost_prevented_eur).toBeGreaterThan(0.01)
    expect(more.attestation.cost_prevented_eur).toBe(attestation.cost_prevented_eur)
  })

  it('a loop', async () => {
    const own = await gateway.createKey()
    const body = ask('gpt-4.1-mini')
    for (let n = 0; n < 4; n++) await gateway.chat(own.key, body)
    const { status, attestation } = await attested(own, body)
    expect(status).toBe(429)
    expect(verifyRecord(attestation, pinned()).valid).toBe(true)
    expect(attestation).toMatchObject({ outcome: 'SUPPRESSED', policy_applied: ['loop_guard'] })
    expect(attestation.cost_prevented_eur).toBeGreaterThan(0)
  })

  it.each([false, true])('loops of a key for evaluation, which pass and are told; stream: %s', async (stream) => {
    const { organisationId } = await gateway.createKey()
    const { headers } = await signInAs(gateway.service, organisationId, 'owner')
    const asOwner = { 'content-type': 'application/json', 'x-aqta-organisation': organisationId, ...headers }
    const expires_at = new Date(Date.now() + 86_400_000).toISOString()
    const form = JSON.stringify({ name: 'A suite', evaluation: true, expires_at })
    const made = await gateway.service.fetch('/api/keys', { method: 'POST', headers: asOwner, body: form })
    const suite = { ...((await made.json()) as { id: string; key: string }), organisationId }

    const body = ask('gpt-4.1-mini', { stream })
    const calls = []
    for (let n = 0; n < 6; n++) calls.push(await attested(suite, body))
    const told = calls.map(({ aqta: { loop_detected, status } }) => [loop_detected, status])
    expect(told).toEqual([false, false, false, false, true, true].map((isLoop) => [isLoop, 'passed']))
    for (const { attestation } of calls) {
      expect(verifyRecord(attestation, pinned()).valid).toBe(true)
      const unlooped = { outcome: 'ALLOWED', policy_applied: ['model_allowlist', 'rate_limit'], cost_prevented_eur: 0 }
      expect(attestation).toMatchObject(unlooped)
    }
    await gateway.settlements(organisationId, 6)
    const ledger = await gateway.service.ledger(organisationId)
    expect(ledger).toContainEqual(expect.objectContaining({ act: 'key.create', key_id: suite.id, evaluation: true }))
    expect(ledger.filter(({ outcome }) => outcome === 'ALLOWED').map(({ reason }) => reason)).toEqual([
      ...Array.from({ length: 4 }, () => null),
      'loop_reported',
      'loop_reported',
    ])
    const analytics = await gateway.service.fetch('/api/analytics/requests', { headers: asOwner })
    expect(((await analytics.json()) as { totals: object }).totals).toMatchObject({
      requests: 6,
      passed: 6,
      suppressed: 0,
    })
  })

  it('and no two of them have one id', async () => {
    const body = ask('gpt-4.1-mini')
    const answers = [await attested(pro, body), await attested(pro, body)]
    const ids = answers.map(({ attestation }) => attestation.attestation_id)
    expect(new Set(ids).size).toBe(2)
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })
})

describe('an answer under a budget', () => {
  it('says that the budget was looked at too', async () => {
    const own = await gateway.createKey({ monthly_budget_eur: 10 })
    const { attestation } = await attested(own, whole())
    expect(attestation.policy_applied).toEqual(['budget_guard', 'loop_guard', 'model_allowlist', 'rate_limit'])
  })
})

describe('the record', () => {
  it('is checked by countersign-verify in the answer as it came, and against the request as it was sent', async () => {
    const body = whole()
    const { attestation, text } = await attested(pro, body)
    const write = (name: string, content: string): string => {
      const path = join(folder, name)
      writeFileSync(path, content)
      return path
    }
    const verify = (...args: string[]) =>
      spawnSync(process.execPath, ['scripts/countersign-verify.ts', ...args, '--key', publicKey]).status
    const answer = write('answer.json', text)
    const changed = JSON.stringify({ ...attestation, model: 'gpt-4.1' })
    expect(verify(answer, '--request', write('request.json', JSON.stringify(body)))).toBe(0)
    expect(verify(answer, '--request', write('other.json', JSON.stringify({ ...body, n: 2 })))).toBe(1)
    expect(verify(write('changed.json', changed))).toBe(1)
  })

  it('has one request hash however the members stand and the characters are escaped', async () => {
    const text = '{ "messages": [{"content": "Gr\\u00f6\\u00dfe", "role": "user"}], "n": 1.0, "model": "gpt-4.1-mini" }'
    const response = await gateway.chat(pro.key, null, { text })
    const { aqta } = (await response.json()) as { aqta: Aqta }
    const same = { model: 'gpt-4.1-mini', n: 1, messages: [{ role: 'user', content: 'Größe' }] }
    expect(aqta.attestation.request_hash).toBe(requestHash(same))
  })

  it('is valid no more once any member is changed, taken away or added', async () => {
    const { attestation } = await attested(pro, whole())
    const changes: Partial<Record<keyof AttestationRecord, unknown>> = {
      v: 2,
      attestation_id: crypto.randomUUID(),
      trace_id: `tr_${'0'.repeat(32)}`,
      org_id: 'org_other',
      request_hash: '0'.repeat(64),
      model: 'gpt-4.1',
      outcome: 'BLOCKED',
      policy_applied: ['loop_guard'],
      cost_prevented_eur: 0.000001,
      timestamp: new Date(Date.parse(attestation.timestamp) + 1).toISOString(),
      public_key: 'A'.repeat(43),
      signature: `${attestation.signature.startsWith('A') ? 'B' : 'A'}${attestation.signature.slice(1)}`,
    }
    expect(Object.keys(changes).toSorted()).toEqual(Object.keys(attestation).toSorted())
    for (const [name, value] of Object.entries(changes)) {
      const without = Object.fromEntries(Object.entries(attestation).filter(([member]) => member !== name))
      for (const changed of [{ ...attestation, [name]: value }, without]) {
        expect(verifyRecord(changed, pinned()).valid, name).toBe(false)
      }
    }
    expect(verifyRecord({ ...attestation, note: '' }, pinned()).valid).toBe(false)
  })

  it('is a leaf of the ledger, from which it can be signed again, byte for byte', async () => {
    const own = await gateway.createKey({ tier: 'free' })
    const answers = [await attested(own, whole()), await attested(own, ask('claude-opus-5'))]
    const { keyNamed } = createSigner(throwAwayKeys(PEPPER))
    const again: AttestationRecord[] = []
    for (const { entry, hash } of await gateway.service.leaves(own.organisationId)) {
      expect(hashLeaf(entry)).toEqual(hash)
      const record = readReceiptEntry(entry)
      const key = record && (await keyNamed(record.public_key))
      if (record && key) again.push(await signRecord(record, key))
    }
    // The same members with the same values; their order is no part of a record.
    expect(again).toEqual(answers.map(({ attestation }) => attestation))
  })
})
