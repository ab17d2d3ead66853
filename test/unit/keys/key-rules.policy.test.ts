// Tests a key that is changed or rotated, for every expiry, overlap and time.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { changeKey, countActiveDays, rotateKey, type Successor } from '../../../src/keys/key-rules.policy.ts'
import { statusOf, type KeyRecord } from '../../../src/keys/key.schema.ts'

const now = Date.UTC(2091, 2, 15, 12)
const plan = { perMinute: 100, perDay: 10_000 }
const by = 'usr_the-one-who-rotates'

const key: KeyRecord = {
  id: 'key_old',
  prefix: 'aqta_',
  name: 'A key',
  secretHash: new Uint8Array(32),
  lastFour: 'abcd',
  scopes: ['chat'],
  requestsPerMinute: 7,
  requestsPerDay: null,
  dataRegion: 'eea_ch',
  evaluation: false,
  createdAt: now - 1000,
  expiresAt: null,
  revokedAt: null,
  createdBy: 'operator',
  lastUsedAt: now - 500,
  replacedBy: null,
}

const successor: Successor = { id: 'key_new', secretHash: new Uint8Array(32).fill(1), lastFour: 'wxyz' }

const end = fc.option(fc.integer({ min: now + 1, max: now + 400 * 86_400_000 }))
const overlap = fc.integer({ min: 0, max: 2_592_000 }).map((seconds) => seconds * 1000)
const scopes = fc.constantFrom<KeyRecord['scopes']>(['chat'], ['manage'], ['chat', 'manage'])

const isActive = (record: KeyRecord, at: number): boolean => statusOf(record, at) === 'active'

describe('rotation', () => {
  it('has the old key work through its overlap to the millisecond, and never longer than it would have', () => {
    fc.assert(
      fc.property(end, overlap, fc.nat(3_000_000_000), (expiresAt, overlapMs, laterMs) => {
        const before = { ...key, expiresAt }
        const rotated = rotateKey(before, successor, { by, overlapMs }, now)
        if (rotated.outcome !== 'rotated_now') throw new Error(rotated.outcome)
        const at = now + laterMs
        expect(isActive(rotated.old, at)).toBe(isActive(before, at) && laterMs < overlapMs)
        expect(isActive(rotated.successor, at)).toBe(isActive(before, at))
      }),
    )
  })

  it('gives the new key what the old one may do and nothing else of it', () => {
    fc.assert(
      fc.property(end, overlap, scopes, (expiresAt, overlapMs, held) => {
        const before = { ...key, expiresAt, scopes: held }
        expect(rotateKey(before, successor, { by, overlapMs }, now)).toMatchObject({
          old: { id: key.id, replacedBy: successor.id, scopes: held, createdBy: 'operator', revokedAt: null },
          successor: {
            ...before,
            ...successor,
            createdAt: now,
            createdBy: by,
            lastUsedAt: null,
            replacedBy: null,
          },
        })
      }),
    )
  })

  it.each<[string, Partial<KeyRecord>, object]>([
    ['was revoked', { revokedAt: now - 1 }, { outcome: 'over', status: 'revoked' }],
    ['has expired', { expiresAt: now - 1 }, { outcome: 'over', status: 'expired' }],
    ['expires in this millisecond', { expiresAt: now }, { outcome: 'over', status: 'expired' }],
    ['was rotated', { replacedBy: 'key_next' }, { outcome: 'rotated', replacedBy: 'key_next' }],
    ['was rotated and is over', { replacedBy: 'key_next', expiresAt: now }, { outcome: 'over', status: 'expired' }],
    ['is of the referral service', { prefix: 'vk_live_' }, { outcome: 'issued_by_operator' }],
  ])('is refused to a key that %s', (_, of, refusal) => {
    expect(rotateKey({ ...key, ...of }, successor, { by, overlapMs: 1000 }, now)).toEqual(refusal)
  })
})

