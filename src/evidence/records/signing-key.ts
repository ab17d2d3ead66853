// Makes signing keys: a seed of 32 secret bytes becomes a key of the runtime, which never reveals it.
import { getPublicKey } from '@noble/ed25519'
import { concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import { encodeBase64url } from './base64.ts'
import './ed25519.ts'

/** The PKCS #8 bytes before an Ed25519 seed (RFC 8410, section 7). Runtimes import a seed only in this form. */
const PKCS8_PREFIX = hexToBytes('302e020100300506032b657004220420')

export type SigningKey = {
  /** base64url of the 32 bytes. */
  readonly publicKey: string
  /** Returns an Ed25519 signature of 64 bytes. */
  readonly sign: (message: Uint8Array) => Promise<Uint8Array<ArrayBuffer>>
}

/**
 * Imports a seed. Call it once and reuse the result: importing costs more than signing.
 * @see https://www.rfc-editor.org/rfc/rfc8410#section-7
 */
export async function importSigningKey(seed: Uint8Array): Promise<SigningKey> {
  const key = await crypto.subtle.importKey('pkcs8', concatBytes(PKCS8_PREFIX, seed), 'Ed25519', false, ['sign'])
  return {
    publicKey: publicKeyOf(seed),
    sign: async (message) => new Uint8Array(await crypto.subtle.sign('Ed25519', key, Uint8Array.from(message))),
  }
}

/**
 * Returns a new key: the first drawn seed whose public key does not begin with `-`. A command line would take such a text for
 * an option.
 */
export function mintKey(drawSeed: () => Uint8Array): { seed: Uint8Array; publicKey: string } {
  for (;;) {
    const seed = drawSeed()
    const publicKey = publicKeyOf(seed)
    if (!publicKey.startsWith('-')) return { seed, publicKey }
  }
}

export const publicKeyOf = (seed: Uint8Array): string => encodeBase64url(getPublicKey(seed))
