// The history of signing keys and what may be done to it; the settings they come from; who signs when.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  createSigner,
  currentKey,
  readConfiguredKeys,
  seedSettingOf,
  throwAwayKeys,
} from '../../../../src/evidence/records/configured-keys.ts'
import {
  activateKey,
  createKey,
  parseKeyHistory,
  toPublishedKey,
  retireKey,
  revokeKey,
  signingKeyAt,
  type HistoryChange,
  type KeyHistory,
} from '../../../../src/evidence/records/key-history.ts'
import { keyIdOf } from '../../../../src/evidence/records/ed25519.ts'
import { mintKey, publicKeyOf } from '../../../../src/evidence/records/signing-key.ts'

const NOW = Date.UTC(2026, 10, 20, 5)
const DAY = 86_400_000

const seedOf = (name: number) => new Uint8Array(32).fill(name)
const [first, second] = [publicKeyOf(seedOf(1)), publicKeyOf(seedOf(2))]
const [firstId, secondId] = [keyIdOf(first), keyIdOf(second)]

function done(change: HistoryChange): KeyHistory {
  if (!change.done) throw new Error(change.refusal)
  return change.history
}

const oneKey = done(createKey([], first, NOW))
const nextPublished = done(createKey(oneKey, second, NOW + DAY))
const bothActive = done(activateKey(nextPublished, secondId, NOW + 1000))

describe('a rotation', () => {
  it('publishes the next key before it signs', () => {
    expect(nextPublished.map(({ public_key: key }) => key)).toEqual([second, first])
    expect(signingKeyAt(nextPublished, NOW)?.public_key).toBe(first)
    expect(signingKeyAt(nextPublished, NOW + DAY - 1)?.public_key).toBe(first)
    expect(signingKeyAt(nextPublished, NOW + DAY)?.public_key).toBe(second)
  })

  it('lets the next key sign early when it is activated', () => {
    expect(signingKeyAt(bothActive, NOW + 1000)?.public_key).toBe(second)
  })

  it('signs with the key activated last of two of one second, however often the history is read again', () => {
    const inOneSecond = done(activateKey(nextPublished, secondId, NOW))
    expect(signingKeyAt(inOneSecond, NOW)?.public_key).toBe(second)
    const readAgain = parseKeyHistory(JSON.stringify(inOneSecond))
    expect(readAgain).toEqual(inOneSecond)
    expect(parseKeyHistory(JSON.stringify(readAgain))).toEqual(inOneSecond)
  })

  it('keeps a retired key in the history for ever', () => {
    const retired = done(retireKey(bothActive, firstId, NOW + 5000))
    expect(retired.map(toPublishedKey)).toEqual([
      {
        public_key: second,
        key_id: secondId,
        algorithm: 'Ed25519',
        format: 'base64url-raw',
        status: 'active',
        valid_from: '2026-11-20T05:00:01Z',
        valid_until: null,
      },
      {
        public_key: first,
        key_id: firstId,
        algorithm: 'Ed25519',
        format: 'base64url-raw',
        status: 'retired',
        valid_from: '2026-11-20T05:00:00Z',
        // An hour for the deployment, until which it may sign.
        valid_until: '2026-11-20T06:00:05Z',
      },
    ])
  })

  it('can revoke a key that was retired, without moving the end of its time', () => {
    const retired = done(retireKey(bothActive, firstId, NOW + 5000))
    const revoked = done(revokeKey(retired, firstId, NOW + DAY))
    expect(revoked.at(-1)).toMatchObject({ status: 'revoked', valid_until: '2026-11-20T06:00:05Z' })
  })

  it('can revoke a key that never signed', () => {
    expect(done(revokeKey(nextPublished, secondId, NOW))[0]).toMatchObject({
      status: 'revoked',
      valid_until: '2026-11-21T05:00:00Z',
      revoked_at: '2026-11-20T05:00:00Z',
      suspected_since: '2026-11-20T05:00:00Z',
    })
  })

  it('can say later that a revoked key was suspected from an earlier time on, and never from a later one', () => {
    const revoked = done(revokeKey(bothActive, firstId, NOW + 5000, NOW + 3000))
    const earlier = done(revokeKey(revoked, firstId, NOW + DAY, NOW + 2000))
    expect(earlier.at(-1)).toEqual({ ...revoked.at(-1), suspected_since: '2026-11-20T05:00:02Z' })
    for (const since of [NOW + 3000, NOW + 4000, NOW + DAY]) {
      expect(revokeKey(revoked, firstId, NOW + DAY, since)).toEqual({ done: false, refusal: 'revoked_already' })
    }
  })

  it('says when a key was revoked and since when it is suspected: ever since it was made, where nobody says', () => {
    const revokedAt = '2026-11-20T05:00:05Z'
    const said = done(revokeKey(bothActive, firstId, NOW + 5000, NOW + 3000)).map(toPublishedKey)
    expect(said.at(-1)).toMatchObject({ revoked_at: revokedAt, suspected_since: '2026-11-20T05:00:03Z' })
    const unsaid = done(revokeKey(bothActive, firstId, NOW + 5000)).map(toPublishedKey)
    expect(unsaid.at(-1)).toMatchObject({ revoked_at: revokedAt, suspected_since: '2026-11-20T05:00:00Z' })
    expect(Object.keys(unsaid[0] ?? {})).not.toContain('revoked_at')
  })
})

