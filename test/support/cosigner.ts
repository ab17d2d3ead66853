// A witness that cosigns by Ed25519 (c2sp.org/tlog-cosignature): the log reads such signatures and makes none.
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import type { SigningKey } from '../../src/evidence/records/signing-key.ts'
import { noteKeyFromBase64url } from '../../src/evidence/checkpoint/note-key.ts'
import type { NoteSigner } from '../../src/evidence/checkpoint/note-signature.ts'

export const cosigner = (name: string, key: SigningKey): NoteSigner => ({
  key: noteKeyFromBase64url(name, 'cosignature', key.publicKey),
  async sign(text, seconds) {
    const time = new Uint8Array(8)
    new DataView(time.buffer).setBigUint64(0, BigInt(seconds))
    return concatBytes(time, await key.sign(utf8ToBytes(`cosignature/v1\ntime ${seconds}\n${text}`)))
  },
})
