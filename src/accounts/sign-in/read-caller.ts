// Checks and describes the caller of a route that needs no session. The request must come from this service's pages, and its
// network must not call too often within a minute. Also derives the network from an IP address.
import type { AppContext } from '../../platform/context.ts'
import type { AccessControl } from '../access/access-control.ts'
import { sessionCookie } from '../access/session-cookie.ts'
import type { Throttle } from './throttle.ts'

/** `presented`: the session token that the browser sent, or null. `origin`: the origin of mailed links. */
export type Caller = { network: string; presented: string | null; origin: string }

export type ReadCaller = (c: AppContext) => Promise<Caller>

type Deps = { access: Pick<AccessControl, 'assertOwnOrigin'>; throttle: Throttle; publicOrigin: string | null }

/** Returns the check, which throws `origin_refused` or `rate_limit_exceeded`. */
export function createReadCaller({ access, throttle, publicOrigin }: Deps): ReadCaller {
  return async (c) => {
    access.assertOwnOrigin(c)
    c.header('cache-control', 'no-store')
    const network = networkOfCaller(c)
    await throttle.limitNetwork(network)
    return { network, presented: sessionCookie.read(c), origin: publicOrigin ?? new URL(c.req.url).origin }
  }
}

export const networkOfCaller = (c: AppContext): string => networkOf(c.req.header('cf-connecting-ip'))

const UNKNOWN_NETWORK = 'unknown'

/**
 * Returns a request's network: the /24 of an IPv4 or the /64 of an IPv6 address, which one customer has.
 * @param address as in cf-connecting-ip, which the platform sets and no caller can
 */
export function networkOf(address: string | undefined): string {
  const octets = octetsOf(address ?? '')
  if (octets !== null) return network4(octets)
  const groups = groupsOf(address ?? '')
  if (groups === null) return UNKNOWN_NETWORK
  return isMapped(groups) ? network4(groups.slice(6).flatMap((group) => [group >> 8, group & 0xff])) : network6(groups)
}

const network4 = (octets: readonly number[]): string => `${octets.slice(0, 3).join('.')}.0/24`

const network6 = (groups: readonly number[]): string =>
  `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`

function octetsOf(address: string): number[] | null {
  if (!/^\d{1,3}(?:\.\d{1,3}){3}$/.test(address)) return null
  const octets = address.split('.').map(Number)
  return octets.every((octet) => octet <= 255) ? octets : null
}

/**
 * Returns the eight groups of an IPv6 address. The URL parser checks it and writes it in its canonical form.
 * @see https://www.rfc-editor.org/rfc/rfc5952#section-4
 */
function groupsOf(address: string): number[] | null {
  if (!/^[0-9A-Fa-f:.]{2,45}$/.test(address) || !URL.canParse(`http://[${address}]/`)) return null
  const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1)
  const [before = '', after] = canonical.split('::')
  const [head, tail] = [groupsIn(before), groupsIn(after ?? '')]
  return [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail]
}

const groupsIn = (text: string): number[] =>
  text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16))

/**
 * Returns true for `::ffff:a.b.c.d`: an IPv4 address in the form of IPv6.
 * @see https://www.rfc-editor.org/rfc/rfc4291#section-2.5.5.2
 */
const isMapped = (groups: readonly number[]): boolean =>
  groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