describe('a change', () => {
  it('of the end holds, where it is to come, and brings no key back', () => {
    fc.assert(
      fc.property(end, fc.option(fc.integer({ min: -1000, max: 1000 })), (expiresAt, offset) => {
        const wanted = offset === null ? null : now + offset
        const changed = changeKey({ ...key, expiresAt }, { expiresAt: wanted }, plan, now)
        if (wanted !== null && wanted <= now)
          expect(changed).toEqual({ outcome: 'invalid', reason: { fault: 'expired' } })
        else expect(changed).toEqual({ outcome: 'changed', key: { ...key, expiresAt: wanted } })
      }),
    )
  })

  it('never makes the overlap of a rotated key longer', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 1000 }), fc.option(fc.integer({ min: 1, max: 2000 })), (left, offset) => {
        const rotated = { ...key, expiresAt: now + left, replacedBy: 'key_next' as const }
        const wanted = offset === null ? null : now + offset
        const { outcome } = changeKey(rotated, { expiresAt: wanted }, plan, now)
        expect(outcome).toBe(offset !== null && offset <= left ? 'changed' : 'rotated')
      }),
    )
  })

  it('of the name leaves a limit that its plan does not have any more', () => {
    const above = { ...key, requestsPerMinute: 500 }
    expect(changeKey(above, { name: 'Another' }, plan, now)).toEqual({
      outcome: 'changed',
      key: { ...above, name: 'Another' },
    })
  })

  it.each<[string, Partial<KeyRecord>, object, string]>([
    ['a limit above the plan', {}, { requestsPerMinute: 101 }, 'invalid'],
    ['a day above the plan', {}, { requestsPerDay: 10_001 }, 'invalid'],
    ['a revoked key', { revokedAt: 1 }, { name: 'Another' }, 'over'],
    ['an expired key', { expiresAt: now }, { expiresAt: null }, 'over'],
    ['a key of the referral service', { prefix: 'vk_test_' }, { name: 'Another' }, 'issued_by_operator'],
  ])('is refused: %s', (_, of, change, outcome) => {
    expect(changeKey({ ...key, ...of }, change, plan, now).outcome).toBe(outcome)
  })
})

describe('a key for evaluation', () => {
  const evaluating: KeyRecord = { ...key, evaluation: true, expiresAt: now + 1000 }

  it.each([null, now + 1001])('never has its end put off to %s', (expiresAt) => {
    const reason = { fault: 'evaluation_extended' }
    expect(changeKey(evaluating, { expiresAt }, plan, now)).toEqual({ outcome: 'invalid', reason })
  })

  it('ends sooner, and stays for evaluation with its end when it is rotated', () => {
    expect(changeKey(evaluating, { expiresAt: now + 999 }, plan, now)).toMatchObject({ key: { expiresAt: now + 999 } })
    expect(rotateKey(evaluating, successor, { by, overlapMs: 5000 }, now)).toMatchObject({
      old: { expiresAt: now + 1000 },
      successor: { evaluation: true, expiresAt: now + 1000 },
    })
  })
})

describe('the days on which keys worked', () => {
  const day = Math.floor(now / 86_400_000)
  const at = (days: number): number => (day + days) * 86_400_000
  const spanOf = (from: number, expiresAt: number | null, revokedAt: number | null = null) => ({
    createdAt: at(from),
    expiresAt: expiresAt && at(expiresAt),
    revokedAt: revokedAt && at(revokedAt),
  })

  it.each<[string, ReturnType<typeof spanOf>[], number]>([
    ['none without a key', [], 0],
    ['those from its making to before its end', [spanOf(2, 4)], 2],
    ['the day of an end at noon too', [spanOf(2, 4.5)], 3],
    ['those inside the period alone', [spanOf(-9, 99)], 10],
    ['those before it was revoked', [spanOf(2, 9, 3.1)], 2],
    ['a day of two keys once', [spanOf(2, 4), spanOf(3, 5)], 3],
    ['none of a key that ended before the period', [spanOf(-9, -1)], 0],
  ])('are %s', (_, keys, days) => {
    expect(countActiveDays(keys, { first: day, last: day + 9 })).toBe(days)
  })
})