describe('what is refused', () => {
  const retired = done(retireKey(bothActive, firstId, NOW + 5000))
  const revoked = done(revokeKey(bothActive, firstId, NOW + 5000))
  it.each<[string, HistoryChange, string]>([
    ['a key twice', createKey(oneKey, first, NOW), 'key_exists'],
    ['to activate an unknown key', activateKey(oneKey, secondId, NOW), 'unknown_key'],
    ['to activate a key that signs', activateKey(oneKey, firstId, NOW), 'signs_already'],
    ['to activate a retired key', activateKey(retired, firstId, NOW + DAY), 'not_active'],
    ['to activate a revoked key', activateKey(revoked, firstId, NOW + DAY), 'not_active'],
    ['to retire an unknown key', retireKey(oneKey, secondId, NOW), 'unknown_key'],
    ['to retire the only key', retireKey(oneKey, firstId, NOW), 'no_other_key'],
    ['to retire the key that signs before the next does', retireKey(nextPublished, firstId, NOW), 'no_other_key'],
    ['to retire a key twice', retireKey(retired, firstId, NOW + DAY), 'not_active'],
    ['to revoke an unknown key', revokeKey(oneKey, secondId, NOW), 'unknown_key'],
    ['to revoke the only key', revokeKey(oneKey, firstId, NOW), 'no_other_key'],
    ['to revoke a key twice', revokeKey(revoked, firstId, NOW + DAY), 'revoked_already'],
    ['to suspect a key since a time to come', revokeKey(bothActive, firstId, NOW, NOW + 1), 'suspected_later'],
  ])('%s', (_, change, refusal) => {
    expect(change).toEqual({ done: false, refusal })
  })

  it('nothing that would leave the service without a key or take a key out of the history', () => {
    const step = fc.record({
      verb: fc.constantFrom('create', 'activate', 'retire', 'revoke'),
      key: fc.integer({ min: 1, max: 4 }),
      later: fc.oneof(fc.constant(0), fc.nat({ max: 3 * DAY })),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        let history = oneKey
        let now = NOW
        for (const { verb, key, later } of steps) {
          now += later
          const publicKey = publicKeyOf(seedOf(key))
          const id = keyIdOf(publicKey)
          const verbs: Record<string, () => HistoryChange> = {
            create: () => createKey(history, publicKey, now + DAY),
            activate: () => activateKey(history, id, now),
            retire: () => retireKey(history, id, now),
            revoke: () => revokeKey(history, id, now),
          }
          const change = verbs[verb]?.()
          if (change?.done !== true) continue
          const known = new Set(change.history.map(({ public_key: made }) => made))
          expect(history.every(({ public_key: made }) => known.has(made))).toBe(true)
          history = change.history
          expect(signingKeyAt(history, now)).not.toBeNull()
          expect(parseKeyHistory(JSON.stringify(history))).toEqual(history)
        }
      }),
      { numRuns: 200 },
    )
  })
})

