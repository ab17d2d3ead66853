// The record of a person's decision: valid as it was signed, by a trusted key of its time, about one record and no other.
import { describe, expect, it } from 'vitest'
import {
  describeAcceptance,
  findAcceptFault,
  isAcceptanceOf,
  signAcceptance,
  type UnsignedAcceptRecord,
} from '../../../../src/evidence/records/accept-record.ts'
import { canonicalBytes } from '../../../../src/evidence/records/canonical-json.ts'
import { encodeBase64url } from '../../../../src/evidence/records/base64.ts'
import { importSigningKey } from '../../../../src/evidence/records/signing-key.ts'
import { verifyRecord, type PinnedTrust } from '../../../../src/evidence/records/verify-record.ts'
import { sha256 } from '../../../../src/platform/sha256.ts'
import { acceptanceOf, makeAcceptance, makeRefusal } from '../../../fixtures/evidence/invented-acceptance.ts'
import { oldKey, publishedKey, REVOKED, strangerKey, trustIn } from '../../../fixtures/evidence/invented-evidence.ts'

const trust: PinnedTrust = { keys: [oldKey.publicKey] }
const subject = await makeRefusal()
const record = await makeAcceptance(subject)

describe('a signed record', () => {
  it('is valid under a trusted key, whatever was decided, with a reason and without', async () => {
    for (const decision of ['ACCEPTED', 'OVERRIDDEN', 'ESCALATED'] as const) {
      const without = await makeAcceptance(subject, { decision, reasonHash: '', authority: '', policies: [] })
      expect(findAcceptFault(without, trust)).toBeNull()
    }
    expect(findAcceptFault(record, trust)).toBeNull()
    expect(findAcceptFault(record, trustIn(publishedKey(oldKey)))).toBeNull()
  })

  it('is no word of a key that nobody trusts, that had ended, or that is revoked', () => {
    expect(findAcceptFault(record, { keys: [strangerKey.publicKey] })).toBe('key_not_trusted')
    expect(findAcceptFault(record, { keys: [] })).toBe('no_trusted_key')
    const ended = publishedKey(oldKey, { status: 'retired', valid_until: '2026-11-19T00:00:00Z' })
    expect(findAcceptFault(record, trustIn(ended))).toBe('outside_key_period')
    expect(findAcceptFault(record, trustIn(publishedKey(oldKey, REVOKED)))).toBe('key_revoked')
  })

  it('has policies once and in the order of the format', async () => {
    const { policy_applied } = await makeAcceptance(subject, { policies: ['b', 'a', 'b'] })
    expect(policy_applied).toEqual(['a', 'b'])
  })
})

describe('the format’s publisher', () => {
  // The seed, the members and the signatures of two of the vectors published with the format (Aqta Technologies Ltd, CC-BY-4.0).
  const published = {
    v: 'accept-1',
    org_id: 'org-vector',
    subject_v: '1',
    subject_id: '00000000-0000-0000-0000-0000000000s1',
    subject_hash: 'dab5c58fd6ddfff99428486705ba12d0ccf97cc8c9dfbdd7f058b40892731e1a',
    reason_hash: '',
    policy_applied: ['adverse_action', 'affordability_v3'],
    timestamp: '2026-08-23T09:12:44.108231+00:00',
    public_key: 'j3Mkkm9t2FJCeuFwNfnFLJOQv_iqMit-2jLaiUuV8sE',
  } as const

  it.each<[Pick<UnsignedAcceptRecord, 'acceptance_id' | 'decision' | 'reviewer_ref' | 'reviewer_authority'>, string]>([
    [
      {
        acceptance_id: '00000000-0000-0000-0000-000000000001',
        decision: 'ACCEPTED',
        reviewer_ref: 'credit-officer c-1f8e',
        reviewer_authority: 'SME credit, limit EUR 150000',
      },
      'q6C-uM_0g_MgjTPrVk5_0oby99XXs6fO21g_kzKSnSeoqHrTCXLX-lgnm5Rpg1HtZj5FCM8bIH_90zYPcnBLBA',
    ],
    [
      {
        acceptance_id: '00000000-0000-0000-0000-000000000008',
        decision: 'OVERRIDDEN',
        reviewer_ref: 'prüfer m-90a2',
        reviewer_authority: 'Kreditprüfung, Größenlimit',
      },
      'GepvxF88hRZXsNKjsJ5c-Mur62ACiBVluy62zST-f6TOwIqgE0vJQl28Sbwl8R7sB8oCrWHrRrya4jVf1zMsCw',
    ],
  ])('signs the same bytes: %j', async (members, signature) => {
    const key = await importSigningKey(sha256('attestation-spec/test-vectors/accept-1'))
    const signed = await signAcceptance({ ...published, ...members }, key)
    expect(signed.signature).toBe(signature)
    expect(findAcceptFault(signed, { keys: [published.public_key] })).toBeNull()
  })

  it('binds to the same bytes of the record that it is about', () => {
    const receipt = {
      v: 1,
      attestation_id: published.subject_id,
      cost_prevented_eur: 0,
      model: 'gpt-4o',
      org_id: 'org-vector',
      outcome: 'BLOCKED',
      policy_applied: ['affordability_v3'],
      public_key: published.public_key,
      request_hash: '8f3a7e2b9c4d5f6a1b0c9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a',
      timestamp: published.timestamp,
      trace_id: 'trace-vector-accept',
      signature: 'of no matter',
    }
    expect(isAcceptanceOf(published, receipt)).toBe(true)
  })
})

