// The record of an erasure: valid as it was signed, by a trusted key of its time, and in no other way.
import { describe, expect, it } from 'vitest'
import {
  findErasureFault,
  signErasure,
  type UnsignedErasureRecord,
} from '../../../../src/evidence/records/erasure-record.ts'
import type { PinnedTrust } from '../../../../src/evidence/records/verify-record.ts'
import { makeErasure, unsignedErasure } from '../../../fixtures/evidence/invented-erasure.ts'
import {
  makeRecord,
  newKey,
  oldKey,
  publishedKey,
  REVOKED,
  strangerKey,
  trustIn,
} from '../../../fixtures/evidence/invented-evidence.ts'

const trust: PinnedTrust = { keys: [oldKey.publicKey] }
const record = await makeErasure()

describe('a signed record', () => {
  it('is valid under a trusted key, and under a list in which the key was valid at the time', () => {
    expect(findErasureFault(record, trust)).toBeNull()
    expect(findErasureFault(record, trustIn(publishedKey(oldKey)))).toBeNull()
  })

  it('is no word of a key that nobody trusts, that had ended, or that is revoked', async () => {
    expect(findErasureFault(record, { keys: [strangerKey.publicKey] })).toBe('key_not_trusted')
    expect(findErasureFault(record, { keys: [] })).toBe('no_trusted_key')
    const ended = publishedKey(oldKey, { status: 'retired', valid_until: '2026-11-19T00:00:00Z' })
    expect(findErasureFault(record, trustIn(ended))).toBe('outside_key_period')
    expect(findErasureFault(record, trustIn(publishedKey(oldKey, REVOKED), publishedKey(newKey)))).toBe('key_revoked')
    expect(findErasureFault(await makeErasure(strangerKey), trust)).toBe('key_not_trusted')
  })
})

describe('a changed record', () => {
  it('is not valid, whichever member was changed to another of its form', () => {
    const changes: Partial<UnsignedErasureRecord>[] = [
      { erasure_id: record.erasure_id.replace('7', '8') },
      { org_id: record.org_id.replace('7', '8') },
      { requested_at: '2026-11-20T05:00:01.000Z' },
      { completed_at: '2026-11-20T06:00:01.000Z' },
      { recovery_copies_until: '2026-12-20T06:00:01.000Z' },
      { tree_size: 12 },
      { root_hash: 'f'.repeat(64) },
    ]
    for (const change of changes) expect(findErasureFault({ ...record, ...change }, trust)).toBe('signature_mismatch')
  })

  it.each(Object.keys(record))('is not valid without %s', (name) => {
    const { [name as keyof typeof record]: _, ...cut } = record
    expect(findErasureFault(cut, trust)).toBe('missing_member')
  })

  it.each<[string, object]>([
    ['unknown_member', { note: 'all gone' }],
    ['unsupported_version', { v: 1 }],
    ['unsupported_version', { v: 'erasure-2' }],
    ['identifier_malformed', { erasure_id: 'era_1' }],
    ['identifier_malformed', { org_id: 'org_of_somebody' }],
    ['time_malformed', { completed_at: '2026-11-20' }],
    ['time_malformed', { requested_at: null }],
    ['times_out_of_order', { completed_at: '2026-11-20T04:00:00Z' }],
    ['times_out_of_order', { recovery_copies_until: '2026-11-20T05:30:00Z' }],
    ['removed_malformed', { removed: ['details'] }],
    ['removed_malformed', { removed: [...record.removed, 'letters'] }],
    ['remaining_malformed', { remaining: { details: 0 } }],
    ['remaining_malformed', { remaining: { ...record.remaining, letters: 0 } }],
    ['remaining_malformed', { remaining: { ...record.remaining, keys: -1 } }],
    ['remaining_malformed', { remaining: { ...record.remaining, keys: '0' } }],
    ['something_remains', { remaining: { ...record.remaining, keys: 1 } }],
    ['tree_malformed', { tree_size: -1 }],
    ['tree_malformed', { root_hash: 'F'.repeat(64) }],
    ['signature_malformed', { signature: 'short' }],
    ['signature_mismatch', { signature: 'A'.repeat(86) }],
  ])('is refused: %s', (fault, change) => {
    expect(findErasureFault({ ...record, ...change }, trust)).toBe(fault)
  })

  it.each([null, 7, 'erasure-1', [], [record]])('is none at all: %j', (value) => {
    expect(findErasureFault(value, trust)).toBe('not_an_object')
  })
})

describe('another signature of the same key', () => {
  it('does not pass for one of an erasure', async () => {
    const decision = await makeRecord(record.org_id)
    expect(findErasureFault({ ...record, signature: decision.signature }, trust)).toBe('signature_mismatch')
    expect(findErasureFault(decision, trust)).toBe('missing_member')
  })
})

describe('signing', () => {
  it('refuses what no verifier would accept', async () => {
    const left = { ...unsignedErasure(), remaining: { ...record.remaining, people: 1 } }
    await expect(signErasure(left, oldKey)).rejects.toThrow('something_remains')
    await expect(signErasure(unsignedErasure(strangerKey), oldKey)).rejects.toThrow('names another key')
  })
})
