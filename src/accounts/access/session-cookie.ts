// Cookies that hold a token, such as the session's.
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import type { AppContext } from '../../platform/context.ts'
import { isToken } from './token.ts'

/** `__Host-` binds the cookie to this host, over an encrypted connection, for every path (RFC 6265bis). */
export const tokenCookie = (name: string, maxAge: number) => ({
  /** The token of the request. Null if there is none or it does not look like one of ours. */
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
