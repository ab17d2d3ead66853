// SHA-256 in pieces or at once, which a check may replace by the runtime's own. Apart from the hash of answers, which pages load late.
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import type { Hashing } from '../../platform/sha256.ts'
import type { Sha256 } from '../tree/merkle-hash.ts'

/** SHA-256 of a whole, and piece by piece. */
export type HashFunctions = { readonly sha256: Sha256; readonly beginSha256: () => Hashing }

/** Hashes in every JavaScript runtime. */
export const portableHashFunctions: HashFunctions = {
  sha256,
  beginSha256() {
    const hash = sha256.create()
    return {
      update(data) {
        hash.update(typeof data === 'string' ? utf8ToBytes(data) : data)
      },
      digestHex: () => bytesToHex(hash.digest()),
    }
  },
}
