// The keys that sign checkpoints and other notes: names, ids, and verifier keys as text (https://c2sp.org/signed-note).
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { decodeBase64url, decodeBase64, encodeBase64 } from '../records/base64.ts'

/**
 * The byte that identifies each type of Ed25519 key. `ed25519` signs the note’s text. `cosignature` signs a checkpoint and a
 * time (https://c2sp.org/tlog-cosignature).
 */
const TYPE_BYTES = { ed25519: 0x01, cosignature: 0x04 } as const

export type KeyType = keyof typeof TYPE_BYTES

const TYPES: readonly KeyType[] = ['ed25519', 'cosignature']

const PUBLIC_KEY_BYTES = 32

export type NoteKey = {
  readonly name: string
  readonly type: KeyType
  readonly publicKey: Uint8Array
  /** 8 hexadecimal digits. */
  readonly keyId: string
}

/**
 * Returns true for a valid name: not empty, well-formed, without white space, plus signs and control characters.
 * @see https://c2sp.org/signed-note
 */
export const isKeyName = (name: string): boolean => /^[^\p{White_Space}\p{Cc}+]+$/u.test(name) && name.isWellFormed()

/** Throws TypeError for an invalid name or key. @see https://c2sp.org/signed-note */
export function noteKey(name: string, type: KeyType, publicKey: Uint8Array): NoteKey {
  if (!isKeyName(name) || publicKey.length !== PUBLIC_KEY_BYTES) throw new TypeError('not a key of a note')
  const digest = sha256(concatBytes(utf8ToBytes(`${name}\n`), Uint8Array.of(TYPE_BYTES[type]), publicKey))
  return { name, type, publicKey, keyId: bytesToHex(digest.subarray(0, 4)) }
}

/** Returns the note key for a public key in base64url, the form of the service’s own keys. Throws as `noteKey` does. */
export const noteKeyFromBase64url = (name: string, type: KeyType, publicKey: string): NoteKey =>
  noteKey(name, type, decodeBase64url(publicKey) ?? new Uint8Array())

/**
 * Returns the verifier key (vkey): `NAME+8 hexadecimal digits+base64 of the type’s byte and the key`.
 * @see https://c2sp.org/signed-note
 */
export const formatVkey = ({ name, type, publicKey, keyId }: NoteKey): string =>
  `${name}+${keyId}+${encodeBase64(concatBytes(Uint8Array.of(TYPE_BYTES[type]), publicKey))}`

/** Returns null if the text is no vkey, its id is not this key’s, or its type is unknown. @see https://c2sp.org/signed-note */
export function parseVkey(text: string): NoteKey | null {
  const {
    name = '',
    keyId,
    encoded = '',
  } = /^(?<name>[^+]+)\+(?<keyId>[0-9a-f]{8})\+(?<encoded>.+)$/u.exec(text)?.groups ?? {}
  const bytes = decodeBase64(encoded)
  const type = TYPES.find((known) => TYPE_BYTES[known] === bytes?.[0])
  if (bytes === null || type === undefined) return null
  if (!isKeyName(name) || bytes.length !== 1 + PUBLIC_KEY_BYTES) return null
  const key = noteKey(name, type, bytes.subarray(1))
  return key.keyId === keyId ? key : null
}

export const isLineOfKey = (line: Pick<NoteKey, 'name' | 'keyId'>, key: NoteKey): boolean =>
  line.name === key.name && line.keyId === key.keyId
