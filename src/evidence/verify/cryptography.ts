// What many records are checked with: SHA-256 and Ed25519, as fast as whoever checks has them. All say the same.
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { verifyEd25519 } from '../records/ed25519.ts'
import type { Hashing } from '../../platform/sha256.ts'
import type { Sha256 } from '../tree/merkle-hash.ts'

export type Cryptography = {
  readonly sha256: Sha256
  readonly beginSha256: () => Hashing
  readonly verifyEd25519: typeof verifyEd25519
}

/** Runs wherever JavaScript does. */
export const portableCryptography: Cryptography = { sha256, beginSha256, verifyEd25519 }

function beginSha256(): Hashing {
  const hash = sha256.create()
  return {
    update(data) {
      hash.update(typeof data === 'string' ? utf8ToBytes(data) : data)
    },
    digestHex: () => bytesToHex(hash.digest()),
  }
}
