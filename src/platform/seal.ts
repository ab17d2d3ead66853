// Encrypts bytes with AES-256-GCM (NIST SP 800-38D) and a random nonce each time. The caller also gives the bytes a name, which is
// authenticated: bytes sealed under one name do not open under another.

export const SEALING_KEY_BYTES = 32

/** The first byte of sealed bytes, which distinguishes later formats. */
const FORMAT = 0x01
/** Random nonces of 96 bits are safe for 2^32 messages of one key. */
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Throws RangeError unless there are 32 bytes. */
export async function importSealingKey(bytes: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  if (bytes.byteLength !== SEALING_KEY_BYTES) throw new RangeError('a sealing key is 32 bytes')
  return crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt'])
}

/** Returns format byte, nonce, ciphertext and tag: 29 bytes more than `plain`. @see https://csrc.nist.gov/pubs/sp/800/38/d/final */
export async function seal(
  key: CryptoKey,
  name: string,
  plain: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES))
  const ciphertext = await crypto.subtle.encrypt(parameters(nonce, name), key, plain)
  const sealed = new Uint8Array(1 + NONCE_BYTES + ciphertext.byteLength)
  sealed[0] = FORMAT
  sealed.set(nonce, 1)
  sealed.set(new Uint8Array(ciphertext), 1 + NONCE_BYTES)
  return sealed
}

/**
 * Returns the plain bytes. Null for changed or cut bytes, another name or another key: these cannot be distinguished.
 * @see https://csrc.nist.gov/pubs/sp/800/38/d/final
 */
export async function unseal(
  key: CryptoKey,
  name: string,
  sealed: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer> | null> {
  if (sealed[0] !== FORMAT || sealed.byteLength < 1 + NONCE_BYTES + TAG_BYTES) return null
  const nonce = sealed.subarray(1, 1 + NONCE_BYTES)
  try {
    return new Uint8Array(await crypto.subtle.decrypt(parameters(nonce, name), key, sealed.subarray(1 + NONCE_BYTES)))
  } catch (thrown) {
    if (thrown instanceof Error && thrown.name === 'OperationError') return null
    throw thrown
  }
}

const parameters = (iv: Uint8Array<ArrayBuffer>, name: string) => ({
  name: 'AES-GCM',
  iv,
  additionalData: new TextEncoder().encode(name),
})
