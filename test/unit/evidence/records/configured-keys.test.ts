// Which keys a deployment signs with, by its environment and its settings.
import { describe, expect, it } from 'vitest'
import { seedSettingOf, configuredKeys } from '../../../../src/evidence/records/configured-keys.ts'
import { publicKeyOf } from '../../../../src/evidence/records/signing-key.ts'

const signingPepper = { version: '1', bytes: new Uint8Array(32).fill(9) }
const seed = new Uint8Array(32).fill(5)
const publicKey = publicKeyOf(seed)
const history = [{ public_key: publicKey, status: 'active', valid_from: '2026-01-01T00:00:00Z', valid_until: null }]
const settings = { ATTESTATION_KEYS: JSON.stringify(history), [seedSettingOf(publicKey)]: seed.toHex() }

describe('configuredKeys', () => {
  it('makes a throw-away key on a developer’s machine alone', () => {
    expect(configuredKeys({}, { environment: 'local', signingPepper })?.isThrowAway).toBe(true)
    for (const environment of ['staging', 'production'] as const) {
      expect(configuredKeys({}, { environment, signingPepper })).toBeNull()
    }
  })

  it.each(['local', 'staging', 'production'] as const)('takes those that are set, in %s too', (environment) => {
    const keys = configuredKeys(settings, { environment, signingPepper })
    expect([keys?.isThrowAway, keys?.history[0]?.public_key]).toEqual([false, publicKey])
  })

  it.each(['local', 'staging', 'production'] as const)(
    'has none for an empty history, and one that signs nothing for a key without its seed: never a throw-away one in %s',
    (environment) => {
      expect(configuredKeys({ ATTESTATION_KEYS: '[]' }, { environment, signingPepper })).toBeNull()
      const seedless = { ATTESTATION_KEYS: settings.ATTESTATION_KEYS }
      const keys = configuredKeys(seedless, { environment, signingPepper })
      expect([keys?.isThrowAway, keys?.seeds.size]).toEqual([false, 0])
    },
  )
})
