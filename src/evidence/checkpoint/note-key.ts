// The keys that sign notes: their names, their ids, and the text in which a verifier's key is handed on (c2sp.org/signed-note).
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { decodeBase64url, decodeBase64, encodeBase64 } from '../records/base64.ts'

/**
 * What a signature is made over, with the byte that stands for it. `ed25519`: the note’s text. `cosignature`: a checkpoint and a
 * time, by Ed25519; `ml_dsa_44`: the same by ML-DSA-44, with the signer's name (c2sp.org/tlog-cosignature).
 */
const KEY_TYPES = {
  ed25519: { byte: 0x01, publicKeyBytes: 32 },
  cosignature: { byte: 0x04, publicKeyBytes: 32 },
  ml_dsa_44: { byte: 0x06, publicKeyBytes: 1_312 },
} as const

export type KeyType = keyof typeof KEY_TYPES

const TYPES: readonly KeyType[] = ['ed25519', 'cosignature', 'ml_dsa_44']

export type NoteKey = {
  readonly name: string
  readonly type: KeyType
  readonly publicKey: Uint8Array
  /** 8 hexadecimal digits. */
  readonly keyId: string
}

/** Not empty, no white space, no plus, and nothing that a note cannot hold. */
export const isKeyName = (name: string): boolean => /^[^\p{White_Space}\p{Cc}+]+$/u.test(name) && name.isWellFormed()

/** Throws TypeError for a name or a key that is none. */
export function noteKey(name: string, type: KeyType, publicKey: Uint8Array): NoteKey {
  const { byte, publicKeyBytes } = KEY_TYPES[type]
  if (!isKeyName(name) || publicKey.length !== publicKeyBytes) throw new TypeError('not a key of a note')
  const digest = sha256(concatBytes(utf8ToBytes(`${name}\n`), Uint8Array.of(byte), publicKey))
  return { name, type, publicKey, keyId: bytesToHex(digest.subarray(0, 4)) }
}

/** As `noteKey`, of a key in base64url, as the service’s own are written. */
export const noteKeyNamed = (name: string, type: KeyType, publicKey: string): NoteKey =>
  noteKey(name, type, decodeBase64url(publicKey) ?? new Uint8Array())

/** `NAME+8 hexadecimal digits+base64 of the type’s byte and the key`: a verifier key, or vkey. */
export const formatVkey = ({ name, type, publicKey, keyId }: NoteKey): string =>
  `${name}+${keyId}+${encodeBase64(concatBytes(Uint8Array.of(KEY_TYPES[type].byte), publicKey))}`

/** Null for what is no vkey, for an id that is not this key’s, and for a type of key that is not known here. */
export function parseVkey(text: string): NoteKey | null {
  const {
    name = '',
    keyId,
    encoded = '',
  } = /^(?<name>[^+]+)\+(?<keyId>[0-9a-f]{8})\+(?<encoded>.+)$/u.exec(text)?.groups ?? {}
  const bytes = decodeBase64(encoded)
  const type = TYPES.find((known) => KEY_TYPES[known].byte === bytes?.[0])
  if (bytes === null || type === undefined) return null
  if (!isKeyName(name) || bytes.length !== 1 + KEY_TYPES[type].publicKeyBytes) return null
  const key = noteKey(name, type, bytes.subarray(1))
  return key.keyId === keyId ? key : null
}

/** Whether a line of this name and id is to be checked with this key. */
export const isOfKey = (line: Pick<NoteKey, 'name' | 'keyId'>, key: NoteKey): boolean =>
  line.name === key.name && line.keyId === key.keyId
