// A witness that cosigns by Ed25519 (c2sp.org/tlog-cosignature), and notes that have several lines: the log reads such notes and
// makes none.
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import type { SigningKey } from '../../src/evidence/records/signing-key.ts'
import { noteKeyFromBase64url } from '../../src/evidence/checkpoint/note-key.ts'
import type { NoteSigner } from '../../src/evidence/checkpoint/note-signature.ts'
import { formatNote } from '../../src/evidence/checkpoint/signed-note.ts'

/** A witness, or a log, whose signature has no time. `seconds`: since the epoch. */
export type Cosigner = {
  readonly key: NoteSigner['key']
  readonly sign: (text: string, seconds: number) => Promise<Uint8Array>
}

export const cosigner = (name: string, key: SigningKey): Cosigner => ({
  key: noteKeyFromBase64url(name, 'cosignature', key.publicKey),
  async sign(text, seconds) {
    const time = new Uint8Array(8)
    new DataView(time.buffer).setBigUint64(0, BigInt(seconds))
    return concatBytes(time, await key.sign(utf8ToBytes(`cosignature/v1\ntime ${seconds}\n${text}`)))
  },
})

/** @param at milliseconds since the epoch */
export async function signTogether(text: string, signers: readonly Cosigner[], at: number): Promise<string> {
  const seconds = Math.floor(at / 1000)
  const signatures = await Promise.all(
    signers.map(async ({ key: { name, keyId }, sign }) => ({ name, keyId, signature: await sign(text, seconds) })),
  )
  return formatNote({ text, signatures })
}