describe('parseKeyHistory', () => {
  const [entry] = oneKey
  /** The same 32 bytes: the last character has two bits that no byte takes. */
  const otherSpelling = first.slice(0, -1) + String.fromCharCode(first.charCodeAt(first.length - 1) + 1)
  const REVOKED = { revoked_at: '2026-11-20T05:00:05Z', suspected_since: '2026-11-20T05:00:05Z' }
  const withEnd = (change: object) => JSON.stringify([{ ...entry, valid_until: '2026-11-20T05:00:05Z', ...change }])

  it('takes a revoked key from before revocations were dated', () => {
    expect(parseKeyHistory(withEnd({ status: 'revoked' }))).not.toBeNull()
    expect(parseKeyHistory(withEnd({ status: 'revoked', ...REVOKED }))?.[0]).toMatchObject(REVOKED)
  })

  it.each([
    ['no JSON', 'ATTESTATION'],
    ['no array', JSON.stringify(entry)],
    ['a short key', JSON.stringify([{ ...entry, public_key: 'AAAA' }])],
    ['a key in another spelling', JSON.stringify([{ ...entry, public_key: otherSpelling }])],
    ['a key twice, in two spellings', JSON.stringify([entry, { ...entry, public_key: otherSpelling }])],
    ['a padded key', JSON.stringify([{ ...entry, public_key: `${first}=` }])],
    ['another member', JSON.stringify([{ ...entry, seed: 'x' }])],
    ['another status', JSON.stringify([{ ...entry, status: 'new' }])],
    ['a time without its zone', JSON.stringify([{ ...entry, valid_from: '2026-11-20T05:00:00' }])],
    ['an active key with an end', JSON.stringify([{ ...entry, valid_until: '2026-11-20T05:00:00Z' }])],
    ['a retired key without an end', JSON.stringify([{ ...entry, status: 'retired' }])],
    ['a key twice', JSON.stringify([entry, entry])],
    ['a member twice', JSON.stringify([entry]).replace('{', '{"status":"retired",')],
    ['a second member of what it is wrapped in', '[],"status":"active"'],
    ['a list of keys twice', `[],"keys":${JSON.stringify([entry])}`],
    ['an end before the beginning', withEnd({ status: 'retired', valid_until: '2026-11-20T04:59:59Z' })],
    ['a retired key with a revocation', withEnd({ status: 'retired', ...REVOKED })],
    ['a revocation without its suspicion', withEnd({ status: 'revoked', revoked_at: REVOKED.revoked_at })],
    ['a suspicion without its revocation', withEnd({ status: 'revoked', suspected_since: REVOKED.suspected_since })],
    [
      'a suspicion after the revocation',
      withEnd({ status: 'revoked', ...REVOKED, suspected_since: '2026-11-20T05:00:06Z' }),
    ],
  ])('refuses %s', (_, text) => {
    expect(parseKeyHistory(text)).toBeNull()
  })
})

