// From a decision to a signed record, to its entry in the log and back.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalBytes, canonicalJson, requestHash } from '../../../../src/evidence/records/canonical-json.ts'
import { readReceiptEntry, receiptEntry } from '../../../../src/evidence/records/receipt-entry.ts'
import {
  describeDecision,
  signedBytes,
  type Decision,
  signRecord,
} from '../../../../src/evidence/records/attestation-record.ts'
import { importSigningKey } from '../../../../src/evidence/records/signing-key.ts'
import { verifyRecord } from '../../../../src/evidence/records/verify-record.ts'
import { hashRequest } from '../../../../src/gateway/call/request-hash.ts'
import { judge } from './second-verifier.ts'

const key = await importSigningKey(new Uint8Array(32).fill(7))

const decision: Decision = {
  attestationId: '0a5ff7c9-7f6e-4f7b-8f25-0d8a3c1b9e11',
  organisationId: 'org_invented',
  requestHash: requestHash({ model: 'invented-model', messages: [] }),
  model: 'invented-model',
  outcome: 'BLOCKED',
  policies: ['loop_guard', 'budget_guard', 'loop_guard'],
  costPreventedMicroeur: 15,
  decidedAt: Date.UTC(2026, 10, 20, 5),
}

const unsigned = describeDecision(decision, key.publicKey)

describe('describeDecision', () => {
  it('sorts the policies, drops doubles and writes euros', () => {
    expect(unsigned).toMatchObject({
      v: 1,
      policy_applied: ['budget_guard', 'loop_guard'],
      cost_prevented_eur: 0.000015,
      timestamp: '2026-11-20T05:00:00.000Z',
      public_key: key.publicKey,
    })
  })

  it('sorts by UTF-16 code unit', () => {
    const { policy_applied } = describeDecision({ ...decision, policies: ['\uE000', '😀'] }, key.publicKey)
    expect(policy_applied).toEqual(['😀', '\uE000'])
  })

  it.each([-1, 0.5, Number.NaN, Infinity])('refuses a cost of %d microeuros', (costPreventedMicroeur) => {
    expect(() => describeDecision({ ...decision, costPreventedMicroeur }, key.publicKey)).toThrow(TypeError)
  })
})

describe('signRecord', () => {
  it('makes a record that verifies under the key, and under no other', async () => {
    const record = await signRecord(unsigned, key)
    expect(verifyRecord(record, { keys: [key.publicKey] })).toEqual({ valid: true, keySource: 'pinned' })
    const other = await importSigningKey(new Uint8Array(32).fill(8))
    expect(verifyRecord(record, { keys: [other.publicKey] })).toEqual({ valid: false, fault: 'key_not_trusted' })
  })

  it('signs whatever a decision can hold so that both verifiers agree', async () => {
    const decisions = fc.record({
      attestationId: fc.uuid({ version: 4 }),
      traceId: fc.string({ unit: 'binary' }),
      organisationId: fc.string({ unit: 'grapheme' }),
      requestHash: fc.constant(decision.requestHash),
      model: fc.string({ unit: 'binary' }),
      outcome: fc.constantFrom('ALLOWED' as const, 'BLOCKED' as const, 'SUPPRESSED' as const),
      policies: fc.array(fc.string({ unit: 'binary' })),
      costPreventedMicroeur: fc.maxSafeNat(),
      decidedAt: fc.nat({ max: 4_102_444_800_000 }),
    })
    await fc.assert(
      fc.asyncProperty(decisions, async (made) => {
        const record = await signRecord(describeDecision(made, key.publicKey), key)
        expect(verifyRecord(record, { keys: [key.publicKey] })).toMatchObject({ valid: true })
        expect(await judge(new TextEncoder().encode(JSON.stringify(record)), [key.publicKey])).toBe('valid')
      }),
      { numRuns: 100 },
    )
  })

  it.each([
    ['another key', { public_key: 'A'.repeat(43) }],
    ['a hash that is none', { request_hash: 'none' }],
    ['policies out of order', { policy_applied: ['b', 'a'] }],
    ['half a surrogate pair', { model: '\ud83d' }],
  ])('refuses %s', async (_, change) => {
    await expect(signRecord({ ...unsigned, ...change }, key)).rejects.toThrow(TypeError)
  })
})

describe('a receipt’s entry', () => {
  it('is a zero and the signed bytes, with or without the signature', async () => {
    const entry = receiptEntry(unsigned)
    expect(entry[0]).toBe(0)
    expect(entry.subarray(1)).toEqual(signedBytes(unsigned))
    expect(receiptEntry(await signRecord(unsigned, key))).toEqual(entry)
  })

  it('is enough to sign the record again, byte for byte', async () => {
    const again = readReceiptEntry(receiptEntry(unsigned))
    if (again === null) throw new Error('unreadable')
    expect(canonicalJson(await signRecord(again, key))).toBe(canonicalJson(await signRecord(unsigned, key)))
  })

  it.each<[string, Uint8Array]>([
    ['of another kind', Uint8Array.of(0x81, ...signedBytes(unsigned))],
    ['empty', new Uint8Array()],
    ['not JSON', Uint8Array.of(0, 1, 2)],
    ['not canonical', Uint8Array.of(0, ...new TextEncoder().encode(JSON.stringify(unsigned)))],
    ['of a record with a member too few', Uint8Array.of(0, ...canonicalBytes({ v: 1 }))],
    ['of a record with a model that is no text', Uint8Array.of(0, ...canonicalBytes({ ...unsigned, model: null }))],
  ])('is refused when it is %s', (_, entry) => {
    expect(readReceiptEntry(entry)).toBeNull()
  })
})

describe('requestHash', () => {
  it('does not depend on order, white space or how characters are written', () => {
    const first: unknown = JSON.parse('{"model":"m","messages":[{"role":"user","content":"\\u00e9"}],"n":1.0}')
    const second: unknown = JSON.parse('{ "n": 1, "messages": [{"content":"é","role":"user"}], "model": "m" }')
    expect(requestHash(first)).toBe(requestHash(second))
  })

  it('is the SHA-256 of the canonical JSON', () => {
    // printf '{"messages":[{"content":"é","role":"user"}],"model":"m"}' | sha256sum
    expect(requestHash({ model: 'm', messages: [{ role: 'user', content: 'é' }] })).toBe(
      'a2c7407eff95b5c502141a1edf5c79c99248361836acc7a3a5141baeb9f67b82',
    )
  })

  it('is the hash the gateway takes of a request', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (body) => {
        expect(hashRequest(body)).toBe(requestHash(body))
      }),
    )
  })

  it('refuses what has no canonical JSON', () => {
    expect(() => requestHash({ content: '\udc00' })).toThrow(TypeError)
  })
})
