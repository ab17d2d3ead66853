// Makes, hashes and recognises the secret tokens of sessions and mailed links.
import { encodeBase64url } from '../../evidence/records/base64.ts'
import { sha256 } from '../../platform/sha256.ts'

const TOKEN_BYTES = 32
const TOKEN = /^[\w-]{43}$/

/** Returns 256 random bits as base64url. SECURITY: the token alone signs its bearer in, so only its hash is stored. */
export const newToken = (): string => encodeBase64url(crypto.getRandomValues(new Uint8Array(TOKEN_BYTES)))

export const hashToken = (token: string): Uint8Array => sha256(token)

export const isToken = (text: string): boolean => TOKEN.test(text)