describe('readAttestationKeys', () => {
  const settings = {
    ATTESTATION_KEYS: JSON.stringify(bothActive),
    [seedSettingOf(first)]: seedOf(1).toHex(),
    [seedSettingOf(second)]: seedOf(2).toHex(),
  }

  it('names a secret after the key it is the seed of', () => {
    expect(seedSettingOf(first)).toBe(`ATTESTATION_SEED_${firstId.slice('aqta-att-'.length).toUpperCase()}`)
  })

  const keysOf = (change: Record<string, unknown>) => {
    const { keys } = readConfiguredKeys({ ...settings, ...change })
    if (keys === null) throw new Error('no keys')
    return keys
  }

  it('signs with the newest active key, and again with the one before', async () => {
    const keys = keysOf({})
    expect(keys.isThrowAway).toBe(false)
    const signer = createSigner(keys)
    expect((await signer.keyAt(NOW))?.publicKey).toBe(first)
    const key = await signer.keyAt(NOW + DAY)
    expect(key?.publicKey).toBe(second)
    expect(await signer.keyAt(NOW + DAY + 1)).toBe(key)
    expect((await signer.keyNamed(first))?.publicKey).toBe(first)
    expect(await signer.keyNamed(publicKeyOf(seedOf(9)))).toBeNull()
    expect(await signer.keyAt(NOW - 1)).toBeNull()
  })

  it('does without the seed of a retired key', () => {
    const retired = done(retireKey(bothActive, firstId, NOW + 5000))
    const change = { [seedSettingOf(first)]: undefined, ATTESTATION_KEYS: JSON.stringify(retired) }
    expect(readConfiguredKeys({ ...settings, ...change }).wrong).toEqual([])
  })

  it('publishes a key without its seed, and signs with the active one before it, also once its time has come', async () => {
    const change = { ATTESTATION_KEYS: JSON.stringify(nextPublished), [seedSettingOf(second)]: undefined }
    expect(readConfiguredKeys({ ...settings, ...change }).wrong).toEqual([seedSettingOf(second)])
    const keys = keysOf(change)
    expect(keys.history).toEqual(nextPublished)
    const signer = createSigner(keys)
    for (const at of [NOW, NOW + DAY, NOW + 2 * DAY]) {
      expect([(await signer.keyAt(at))?.publicKey, currentKey(keys, at)?.public_key]).toEqual([first, first])
    }
  })

  it.each([
    ['missing', undefined],
    ['of another key', seedOf(3).toHex()],
    ['none', 'not-a-seed'],
  ])('never signs with a seed that is %s, and names its setting', async (_, seed) => {
    const change = { ATTESTATION_KEYS: JSON.stringify(oneKey), [seedSettingOf(first)]: seed }
    expect(readConfiguredKeys({ ...settings, ...change }).wrong).toEqual([seedSettingOf(first)])
    expect(await createSigner(keysOf(change)).keyAt(NOW)).toBeNull()
  })

  it.each([
    ['no history', undefined],
    ['an empty history', '[]'],
  ])('has no keys where there is %s', (_, history) => {
    expect(readConfiguredKeys({ ...settings, ATTESTATION_KEYS: history })).toEqual({
      keys: null,
      wrong: ['ATTESTATION_KEYS'],
    })
  })
})

describe('throwAwayKeys', () => {
  it('is the same on one machine, another on the next, and says what it is', () => {
    const keys = throwAwayKeys(seedOf(1))
    expect(keys.isThrowAway).toBe(true)
    expect(throwAwayKeys(seedOf(1))).toEqual(keys)
    expect(throwAwayKeys(seedOf(2)).history).not.toEqual(keys.history)
  })

  it('signs', async () => {
    const keys = throwAwayKeys(seedOf(1))
    const key = await createSigner(keys).keyAt(NOW)
    expect(key?.publicKey).toBe(keys.history[0]?.public_key)
  })
})

describe('a key that is made', () => {
  /** Seeds in a row. A command line would take the public keys of some for an option. */
  const seedsInARow = Array.from({ length: 256 }, (_, name) => seedOf(name))
  const optionLike = seedsInARow.filter((seed) => publicKeyOf(seed).startsWith('-'))

  it('has a text that does not begin with a hyphen: another seed is drawn', () => {
    expect(optionLike.length).toBeGreaterThan(1)
    const draws = [...optionLike, seedOf(1)]
    expect(mintKey(() => draws.shift() ?? seedOf(2))).toEqual({ seed: seedOf(1), publicKey: first })
  })

  it('is the seed drawn first where nothing speaks against it', () => {
    expect(mintKey(() => seedOf(1)).seed).toEqual(seedOf(1))
  })

  it('for one machine is never such a key, is the same at every start, and is that of its own seed', () => {
    for (let secret = 0; secret < 400; secret += 1) {
      const machine = new Uint8Array(32).fill(secret % 256, secret >> 8)
      const { history, seeds } = throwAwayKeys(machine)
      const [key = ''] = history.map(({ public_key: text }) => text)
      expect(key).toMatch(/^[^-]/)
      expect(publicKeyOf(seeds.get(key) ?? new Uint8Array(32))).toBe(key)
      expect(throwAwayKeys(machine).history).toEqual(history)
    }
  })
})
