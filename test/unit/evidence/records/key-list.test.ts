// A kept list of keys is read strictly, and says of records and heads whether their key was good at the time.
import { describe, expect, it } from 'vitest'
import { KEY_LIST_FAULTS, readKeyList, type KeyListFault } from '../../../../src/evidence/records/key-list.ts'
import { toPublishedKey } from '../../../../src/evidence/records/key-history.ts'
import { readJsonObject } from '../../../../src/evidence/records/read-json-object.ts'
import type { JsonObject } from '../../../../src/platform/json.ts'
import { parseRfc3339 } from '../../../../src/evidence/records/rfc3339.ts'
import { signRecord } from '../../../../src/evidence/records/attestation-record.ts'
import { signOrganisationHead, signPublicHead, verifyHead } from '../../../../src/evidence/records/tree-head.ts'
import { verifyRecord } from '../../../../src/evidence/records/verify-record.ts'
import {
  makeRecord,
  newKey,
  newKeyListed,
  oldKey,
  publishedKey,
  RETIRED,
  REVOKED,
  strangerKey,
  type PublishedKey,
  trustIn,
  keyListOf,
} from '../../../fixtures/evidence/invented-evidence.ts'

function parse(value: unknown): JsonObject {
  const read = readJsonObject(new TextEncoder().encode(JSON.stringify(value)))
  if (!read.readable) throw new Error(read.fault)
  return read.object
}

const faultOf = (list: unknown): KeyListFault | null => {
  const read = readKeyList(parse(list))
  return read.ok ? null : read.fault
}

const one = (changes: PublishedKey) => ({ keys: [publishedKey(oldKey, changes)] })

function without(name: string) {
  const { [name]: _, ...others } = publishedKey(oldKey)
  return { keys: [others] }
}

const otherSpelling = `${oldKey.publicKey.slice(0, -1)}${String.fromCharCode(oldKey.publicKey.charCodeAt(42) + 1)}`

describe('a list of keys', () => {
  it('is read as the service publishes it, with the times of a revocation and without', () => {
    const history = { public_key: oldKey.publicKey, valid_from: '2026-01-01T00:00:00Z', valid_until: null }
    expect(faultOf({ keys: [toPublishedKey({ ...history, status: 'active' })] })).toBeNull()
    expect(faultOf({ keys: [newKeyListed, publishedKey(oldKey, RETIRED)] })).toBeNull()
    expect(faultOf(one(REVOKED))).toBeNull()
    const { revoked_at: _, ...early } = REVOKED
    expect(faultOf(one(early))).toBeNull()
    expect(faultOf(one({ ...REVOKED, suspected_since: REVOKED.revoked_at }))).toBeNull()
    expect(faultOf({ ...one({}), note: 'For development.' })).toBeNull()
  })

  const REFUSED: readonly (readonly [KeyListFault, string, unknown])[] = [
    ['not_a_list', 'nothing', {}],
    ['not_a_list', 'keys that are no list', { keys: { 0: publishedKey(oldKey) } }],
    ['not_a_list', 'no key', { keys: [] }],
    ['not_a_list', 'a key as text', { keys: [oldKey.publicKey] }],
    ['unknown_member', 'a member beside the keys', { ...one({}), trusted: true }],
    ['unknown_member', 'a member in a key', one({ trusted: true })],
    ['missing_member', 'a key without its end', without('valid_until')],
    ['missing_member', 'a key without its status', without('status')],
    ['public_key_malformed', 'a key that is too short', one({ public_key: 'AAAA' })],
    ['public_key_malformed', 'another spelling of a key', one({ public_key: otherSpelling })],
    ['key_id_mismatch', 'the id of another key', one({ key_id: newKeyListed['key_id'] })],
    ['unknown_algorithm', 'another algorithm', one({ algorithm: 'ES256' })],
    ['unknown_algorithm', 'another format', one({ format: 'pem' })],
    ['unknown_status', 'a status it does not know', one({ status: 'trusted' })],
    ['time_malformed', 'a time without seconds', one({ valid_from: '2026-01-01T00:00Z' })],
    ['time_malformed', 'a time with an offset', one({ valid_from: '2026-01-01T00:00:00+00:00' })],
    ['time_malformed', 'a time with a fraction', one({ valid_from: '2026-01-01T00:00:00.000Z' })],
    ['time_malformed', 'no time', one({ valid_from: null })],
    ['time_malformed', 'a time as a number', one({ valid_from: 0 })],
    ['time_malformed', 'a day that is none', one({ valid_from: '2026-02-30T00:00:00Z' })],
    ['time_malformed', 'an end that is none', one({ ...RETIRED, valid_until: 'soon' })],
    ['time_malformed', 'a revocation that is none', one({ ...REVOKED, revoked_at: '' })],
    ['time_malformed', 'a suspicion that is none', one({ ...REVOKED, suspected_since: true })],
    ['end_missing', 'a retired key without an end', one({ status: 'retired' })],
    ['end_missing', 'a revoked key without an end', one({ status: 'revoked' })],
    ['ends_before_it_begins', 'an end before the beginning', one({ ...RETIRED, valid_until: '2025-12-31T23:59:59Z' })],
    ['revocation_contradictory', 'a revocation of an active key', one({ revoked_at: REVOKED.revoked_at })],
    [
      'revocation_contradictory',
      'a suspicion of a retired key',
      one({ ...RETIRED, suspected_since: '2026-02-01T00:00:00Z' }),
    ],
    [
      'revocation_contradictory',
      'a suspicion after the revocation',
      one({ ...REVOKED, suspected_since: '2026-11-21T00:00:01Z' }),
    ],
    ['key_twice', 'a key twice', { keys: [publishedKey(oldKey), publishedKey(oldKey, REVOKED)] }],
  ]

  it.each(REFUSED)('%s: %s', (fault, _, list) => {
    expect(faultOf(list)).toBe(fault)
  })

  it('has a test for each way of being refused', () => {
    expect(new Set(REFUSED.map(([fault]) => fault))).toEqual(new Set(Object.keys(KEY_LIST_FAULTS)))
  })
})

