// SHA-256 and Ed25519 by Node's own code, which takes a twentieth of the time.
import { createPublicKey, verify, type KeyObject } from 'node:crypto'
import { encodeBase64url } from '../../src/evidence/records/base64url.ts'
import { verifyEd25519 } from '../../src/evidence/records/ed25519.ts'
import type { Cryptography } from '../../src/evidence/verify/cryptography.ts'
import { beginSha256, sha256 } from '../../src/platform/sha256.ts'

export const nativeCryptography = (): Cryptography => ({ sha256, beginSha256, verifyEd25519: createNativeVerifier() })

/**
 * It says what `verifyEd25519` says for every key that is no point of small order: so the first signature of each key is judged by
 * both.
 */
function createNativeVerifier(): typeof verifyEd25519 {
  const keys = new Map<string, KeyObject>()
  return (signature, message, publicKey) => {
    const x = encodeBase64url(publicKey)
    const known = keys.get(x)
    if (known !== undefined) return verify(null, message, known, signature)
    const isValid = verifyEd25519(signature, message, publicKey)
    // A key of small order verifies nothing here, and so never comes among those that are known.
    if (isValid) keys.set(x, createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }))
    return isValid
  }
}
