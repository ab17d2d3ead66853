// The session's cookie. `__Host-` binds it to this host, over an encrypted connection, for every path (RFC 6265bis).
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import type { AppContext } from '../../platform/context.ts'
import { isToken } from './token.ts'

export const SESSION_DAYS = 7

const NAME = 'session'

/** The session token of the request. Null if there is none or it does not look like one of ours. */
export function readSessionToken(c: AppContext): string | null {
  const token = getCookie(c, NAME, 'host')
  return token !== undefined && isToken(token) ? token : null
}

export function setSessionCookie(c: AppContext, token: string): void {
  setCookie(c, NAME, token, { prefix: 'host', httpOnly: true, sameSite: 'Lax', maxAge: SESSION_DAYS * 86_400 })
}

export function clearSessionCookie(c: AppContext): void {
  deleteCookie(c, NAME, { prefix: 'host', path: '/', secure: true })
}
