// What a signature of a note or a checkpoint is made over, by the type of its key, and whether it is one.
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { SIGNATURE_BYTES, verifyEd25519 } from '../../attestation/ed25519.ts'
import type { SigningKey } from '../../attestation/signing-key.ts'
import { noteKeyNamed, type NoteKey } from './note-key.ts'

/** Signs the text of a note. `seconds`: the time, since the epoch, which only some types sign. */
export type NoteSigner = {
  readonly key: NoteKey
  readonly sign: (text: string, seconds: number) => Promise<Uint8Array>
}

/** The log’s own signature of its checkpoints. */
export const ed25519Signer = (name: string, key: SigningKey): NoteSigner => ({
  key: noteKeyNamed(name, 'ed25519', key.publicKey),
  sign: (text) => key.sign(utf8ToBytes(text)),
})

/** A witness’s signature of a checkpoint that it has seen at a time. */
export const cosigner = (name: string, key: SigningKey): NoteSigner => ({
  key: noteKeyNamed(name, 'cosignature', key.publicKey),
  sign: async (text, seconds) => concatBytes(timeBytes(seconds), await key.sign(cosignedBytes(text, seconds))),
})

/** `seconds`: when it says that it was made; null where it says no time. */
export type Verified = { readonly key: NoteKey; readonly seconds: number | null }

/** Null where it is not the key’s signature of this text. */
export function verifySignature(key: NoteKey, text: string, signature: Uint8Array): Verified | null {
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

const cosignedBytes = (text: string, seconds: number): Uint8Array =>
  utf8ToBytes(`cosignature/v1\ntime ${seconds}\n${text}`)

function timeBytes(seconds: number): Uint8Array {
  const bytes = new Uint8Array(TIME_BYTES)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(seconds))
  return bytes
}

/** Null for a time that no number holds exactly, and where there is none. */
function readTime(signature: Uint8Array): number | null {
  if (signature.length < TIME_BYTES) return null
  const seconds = Number(new DataView(signature.buffer, signature.byteOffset).getBigUint64(0))
  return Number.isSafeInteger(seconds) ? seconds : null
}