const judge = async (key: PublishedKey, timestamp: string): Promise<string> => {
  const record = await makeRecord('org_invented', oldKey)
  const { signature: _, ...unsigned } = { ...record, timestamp }
  const verdict = verifyRecord(await signRecord(unsigned, oldKey), trustIn(newKeyListed, key))
  return verdict.valid ? 'valid' : verdict.fault
}

const PERIOD = { ...RETIRED, valid_from: '2026-11-20T00:00:00Z' }

describe('a record, judged by the key of its time', () => {
  it.each([
    ['2026-11-20T00:00:00Z', 'valid'],
    ['2026-11-20T23:59:59.999Z', 'valid'],
    // Give or take a minute, in whole seconds, both ends included.
    ['2026-11-21T00:01:00.999Z', 'valid'],
    ['2026-11-21T00:01:01Z', 'outside_key_period'],
    ['2026-11-19T23:59:00Z', 'valid'],
    ['2026-11-19T23:58:59.999Z', 'outside_key_period'],
    ['2026-11-20T00:59:00+01:00', 'valid'],
    ['2026-11-20T00:58:59+01:00', 'outside_key_period'],
    ['2026-11-20t19:01:01-05:00', 'outside_key_period'],
    ['2026-11-20 23:59:60z', 'valid'],
    ['1926-11-20T12:00:00Z', 'outside_key_period'],
    ['0026-11-20T12:00:00Z', 'outside_key_period'],
  ])('of %s is %s', async (timestamp, expected) => {
    expect(await judge(publishedKey(oldKey, PERIOD), timestamp)).toBe(expected)
  })

  it('has no end while its key is active', async () => {
    expect(await judge(publishedKey(oldKey), '2099-01-01T00:00:00Z')).toBe('valid')
  })

  it.each([{}, { suspected_since: '2026-11-20T12:00:00Z' }])(
    'is nothing by itself once its key is revoked: %j',
    async (more) => {
      expect(await judge(publishedKey(oldKey, { ...REVOKED, ...more }), '2026-11-20T05:00:00Z')).toBe('key_revoked')
    },
  )

  it('is not saved by being in a log where it lies outside its key’s time, or after the suspicion', async () => {
    const record = await makeRecord('org_invented', oldKey)
    const verdictOf = (changes: PublishedKey) =>
      verifyRecord(record, trustIn(publishedKey(oldKey, changes)), { isIncluded: true })
    const suspected = { ...REVOKED, suspected_since: '2026-11-20T05:00:01Z' }
    expect(verdictOf(suspected)).toMatchObject({ valid: true })
    expect(verdictOf({ ...suspected, suspected_since: '2026-11-20T05:00:00Z' })).toMatchObject({ fault: 'key_revoked' })
    expect(verdictOf({ ...suspected, valid_from: '2026-11-20T05:01:01Z' })).toMatchObject({
      fault: 'outside_key_period',
    })
    expect(verdictOf(REVOKED)).toMatchObject({ fault: 'key_revoked' })
  })

  it('is judged by the list where the key is pinned too', async () => {
    const record = await makeRecord('org_invented', oldKey)
    const trust = { keys: [oldKey.publicKey], list: keyListOf(publishedKey(oldKey, REVOKED)) }
    expect(verifyRecord(record, trust)).toEqual({ valid: false, fault: 'key_revoked' })
    expect(verifyRecord(record, { keys: [oldKey.publicKey], list: keyListOf(newKeyListed) })).toMatchObject({
      valid: true,
    })
  })

  it('is judged by the list however the key is spelled', async () => {
    const respelled = { ...oldKey, publicKey: otherSpelling }
    const trust = { keys: [otherSpelling], list: keyListOf(publishedKey(oldKey, REVOKED)) }
    expect(verifyRecord(await makeRecord('org_invented', respelled), trust)).toMatchObject({ fault: 'key_revoked' })
    const head = await signOrganisationHead({ orgId: 'org_invented', treeSize: 3, root: new Uint8Array(32) }, oldKey)
    expect(verifyHead(head, trust)).toMatchObject({ fault: 'key_revoked' })
  })

  it('fails for its signature first, and for a key that is not in the list', async () => {
    const record = await makeRecord('org_invented', oldKey)
    const changed = { ...record, outcome: 'BLOCKED' }
    const trust = trustIn(publishedKey(oldKey, REVOKED))
    expect(verifyRecord(changed, trust)).toMatchObject({ fault: 'signature_mismatch' })
    expect(verifyRecord(await makeRecord('org_invented', strangerKey), trust)).toMatchObject({
      fault: 'key_not_trusted',
    })
  })
})

