// RFC 8032, section 7.1: the test vectors of Ed25519, through the key that signs and the verifier that checks it.
import { describe, expect, it } from 'vitest'
import { decodeBase64url, encodeBase64url } from '../../../../src/evidence/records/base64.ts'
import { verifyEd25519, keyIdOf } from '../../../../src/evidence/records/ed25519.ts'
import { importSigningKey } from '../../../../src/evidence/records/signing-key.ts'
import vectors from '../../../fixtures/attestation/rfc8032.json'

const bytesOf = (hex: string) => Uint8Array.fromHex(hex)

describe.each(vectors)('RFC 8032 test $name', ({ seed, publicKey, message, signature }) => {
  it('derives the public key and signs', async () => {
    const key = await importSigningKey(bytesOf(seed))
    expect(key.publicKey).toBe(encodeBase64url(bytesOf(publicKey)))
    expect((await key.sign(bytesOf(message))).toHex()).toBe(signature)
  })

  it('verifies, and refuses any other message, signature or key', () => {
    const [signed, text, key] = [bytesOf(signature), bytesOf(message), bytesOf(publicKey)]
    expect(verifyEd25519(signed, text, key)).toBe(true)
    expect(verifyEd25519(signed, Uint8Array.of(...text, 0), key)).toBe(false)
    expect(verifyEd25519(flipBit(signed, 0), text, key)).toBe(false)
    expect(verifyEd25519(flipBit(signed, 63), text, key)).toBe(false)
    expect(verifyEd25519(signed, text, flipBit(key, 1))).toBe(false)
  })
})

function flipBit(bytes: Uint8Array, at: number): Uint8Array {
  return bytes.with(at, (bytes[at] ?? 0) ^ 1)
}

describe('base64url', () => {
  it.each(['', 'f', 'fo', 'foo', 'foob', '\u00ff\u00fe\u00fd'])('writes and reads %j', (text) => {
    const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0))
    const written = encodeBase64url(bytes)
    expect(written).not.toMatch(/[+/=]/)
    expect(decodeBase64url(written)).toEqual(bytes)
  })

  it.each(['Zg==', 'Z', 'Zm9vA', 'a+b/', 'Zm9\n', ' Zm9v', 'Zm9v\u00e9'])('refuses %j', (text) => {
    expect(decodeBase64url(text)).toBeNull()
  })
})

describe('keyIdOf', () => {
  // A key and its id as an issuer of this format publishes them.
  it('is the one published elsewhere for a key', () => {
    expect(keyIdOf('gUoUhIvptKAoLTnry3VrDtOQEWggGQveLrHFVrfNqmE')).toBe('aqta-att-0a18c7c16bc18a12')
  })

  it('refuses what is no base64url', () => {
    expect(() => keyIdOf('a+b=')).toThrow(TypeError)
  })
})