describe('a changed record', () => {
  it('is not valid, whichever member was changed to another of its form', () => {
    const changes: Partial<UnsignedAcceptRecord>[] = [
      { acceptance_id: crypto.randomUUID() },
      { org_id: 'org_other' },
      { subject_v: 'action-1' },
      { subject_id: crypto.randomUUID() },
      { subject_hash: 'f'.repeat(64) },
      { decision: 'ACCEPTED' },
      { reason_hash: '' },
      { reviewer_ref: 'usr_other' },
      { reviewer_authority: 'owner' },
      { policy_applied: [] },
      { timestamp: '2026-11-20T06:00:01.000Z' },
    ]
    for (const change of changes) expect(findAcceptFault({ ...record, ...change }, trust)).toBe('signature_mismatch')
  })

  it.each(Object.keys(record))('is not valid without %s', (name) => {
    const { [name as keyof typeof record]: _, ...cut } = record
    expect(findAcceptFault(cut, trust)).toBe('missing_member')
  })

  it.each<[string, object]>([
    ['unknown_member', { reviewer_name: 'somebody' }],
    ['unsupported_version', { v: 1 }],
    ['unsupported_version', { v: 'action-1' }],
    ['not_a_text', { acceptance_id: 7 }],
    ['not_a_text', { reviewer_authority: null }],
    ['unknown_decision', { decision: 'DECLINED' }],
    ['unknown_subject', { subject_v: '2' }],
    ['unknown_subject', { subject_id: '' }],
    ['hash_malformed', { subject_hash: record.subject_hash.toUpperCase() }],
    ['hash_malformed', { reason_hash: 'because' }],
    ['no_reviewer', { reviewer_ref: '' }],
    ['policies_not_sorted', { policy_applied: ['z_last', 'a_first'] }],
    ['policies_not_strings', { policy_applied: [1] }],
    ['timestamp_malformed', { timestamp: '2026-11-20T06:00:00' }],
    ['key_not_trusted', { public_key: strangerKey.publicKey }],
    ['signature_malformed', { signature: 'short' }],
    ['signature_mismatch', { signature: 'A'.repeat(86) }],
  ])('is refused: %s', (fault, change) => {
    expect(findAcceptFault({ ...record, ...change }, trust)).toBe(fault)
  })

  it('is refused where its signature is over escaped characters', async () => {
    const { signature: _, ...unsigned } = { ...record, reviewer_ref: 'prüfer' }
    const escaped = new TextDecoder().decode(canonicalBytes(unsigned)).replace('ü', '\\u00fc')
    const signature = encodeBase64url(await oldKey.sign(new TextEncoder().encode(escaped)))
    expect(findAcceptFault({ ...unsigned, signature }, trust)).toBe('signature_mismatch')
  })

  it.each([null, 7, 'accept-1', [], [record]])('is none at all: %j', (value) => {
    expect(findAcceptFault(value, trust)).toBe('not_an_object')
  })
})

describe('one format in the place of the other', () => {
  it('is refused by either', () => {
    expect(findAcceptFault(subject, trust)).toBe('missing_member')
    expect(verifyRecord(record, trust)).toEqual({ valid: false, fault: 'missing_member' })
  })
})

describe('what it is about', () => {
  it('is one record, with whichever signature', () => {
    expect(isAcceptanceOf(record, subject)).toBe(true)
    expect(isAcceptanceOf(record, { ...subject, signature: 'another' })).toBe(true)
  })

  it('is no other record, and no other version of this one', async () => {
    expect(isAcceptanceOf(record, await makeRefusal())).toBe(false)
    for (const change of [{ outcome: 'ALLOWED' }, { org_id: 'org_other' }, { v: '1' }, { model: '\ud800' }]) {
      expect(isAcceptanceOf(record, { ...subject, ...change })).toBe(false)
    }
    expect(isAcceptanceOf({ ...record, org_id: 'org_other' }, subject)).toBe(false)
    expect(isAcceptanceOf({ ...record, subject_v: 'action-1' }, subject)).toBe(false)
  })
})

describe('signing', () => {
  it('refuses what no verifier would accept', async () => {
    const nobody = describeAcceptance(acceptanceOf(subject, { reviewer: '' }), oldKey.publicKey)
    await expect(signAcceptance(nobody, oldKey)).rejects.toThrow('no_reviewer')
    const { signature: _, ...unsigned } = record
    await expect(signAcceptance(unsigned, strangerKey)).rejects.toThrow('names another key')
  })
})
