// Defines the session cookie, and reads, sets and clears any cookie that contains a token.
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import type { AppContext } from '../../platform/context.ts'
import { isToken } from './secret-token.ts'

/**
 * Uses the prefix `__Host-`: it binds the cookie to this host, over HTTPS, for every path.
 * @see https://datatracker.ietf.org/doc/html/draft-ietf-httpbis-rfc6265bis#section-4.1.3
 */
export const tokenCookie = (name: string, maxAge: number) => ({
  /** Returns the request's token. Null if there is none or it does not have the form of a token. */
  read(c: AppContext): string | null {
    const token = getCookie(c, name, 'host')
    return token !== undefined && isToken(token) ? token : null
  },
  set: (c: AppContext, token: string): void =>
    setCookie(c, name, token, { prefix: 'host', httpOnly: true, sameSite: 'Lax', maxAge }),
  clear: (c: AppContext): void => void deleteCookie(c, name, { prefix: 'host', path: '/', secure: true }),
})

export const SESSION_DAYS = 7

export const sessionCookie = tokenCookie('session', SESSION_DAYS * 86_400)
