// The cookie that binds a sign-in under way to the browser that began it: it holds the `state` (RFC 6749, section 10.12).
// SameSite=Lax, since the provider sends the browser back from another site.
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import type { AppContext } from '../../platform/context.ts'
import { isToken } from '../access/token.ts'
import { FLOW_MINUTES } from './oauth-flows.store.ts'

const NAME = 'oauth'

/** Null for none, and for what no state of ours looks like. */
export function readFlowState(c: AppContext): string | null {
  const state = getCookie(c, NAME, 'host')
  return state !== undefined && isToken(state) ? state : null
}

export function setFlowCookie(c: AppContext, state: string): void {
  setCookie(c, NAME, state, { prefix: 'host', httpOnly: true, sameSite: 'Lax', maxAge: FLOW_MINUTES * 60 })
}

export function clearFlowCookie(c: AppContext): void {
  deleteCookie(c, NAME, { prefix: 'host', path: '/', secure: true })
}
