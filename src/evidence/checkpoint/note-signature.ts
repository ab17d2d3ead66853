// Signs and verifies notes and checkpoints. The key's type decides which bytes a signature covers.
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { SIGNATURE_BYTES, verifyEd25519 } from '../records/ed25519.ts'
import type { SigningKey } from '../records/signing-key.ts'
import { noteKeyFromBase64url, type NoteKey, isLineOfKey } from './note-key.ts'
import { formatNote, type Note } from './signed-note.ts'

export type NoteSigner = {
  readonly key: NoteKey
  readonly sign: (text: string) => Promise<Uint8Array>
}

export const ed25519Signer = (name: string, key: SigningKey): NoteSigner => ({
  key: noteKeyFromBase64url(name, 'ed25519', key.publicKey),
  sign: (text) => key.sign(utf8ToBytes(text)),
})

/** `seconds`: the signed time; null if the signature has none. */
export type VerifiedSignature = { readonly key: NoteKey; readonly seconds: number | null }

/** Returns null if this is not the key’s signature on this text. */
export function verifySignature(key: NoteKey, text: string, signature: Uint8Array): VerifiedSignature | null {
  switch (key.type) {
    case 'ed25519': {
      const isSigned = isEd25519(signature, utf8ToBytes(text), key)
      return isSigned ? { key, seconds: null } : null
    }
    case 'cosignature': {
      const seconds = readTime(signature)
      if (seconds === null || !isEd25519(signature.subarray(TIME_BYTES), cosignedBytes(text, seconds), key)) return null
      return { key, seconds }
    }
  }
}

const isEd25519 = (signature: Uint8Array, message: Uint8Array, { publicKey }: NoteKey): boolean =>
  signature.length === SIGNATURE_BYTES && verifyEd25519(signature, message, publicKey)

const TIME_BYTES = 8

/** @see https://c2sp.org/tlog-cosignature */
const cosignedBytes = (text: string, seconds: number): Uint8Array =>
  utf8ToBytes(`cosignature/v1\ntime ${seconds}\n${text}`)

/** Returns null for a time that no number holds exactly, and for a missing time. @see https://c2sp.org/tlog-cosignature */
function readTime(signature: Uint8Array): number | null {
  if (signature.length < TIME_BYTES) return null
  const seconds = Number(new DataView(signature.buffer, signature.byteOffset).getBigUint64(0))
  return Number.isSafeInteger(seconds) ? seconds : null
}

/** @see https://c2sp.org/signed-note */
export const signNote = async (text: string, { key: { name, keyId }, sign }: NoteSigner): Promise<string> =>
  formatNote({ text, signatures: [{ name, keyId, signature: await sign(text) }] })

/**
 * Returns the verified signatures of known keys; a key may have several. Returns null if the line of a known key does not verify,
 * because this invalidates the note. Ignores lines of other keys.
 * @see https://c2sp.org/signed-note
 */
export function verifyNote({ text, signatures }: Note, keys: readonly NoteKey[]): VerifiedSignature[] | null {
  const verified: VerifiedSignature[] = []
  for (const line of signatures) {
    const key = keys.find((known) => isLineOfKey(line, known))
    if (key === undefined) continue
    const found = verifySignature(key, text, line.signature)
    if (found === null) return null
    verified.push(found)
  }
  return verified
}
