import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { KEY_PREFIXES, mintKey, parseKey, type KeyPrefix } from '../../../src/keys/key-format.ts'
import type { Pepper } from '../../../src/platform/config.ts'
import { keyId, organisationId, uuidV7Bytes } from '../../../src/platform/ids.ts'

const pepper = (version: string, fill: number): Pepper => ({ version, bytes: new Uint8Array(32).fill(fill) })
const current = pepper('b', 2)
const older = pepper('a', 1)

function mint(prefix: KeyPrefix, by: Pepper = current) {
  const ids = { organisationId: organisationId(uuidV7Bytes(1e12)), keyId: keyId(uuidV7Bytes(2e12)) }
  return { ...ids, ...mintKey({ prefix, pepper: by, jurisdiction: 'eu', ...ids }) }
}

describe('parseKey', () => {
  it.each(KEY_PREFIXES)('finds in a %s key what it was minted with', (prefix) => {
    const minted = mint(prefix)
    expect(parseKey(minted.key, [current, older])).toEqual({
      prefix,
      jurisdiction: 'eu',
      organisationId: minted.organisationId,
      keyId: minted.keyId,
      secretHash: minted.secretHash,
    })
  })

  it('honours every pepper it is given, and refuses the keys of one that was dropped', () => {
    const { key } = mint('vk_test_', older)
    expect(parseKey(key, [current, older])).not.toBeNull()
    expect(parseKey(key, [current])).toBeNull()
  })

  it('refuses a key signed under another pepper of the same version', () => {
    expect(parseKey(mint('vk_test_', pepper('b', 9)).key, [current])).toBeNull()
  })

  it('refuses a key whose prefix was exchanged', () => {
    const { key } = mint('vk_test_')
    expect(parseKey(key.replace('vk_test_', 'vk_live_'), [current])).toBeNull()
  })

  it('refuses a key with any one character changed', () => {
    const { key } = mint('vk_test_')
    fc.assert(
      fc.property(
        fc.nat(key.length - 1),
        fc.constantFrom('0', 'A', 'Z', 'a', 'z', '9', '_', '-', ' ', 'é'),
        (at, character) => {
          fc.pre(key.charAt(at) !== character)
          expect(parseKey(key.slice(0, at) + character + key.slice(at + 1), [current])).toBeNull()
        },
      ),
      { numRuns: 500 },
    )
  })

  it('refuses a key that was cut or lengthened', () => {
    const { key } = mint('vk_test_')
    for (let length = 0; length < key.length; length++) expect(parseKey(key.slice(0, length), [current])).toBeNull()
    expect(parseKey(`${key}0`, [current])).toBeNull()
  })

  it('refuses arbitrary text without throwing', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('', ...KEY_PREFIXES),
        fc.string({ unit: 'binary', maxLength: 120 }),
        (prefix, rest) => {
          expect(parseKey(prefix + rest, [current])).toBeNull()
        },
      ),
    )
  })
})

describe('mintKey', () => {
  it('never makes the same secret twice and keeps only its hash', () => {
    const one = mint('aqta_')
    const other = mint('aqta_')
    expect(one.key).not.toBe(other.key)
    expect(one.secretHash).toHaveLength(32)
    expect(one.lastFour).toBe(one.key.slice(-4))
  })
})
