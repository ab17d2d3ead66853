// Tokens that are a secret by themselves: of sessions, of mailed links.
import { encodeBase64url } from '../../evidence/records/base64.ts'
import { sha256 } from '../../platform/sha256.ts'

const TOKEN_BYTES = 32
const TOKEN = /^[\w-]{43}$/

/** 256 random bits as base64url. Whoever has it is signed in; only its hash is stored. */
export const newToken = (): string => encodeBase64url(crypto.getRandomValues(new Uint8Array(TOKEN_BYTES)))

/** What is stored of a token of ours. */
export const hashToken = (token: string): Uint8Array => sha256(token)

/** Whether it has the form of one. */
export const isToken = (text: string): boolean => TOKEN.test(text)
