// Defines the session cookie, and reads, sets and clears cookies that are bound to this host.
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import type { AppContext } from '../../platform/context.ts'
import { isToken } from './secret-token.ts'

/**
 * Uses the prefix `__Host-`: it binds the cookie to this host, over HTTPS, for every path.
 * @see https://datatracker.ietf.org/doc/html/draft-ietf-httpbis-rfc6265bis#section-4.1.3
 */
export const hostCookie = (name: string, maxAge: number) => ({
  read: (c: AppContext): string | null => getCookie(c, name, 'host') ?? null,
  /** @param seconds how long it is kept, if not for `maxAge` */
  set: (c: AppContext, value: string, seconds: number = maxAge): void =>
    setCookie(c, name, value, { prefix: 'host', httpOnly: true, sameSite: 'Lax', maxAge: seconds }),
  clear: (c: AppContext): void => void deleteCookie(c, name, { prefix: 'host', path: '/', secure: true }),
})

/** A cookie that holds a token: `read` returns null for what does not have its form. */
export function tokenCookie(name: string, maxAge: number) {
  const cookie = hostCookie(name, maxAge)
  const read = (c: AppContext): string | null => {
    const token = cookie.read(c)
    return token !== null && isToken(token) ? token : null
  }
  return { ...cookie, read }
}

export const SESSION_DAYS = 7

export const sessionCookie = tokenCookie('session', SESSION_DAYS * 86_400)

/** Returns how long the cookie of a session is kept when it gets a new token: the session's end stays. */
export const secondsLeft = ({ expiresAt }: { expiresAt: number }): number => Math.floor((expiresAt - Date.now()) / 1000)

/** The time within which the second factor of a sign-in must follow the first, in minutes. */
export const SECOND_STEP_MINUTES = 10

/** Holds the token of a sign-in whose first factor was right. */
export const secondStepCookie = tokenCookie('sign-in', SECOND_STEP_MINUTES * 60)
