// Signs and verifies notes and checkpoints. The key's type decides which bytes a signature covers.
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { ml_dsa44 } from '@noble/post-quantum/ml-dsa.js'
import { SIGNATURE_BYTES, verifyEd25519 } from '../records/ed25519.ts'
import type { SigningKey } from '../records/signing-key.ts'
import { parseCheckpoint } from './checkpoint.ts'
import { noteKey, noteKeyFromBase64url, type NoteKey, isLineOfKey } from './note-key.ts'
import { formatNote, type Note } from './signed-note.ts'

/** Signs the text of a note. `seconds`: the time since the epoch, which only some types sign. */
export type NoteSigner = {
  readonly key: NoteKey
  readonly sign: (text: string, seconds: number) => Promise<Uint8Array>
}

/** Makes the log’s own signature on its checkpoints. */
export const ed25519Signer = (name: string, key: SigningKey): NoteSigner => ({
  key: noteKeyFromBase64url(name, 'ed25519', key.publicKey),
  sign: (text) => key.sign(utf8ToBytes(text)),
})

/**
 * Signs checkpoints with ML-DSA-44, as a witness or as the log: C2SP recommends it besides Ed25519. `seed`: 32 bytes.
 * Signing throws TypeError for a text that is no checkpoint.
 */
export function mlDsaSigner(name: string, seed: Uint8Array): NoteSigner {
  const { publicKey, secretKey } = ml_dsa44.keygen(seed)
  return {
    key: noteKey(name, 'ml_dsa_44', publicKey),
    sign: (text, seconds) => {
      const message = subtreeBytes(name, text, seconds)
      if (message === null) throw new TypeError('not a checkpoint')
      return Promise.resolve(concatBytes(wordBytes(seconds), ml_dsa44.sign(message, secretKey)))
    },
  }
}

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
    case 'ml_dsa_44':
      return verifyMlDsa(key, text, signature)
  }
}

const ML_DSA_44_BYTES = 2_420

function verifyMlDsa(key: NoteKey, text: string, signature: Uint8Array): VerifiedSignature | null {
  const seconds = readTime(signature)
  if (seconds === null || signature.length !== TIME_BYTES + ML_DSA_44_BYTES) return null
  const message = subtreeBytes(key.name, text, seconds)
  const isSigned = message !== null && ml_dsa44.verify(signature.subarray(TIME_BYTES), message, key.publicKey)
  return isSigned ? { key, seconds } : null
}

const isEd25519 = (signature: Uint8Array, message: Uint8Array, { publicKey }: NoteKey): boolean =>
  signature.length === SIGNATURE_BYTES && verifyEd25519(signature, message, publicKey)

const TIME_BYTES = 8

const cosignedBytes = (text: string, seconds: number): Uint8Array =>
  utf8ToBytes(`cosignature/v1\ntime ${seconds}\n${text}`)

/**
 * Returns the signed bytes, which describe the whole tree as a subtree from leaf 0. Returns null if the text is no checkpoint,
 * or a name is too long.
 */
function subtreeBytes(name: string, text: string, seconds: number): Uint8Array | null {
  const checkpoint = parseCheckpoint(text)
  if (checkpoint === null) return null
  const [signer, origin] = [utf8ToBytes(name), utf8ToBytes(checkpoint.origin)]
  if (signer.length > 255 || origin.length > 255) return null
  return concatBytes(
    utf8ToBytes('subtree/v1\n\0'),
    Uint8Array.of(signer.length),
    signer,
    wordBytes(seconds),
    Uint8Array.of(origin.length),
    origin,
    wordBytes(0),
    wordBytes(checkpoint.size),
    checkpoint.root,
  )
}

function wordBytes(number: number): Uint8Array {
  const bytes = new Uint8Array(TIME_BYTES)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(number))
  return bytes
}

/** Returns null for a time that no number holds exactly, and for a missing time. */
function readTime(signature: Uint8Array): number | null {
  if (signature.length < TIME_BYTES) return null
  const seconds = Number(new DataView(signature.buffer, signature.byteOffset).getBigUint64(0))
  return Number.isSafeInteger(seconds) ? seconds : null
}

/** @param at milliseconds since the epoch */
export async function signNote(text: string, signers: readonly NoteSigner[], at: number): Promise<string> {
  const seconds = Math.floor(at / 1000)
  const signatures = await Promise.all(
    signers.map(async ({ key: { name, keyId }, sign }) => ({ name, keyId, signature: await sign(text, seconds) })),
  )
  return formatNote({ text, signatures })
}

/**
 * Returns the verified signatures of known keys; a key may have several. Returns null if the line of a known key does not verify,
 * because this invalidates the note. Ignores lines of other keys.
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
