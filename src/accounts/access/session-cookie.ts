// The session's cookie. `__Host-` binds it to this host, over an encrypted connection, for every path (RFC 6265bis).
import { createHash } from 'node:crypto'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import type { AppContext } from '../../platform/context.ts'

export const SESSION_DAYS = 7

const NAME = 'session'
const TOKEN_BYTES = 32
const TOKEN = /^[\w-]{43}$/

/** 256 random bits as base64url. Whoever has it is signed in; only its hash is stored. */
export const newToken = (): string =>
  crypto.getRandomValues(new Uint8Array(TOKEN_BYTES)).toBase64({ alphabet: 'base64url', omitPadding: true })

/** SHA-256: what is stored of a token of ours. */
export const hashToken = (token: string): Uint8Array => new Uint8Array(createHash('sha256').update(token).digest())

/** The token that the request has; null for none, and for what no token of ours looks like. */
export function readSessionToken(c: AppContext): string | null {
  const token = getCookie(c, NAME, 'host')
  return token !== undefined && TOKEN.test(token) ? token : null
}

export function setSessionCookie(c: AppContext, token: string): void {
  setCookie(c, NAME, token, { prefix: 'host', httpOnly: true, sameSite: 'Lax', maxAge: SESSION_DAYS * 86_400 })
}

export function clearSessionCookie(c: AppContext): void {
  deleteCookie(c, NAME, { prefix: 'host', path: '/', secure: true })
}
