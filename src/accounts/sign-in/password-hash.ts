// Hashes and checks passwords: scrypt (RFC 7914), stored as a PHC string `$scrypt$ln=15,r=8,p=3$salt$hash` with unpadded base64.
import { scryptSync, timingSafeEqual } from 'node:crypto'

type Parameters = { ln: number; r: number; p: number }
type StoredHash = Parameters & { salt: Uint8Array; hash: Uint8Array }

/** One of the settings that OWASP rates as equal: 2^15 rounds over 32 MiB, three times. */
const PARAMETERS: Parameters = { ln: 15, r: 8, p: 3 }
const SALT_BYTES = 16
const HASH_BYTES = 32
const MAX_MEMORY_BYTES = 64 * 1024 * 1024
/** The maximum work that a stored string can cause. */
const MOST_PARAMETERS: Parameters = { ln: 15, r: 8, p: 5 }

export type PasswordHasher = {
  /** Returns a PHC string under the current parameters, with a new salt. */
  hash(password: string): string
  /**
   * Checks a password. `outdated`: right, but must be hashed again under the current parameters.
   * @param kept a PHC string; null is always wrong, and takes as long as a PHC string with the current parameters
   */
  verify(password: string, kept: string | null): 'right' | 'outdated' | 'wrong'
}

export const scryptHasher: PasswordHasher = {
  hash(password) {
    const salt = crypto.getRandomValues(new Uint8Array(SALT_BYTES))
    return format({ ...PARAMETERS, salt, hash: derive(password, { ...PARAMETERS, salt }) })
  },

  verify(password, text) {
    const kept = text === null ? null : parse(text)
    const compared = kept ?? DUMMY_HASH
    const isEqual = timingSafeEqual(derive(password, compared), compared.hash)
    if (!isEqual || kept === null) return 'wrong'
    return hasCurrentParameters(kept) ? 'right' : 'outdated'
  },
}

/** SECURITY: compared for an account that does not exist, so that it takes as long as one that does. */
const DUMMY_HASH: StoredHash = { ...PARAMETERS, salt: new Uint8Array(SALT_BYTES), hash: new Uint8Array(HASH_BYTES) }

/**
 * Hashes the canonical composition (Unicode NFC), because one password can be typed as different code points.
 * @see https://www.rfc-editor.org/rfc/rfc7914
 */
const derive = (password: string, { ln, r, p, salt }: Parameters & { salt: Uint8Array }): Uint8Array =>
  new Uint8Array(
    scryptSync(password.normalize('NFC'), salt, HASH_BYTES, { N: 2 ** ln, r, p, maxmem: MAX_MEMORY_BYTES }),
  )

const hasCurrentParameters = ({ ln, r, p }: StoredHash): boolean =>
  ln === PARAMETERS.ln && r === PARAMETERS.r && p === PARAMETERS.p

/**
 * Matches exactly the base64 of 16 and 32 bytes, because a truncated hash would also parse.
 * @see https://github.com/P-H-C/phc-string-format/blob/master/phc-sf-spec.md
 */
const PHC = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/

function parse(text: string): StoredHash | null {
  const [, ln = '', r = '', p = '', salt = '', hash = ''] = PHC.exec(text) ?? []
  const parameters = { ln: Number(ln), r: Number(r), p: Number(p) }
  const isBounded =
    isFromOneTo(parameters.ln, MOST_PARAMETERS.ln) &&
    isFromOneTo(parameters.r, MOST_PARAMETERS.r) &&
    isFromOneTo(parameters.p, MOST_PARAMETERS.p)
  if (!isBounded) return null
  const [saltBytes, hashBytes] = [fromBase64(salt), fromBase64(hash)]
  return saltBytes === null || hashBytes === null ? null : { ...parameters, salt: saltBytes, hash: hashBytes }
}

const isFromOneTo = (value: number, most: number): boolean => value >= 1 && value <= most

function fromBase64(text: string): Uint8Array | null {
  try {
    return Uint8Array.fromBase64(text)
  } catch {
    return null
  }
}

const format = ({ ln, r, p, salt, hash }: StoredHash): string => {
  const [saltText, hashText] = [salt, hash].map((bytes) => bytes.toBase64({ omitPadding: true }))
  return `$scrypt$ln=${ln},r=${r},p=${p}$${saltText}$${hashText}`
}
