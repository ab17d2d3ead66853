// Who calls the routes that need no session yet, and the first two questions to them: whether the request is from our own
// pages, and whether their network has called too often within a minute.
import type { AppContext } from '../../platform/context.ts'
import type { AccessControl } from '../access/access.ts'
import { readSessionToken } from '../access/session-cookie.ts'
import { networkOf } from './network.ts'
import type { Throttle } from './throttle.ts'

/** `presented`: the session's token that the browser has already, if any. `origin`: where mailed links lead. */
export type Caller = { network: string; presented: string | null; origin: string }

export type ReadCaller = (c: AppContext) => Promise<Caller>

type Deps = { access: Pick<AccessControl, 'assertOwnOrigin'>; throttle: Throttle; publicOrigin: string | null }

/** Throws `origin_refused` or `rate_limit_exceeded`. */
export function callerReader({ access, throttle, publicOrigin }: Deps): ReadCaller {
  return async (c) => {
    access.assertOwnOrigin(c)
    c.header('cache-control', 'no-store')
    const network = networkOfCaller(c)
    await throttle.sift(network)
    return { network, presented: readSessionToken(c), origin: publicOrigin ?? new URL(c.req.url).origin }
  }
}

export const networkOfCaller = (c: AppContext): string => networkOf(c.req.header('cf-connecting-ip'))
