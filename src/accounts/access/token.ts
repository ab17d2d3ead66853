// Tokens that are a secret by themselves: of sessions, of mailed links.
import { createHash } from 'node:crypto'
import { encodeBase64url } from '../../attestation/base64url.ts'

const TOKEN_BYTES = 32
const TOKEN = /^[\w-]{43}$/

/** 256 random bits as base64url. Whoever has it is signed in; only its hash is stored. */
export const newToken = (): string => encodeBase64url(crypto.getRandomValues(new Uint8Array(TOKEN_BYTES)))

/** SHA-256: what is stored of a token of ours. */
export const hashToken = (token: string): Uint8Array => new Uint8Array(createHash('sha256').update(token).digest())

/** Whether it has the form of one. */
export const isToken = (text: string): boolean => TOKEN.test(text)