describe('a head, judged by the key of its time', () => {
  const root = new Uint8Array(32)
  const publicHead = (at: string, key = oldKey) => signPublicHead({ treeSize: 3, root, at: Date.parse(at) }, key)
  const ownHead = () => signOrganisationHead({ orgId: 'org_invented', treeSize: 3, root }, oldKey)
  const trust = (changes: PublishedKey) => trustIn(newKeyListed, publishedKey(oldKey, changes))

  it('of the public log needs a key that was good when it was signed', async () => {
    expect(verifyHead(await publicHead('2026-11-20T12:00:00Z'), trust(PERIOD))).toMatchObject({ valid: true })
    const late = { valid: false, fault: 'outside_key_period' }
    expect(verifyHead(await publicHead('2026-11-21T00:01:01Z'), trust(PERIOD))).toEqual(late)
    expect(verifyHead(await publicHead('2026-11-20T23:58:59Z', newKey), trust(PERIOD))).toEqual(late)
  })

  it('of an organisation’s log has no signed time, and needs a key that is not revoked', async () => {
    const early = { ...(await ownHead()), timestamp: '1999-01-01T00:00:00Z' }
    expect(verifyHead(early, trust(PERIOD))).toMatchObject({ valid: true })
  })

  it.each([REVOKED, { ...REVOKED, suspected_since: '2026-11-20T23:00:00Z' }])(
    'is nothing under a revoked key: %j',
    async (changes) => {
      const revoked = { valid: false, fault: 'key_revoked' }
      expect(verifyHead(await publicHead('2026-11-20T12:00:00Z'), trust(changes))).toEqual(revoked)
      expect(verifyHead(await ownHead(), trust(changes))).toEqual(revoked)
    },
  )
})

describe('secondsOf', () => {
  it('counts as the runtime does, wherever both can read the time', () => {
    for (const text of [
      '1970-01-01T00:00:00Z',
      '2026-11-20T05:00:00.999Z',
      '2024-02-29T23:59:59-23:59',
      '0001-01-01T00:00:00Z',
    ]) {
      expect(parseRfc3339(text)).toBe(Math.floor(Date.parse(text) / 1000))
    }
    expect(parseRfc3339('2026-11-20')).toBeNull()
    expect(parseRfc3339(null)).toBeNull()
  })
})
